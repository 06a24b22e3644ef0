#pragma once

/// What the engine promises of a store's records, as data: `pawl verify` explains what it finds by
/// this table, and docs/reference/verify.md is compared with it by a test.

#include <span>
#include <string_view>

namespace pawl {

struct Invariant {
  std::string_view id;       ///< "I3", "log" or "database"; never changes
  std::string_view promise;  ///< one sentence
  std::string_view checked;  ///< how `verify` looks for a violation
  std::string_view meaning;  ///< what a violation says
  std::string_view way_out;  ///< what to do about one
};

/// In the order of their numbers; last the log and the database.
[[nodiscard]] std::span<const Invariant> invariants();
/// Upper or lower case; null where there is none of this name.
[[nodiscard]] const Invariant* find_invariant(std::string_view id);

}  // namespace pawl
