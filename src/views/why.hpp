#pragma once

/// Why an item or a stage is where it is: every decision about it, in order.

#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/attempt.hpp"
#include "views/address.hpp"

namespace pawl::views {

/// One decision about an item, made by the engine, a reviewer or an operator.
struct Reason {
  Timestamp at;
  std::string stage;
  std::string child;
  AttemptNumber attempt = 0;
  std::string trigger;  ///< what happened
  std::string by = {};  ///< who did it; empty: the engine, or it was not recorded
  Rule rule{};
  std::string explanation;  ///< the rule in words, with its numbers
  std::string_view decision;
};

/// The decisions about everything at the address, oldest first.
[[nodiscard]] Result<std::vector<Reason>> reasons_at(Records& records, const Address& address);

[[nodiscard]] Json reason_document(const Reason& reason);

}  // namespace pawl::views
