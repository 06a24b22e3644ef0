#pragma once

/// The column `limits` of a worker's row: empty, or a JSON object with what the worker leaves to
/// others.

#include <string>
#include <string_view>

#include "pawl/store/workers.hpp"

namespace pawl::sql {

[[nodiscard]] std::string limits_text(const WorkerLimits& limits);
[[nodiscard]] WorkerLimits limits_from(std::string_view text);

}  // namespace pawl::sql
