#pragma once

/// Moves jobs between stores in memory, and compares what was moved with what arrived.

#include <algorithm>
#include <sstream>
#include <tuple>

#include "contract/snapshot.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/arrival.hpp"
#include "pawl/transfer/transfer.hpp"

namespace pawl::driving {

inline std::string exported(Records& records, JobId job, ExportOptions options = {.page = 7}) {
  std::ostringstream out;
  const Result<Exported> done = export_job(records, job, out, options);
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return out.str();
}

/// Most tests move jobs between stores of one owner.
inline ImportOptions trusting() { return {.records_per_chunk = 5, .accepted_by = "eve"}; }
inline ImportOptions wary() { return {.records_per_chunk = 5}; }

inline Result<Imported> import_text(Store& store, const std::string& text,
                                    ImportOptions options = trusting()) {
  std::istringstream in(text);
  return import_job(store, in, options);
}

inline Imported imported(Store& store, const std::string& text,
                         ImportOptions options = trusting()) {
  const Result<Imported> done = import_text(store, text, options);
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  if (!done) return {};
  for (const Violation& one : done->verified.violations) {
    ADD_FAILURE() << one.invariant << ": " << one.message;
  }
  EXPECT_TRUE(done->released);
  return *done;
}

/// A job's records with the ids they would have without the last `shift`. Values that a store
/// assigns anew (ids of jobs, lanes and reviews, versions, numbers of events, trust) are left out.
inline Snapshot records_of(Records& records, JobId id, std::int64_t shift = 0) {
  constexpr std::uint32_t all = 1'000'000;
  const auto item_back = [&](ItemId item) { return item ? ItemId{item.value() - shift} : item; };
  const auto task_back = [&](TaskId task) {
    return task ? task_id(ordinal_of(task) - shift, stage_of(task)) : task;
  };
  Snapshot taken;
  Job job = *records.job(id);
  job.id = {};
  job.generation = 0;
  job.trust = Trust::own;
  job.trusted_by.clear();
  job.trusted_at = no_time;
  auto labels = members(job.labels);
  std::erase_if(labels, [](const auto& one) { return one.first == "pawl.moved"; });
  job.labels = Json::object(labels);
  if (job.reduce_ordinal != 0) job.reduce_ordinal -= shift;
  taken.jobs.push_back(job);
  taken.items = *records.items({.job = id, .limit = all});
  for (Item& item : taken.items) {
    item.id = item_back(item.id);
    item.job = {};
    item.adopted_from = item_back(item.adopted_from);
  }
  taken.reviews = *records.reviews({.job = id, .limit = all});
  // Answers that are not effective yet arrive after the others.
  std::ranges::sort(taken.reviews, {}, [](const Review& review) {
    return std::tuple(review.status == ReviewStatus::answered, review.id);
  });
  std::map<ReviewId, ReviewId> ranks;
  for (Review& review : taken.reviews) {
    const ReviewId rank{static_cast<std::int64_t>(ranks.size()) + 1};
    ranks[review.id] = rank;
    review.id = rank;
    review.job = {};
    review.item = item_back(review.item);
    review.task = task_back(review.task);
  }
  taken.tasks = *records.tasks({.job = id, .limit = all});
  for (Task& task : taken.tasks) {
    std::vector<Attempt> attempts = *records.attempts(task.id);
    const StageOutput output = *records.output(task.id);
    taken.outputs.push_back((output.edited ? "edited " : "") + output.output.text());
    task.id = task_back(task.id);
    task.job = {};
    task.item = item_back(task.item);
    task.lane = {};
    task.version = 0;
    if (task.child) task.child->parent = task_back(task.child->parent);
    if (auto* succeeded = std::get_if<Succeeded>(&task.state); succeeded && succeeded->edited_by) {
      succeeded->edited_by = ranks.at(succeeded->edited_by);
    }
    for (Attempt& attempt : attempts) {
      attempt.task = task.id;
      taken.attempts.push_back(attempt);
    }
  }
  taken.events = *records.events({.job = id, .limit = all});
  std::erase_if(taken.events, [](const Event& event) {
    return event.type == EventType::job_imported || event.type == EventType::job_trusted;
  });
  EventSeq row = 0;
  EventSeq before = -1;
  for (Event& event : taken.events) {
    if (event.seq / 16 != before) ++row;
    before = event.seq / 16;
    event.seq = row * 16 + event.seq % 16;  // the same rows, whatever their numbers
    event.job = {};
    event.item = item_back(event.item);
    event.task = task_back(event.task);
  }
  return taken;
}

/// Checks that the imported job equals the exported one.
inline void expect_moved(Records& from, JobId there, Records& to, const Imported& here) {
  const std::optional<Moved> moved = move_of(here.job);
  ASSERT_TRUE(moved && !moved->shifts.empty());
  expect_same(records_of(from, there), records_of(to, here.job.id, moved->shifts.front()));
  EXPECT_EQ(from.job(there)->workflow_hash, here.job.workflow_hash);
}

}  // namespace pawl::driving
