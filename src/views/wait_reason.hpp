#pragma once

/// What an unfinished item or stage is waiting for, from the record.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/address.hpp"

namespace pawl::views {

/// A moment in the style that the reader asked for: "9m ago".
using TimeText = std::function<std::string(Timestamp)>;

/// The reader of a reason.
struct Onlooker {
  Timestamp now;
  TimeText time_text;
  /// Whether the process of a worker is known to have died.
  std::function<bool(WorkerId)> is_dead;
};

/// What one task waits for.
struct Wait {
  std::string stage = {};  ///< empty: the whole item
  std::string child = {};
  /// "trust", "review", "retry", "running", "lost_worker", "paused", "stage_paused", "budget",
  /// "no_worker", "not_served", "job_parallel", "pool", "rate", "rate_limited", "worker_slots",
  /// "turn", "children" or "needs".
  std::string_view kind;
  std::string text;  ///< "a person: review 318"
  /// How many other children of the fan-out wait for something of this kind.
  std::int64_t children_alike = 0;
  /// Further members of the document: the pool and its holders, the workers and their limits.
  std::vector<std::pair<std::string, Json>> details = {};
};

/// One for each active task of the address, and one of each kind for the children of a fan-out;
/// empty if it has ended.
[[nodiscard]] Result<std::vector<Wait>> waits_at(Records& records, const Address& address,
                                                 const Onlooker& onlooker);

/// What a Ready task waits for.
[[nodiscard]] Result<Wait> wait_of_ready(Records& records, const Address& address, const Task& task,
                                         const Onlooker& onlooker);

/// The command that resumes a stage: "pawl job resume 41 --stage convert".
[[nodiscard]] std::string way_out_of_stage_pause(JobId job, std::string_view stage);

/// All of them in one line, with the stages if there are several: "2 of its 9 children; child page
/// 3 and 1 more: a person: review 318".
[[nodiscard]] std::string in_words(const std::vector<Wait>& waits);

[[nodiscard]] Json wait_document(const Wait& wait);

}  // namespace pawl::views
