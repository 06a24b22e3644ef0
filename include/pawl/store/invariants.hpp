#pragma once

/// The invariants of a store's records, as data. `pawl verify` uses this table to explain what it
/// finds, and a test compares docs/reference/verify.md with it.

#include <span>
#include <string_view>

namespace pawl {

struct Invariant {
  std::string_view id;       ///< "I3", "log" or "database"; never changes
  std::string_view promise;  ///< one sentence
  std::string_view checked;  ///< how `verify` looks for a violation
  std::string_view meaning;  ///< what a violation means
  std::string_view way_out;  ///< what to do about a violation
};

/// In the order of their numbers; the log and the database come last.
[[nodiscard]] std::span<const Invariant> invariants();
/// Finds an invariant by its id, in upper or lower case; null if there is none.
[[nodiscard]] const Invariant* find_invariant(std::string_view id);

}  // namespace pawl
