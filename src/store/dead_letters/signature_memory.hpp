#pragma once

/// Remembers how dead letters failed, so that grouping them again reads their tasks and not their
/// attempts. A letter that failed again has had another attempt, so it is not taken for the old
/// one. Its size is bounded.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "pawl/store/dead_letters.hpp"

namespace pawl::store {

class SignatureMemory {
 public:
  static constexpr std::size_t letters_max = 100'000;
  static constexpr std::size_t signatures_max = 10'000;

  /// What groups need of a letter.
  struct Failure {
    std::string signature;
    Timestamp failed_at;
  };
  /// None if it is not known, or failed again since.
  [[nodiscard]] std::optional<Failure> find(const DeadLetter& letter);
  void add(const DeadLetter& letter);

 private:
  struct Known {
    AttemptNumber attempts = 0;
    FailCause cause = FailCause::final_error;
    Timestamp failed_at;
    const std::string* signature = nullptr;  ///< one of `signatures_`
  };
  std::mutex mutex_;
  std::unordered_map<TaskId, Known> letters_;  ///< guarded by mutex_
  std::set<std::string> signatures_;           ///< guarded by mutex_
};

/// `pawl::analyse_dead_letters` with a memory for the next time.
[[nodiscard]] Result<DeadLetterAnalysis> analyse_dead_letters(Store& store,
                                                              const DeadLetterQuery& query,
                                                              SignatureMemory& memory);

}  // namespace pawl::store
