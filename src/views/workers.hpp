#pragma once

/// Workers and what they hold.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::views {

/// "retired": it signed off. "lost": its lease expired, or `is_dead` knows that its process has
/// died; other workers take over its tasks. Otherwise "alive". `is_dead` is asked last.
[[nodiscard]] std::string_view state_of_worker(const WorkerRecord& worker, Timestamp now,
                                               const std::function<bool(WorkerId)>& is_dead);

/// The tasks that a worker holds: the first page of them, and the total number.
struct Holds {
  std::vector<Task> tasks;
  std::int64_t count = 0;
  Timestamp since;  ///< start of the oldest attempt; none: it holds nothing
};
[[nodiscard]] Result<Holds> what_it_holds(Records& records, WorkerId worker);

/// When the open attempt of a task began; none if it is not running.
[[nodiscard]] Timestamp opened_at(const Task& task);

/// "worker 3 (pawl work on host-a)". Not escaped.
[[nodiscard]] std::string in_words(const WorkerRecord& worker);
/// What the worker does not take, one predicate each: "takes only the stages convert, publish". Not
/// escaped.
[[nodiscard]] std::vector<std::string> restrictions(const WorkerLimits& limits);
/// Why a worker with these limits does not take a stage of a job, for items of this category, or
/// may not take it; none: it does.
[[nodiscard]] std::optional<std::string> why_left(const WorkerLimits& limits, JobId job,
                                                  const std::string& stage,
                                                  const std::string& category);

[[nodiscard]] Json worker_document(const WorkerRecord& worker, const Holds& holds,
                                   std::string_view state);

}  // namespace pawl::views
