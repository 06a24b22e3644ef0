#pragma once

/// The moves a task may make, as data for `may_move`, the tests and the documentation.

#include <span>
#include <string_view>

#include "pawl/core/task.hpp"

namespace pawl {

struct Transition {
  StateKind from;
  StateKind to;
  std::string_view why;
};

/// Lists every allowed move once. Any other move is an error.
[[nodiscard]] std::span<const Transition> transitions();

}  // namespace pawl
