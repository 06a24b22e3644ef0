#pragma once

/// The kinds of operations: what each one takes, which right it needs, and what it will do.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "service/api/call.hpp"
#include "service/work/operations.hpp"

namespace pawl::service {

/// What an operation does, and how many records it is about, if that is known.
struct PlannedOperation {
  OperationWork work;
  std::optional<std::int64_t> expected = std::nullopt;
};

/// A kind of operation.
struct OperationKind {
  std::string_view name;
  Right right;
  std::vector<std::string_view> members;  ///< of the body, beside `id` and `kind`
  /// What the body of the call asks for. Changes nothing.
  Result<PlannedOperation> (*plan)(Call& call);
};

/// All kinds, in the order of the documentation.
[[nodiscard]] const std::vector<OperationKind>& operation_kinds();

}  // namespace pawl::service
