#pragma once

/// The workflows of a soak: one with everything that may happen to an item, one of commands, and
/// one whose items run alone and are timed.

#include <string>

#include "pawl/runtime/program.hpp"

namespace pawl::soak {

/// Three stages. The outcome of an item follows from its number (its data): successes, retries,
/// rejections, fan-out, large outputs, reviews, dead letters.
[[nodiscard]] Program mixed();
/// Three stages that do nothing.
[[nodiscard]] Program lone();
/// One short command, with this variable ("NAME", "value") in its environment.
[[nodiscard]] Workflow commands(const std::string& name, const std::string& value);

}  // namespace pawl::soak
