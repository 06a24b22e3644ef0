#pragma once

/// The moves a task may make: data, read by `may_move`, by the tests and by the documentation.

#include <span>
#include <string_view>

#include "pawl/core/task.hpp"

namespace pawl {

struct Transition {
  StateKind from;
  StateKind to;
  std::string_view why;
};

/// Every allowed move once. What is not listed never happens.
[[nodiscard]] std::span<const Transition> transitions();

}  // namespace pawl
