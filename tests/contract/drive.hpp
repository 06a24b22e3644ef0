#pragma once

/// Drives a store through its ports without a runtime: submits, claims, and closes as a script
/// says.

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/codec/workflow.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/store/store.hpp"
#include "pawl/store/verify.hpp"
#include "temporary_folder.hpp"

namespace pawl::driving {

/// A store in its own file, which is removed with the store. Without fsync: other tests cover power
/// cuts.
inline std::shared_ptr<Store> open_temporary_sqlite_store(const Clock& clock) {
  auto folder = std::make_unique<TemporaryFolder>();
  Result<std::shared_ptr<Store>> opened = open_sqlite_store(
      {.path = folder->path() / "store.db", .durability = SqliteOptions::Durability::normal},
      clock);
  if (!opened) {
    ADD_FAILURE() << opened.error().text();
    std::abort();
  }
  Store* store = opened->get();
  return {store, [owned = std::move(*opened), folder = std::shared_ptr(std::move(folder))](
                     Store*) mutable { owned.reset(), folder.reset(); }};
}

/// A kind of store that tests run over.
struct StoreKind {
  std::string name;
  std::function<std::shared_ptr<Store>(const Clock&)> open;
  friend void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }
};
inline std::string name_of_kind(const testing::TestParamInfo<StoreKind>& tested) {
  return tested.param.name;
}
// The results of an attempt.

inline Attempt succeeded(Json output = Json::object({{"ok", true}})) {
  Attempt closed;
  closed.output = std::move(output);
  return closed;
}
inline Attempt failed(std::string message, ErrorClass error_class = ErrorClass::retryable,
                      ErrorKind kind = ErrorKind::reported, std::string code = {}) {
  Attempt closed;
  closed.result = AttemptResult::failure;
  closed.error = StageError{.error_class = error_class,
                            .kind = kind,
                            .code = std::move(code),
                            .message = std::move(message)};
  return closed;
}
inline Attempt rejected(std::string why) {
  Attempt closed = succeeded();
  closed.verdict = Verdict::rejected;
  closed.feedback = Feedback{.summary = std::move(why)};
  return closed;
}

/// What the code of a claimed task does.
struct Work {
  Attempt closed;
  std::vector<NewChild> children;
};
using Script = std::function<Work(const Claimed&)>;

inline Script always(const Attempt& closed) {
  return [closed](const Claimed&) { return Work{.closed = closed}; };
}

/// A stage that runs `handler`, with the given needs.
inline StageDefinition stage(std::string name, std::vector<std::string> needs = {}) {
  return StageDefinition{.name = std::move(name), .needs = std::move(needs), .handler = "code"};
}
inline Workflow workflow(std::string name, std::vector<StageDefinition> stages) {
  auto compiled = compile({.name = std::move(name), .stages = std::move(stages)});
  EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().front().text());
  return *compiled;
}

class Drive {
 public:
  explicit Drive(const StoreKind& kind) : store_(kind.open(clock_)) {
    worker_ = *store_->enlist({.host = "here", .pid = 1, .name = "drive", .lease = lease});
  }

  /// Closes the store and opens it again.
  void reopen(const StoreKind& kind) {
    store_.reset();
    store_ = kind.open(clock_);
  }

  Store& store() { return *store_; }
  Records& records() { return store_->records(); }
  ManualClock& clock() { return clock_; }

  JobId submit(const Workflow& flow, const std::vector<std::string>& keys, NewJob about) {
    about.workflow = flow;
    const Result<Job> job = store_->create_job(about);
    EXPECT_TRUE(job) << (job ? "" : job.error().text());
    std::vector<NewItem> items;
    for (const std::string& key : keys) items.push_back({.key = key, .data = Json(key)});
    const Result<Added> added = store_->add_items({.job = job->id, .items = items, .close = true});
    EXPECT_TRUE(added) << (added ? "" : added.error().text());
    return job->id;
  }
  JobId submit(const Workflow& flow, const std::vector<std::string>& keys) {
    return submit(flow, keys, NewJob{.workflow = flow});
  }

  /// Another worker beside the default one.
  WorkerId enlist(Duration lease_time = lease) {
    return *store_->enlist({.host = "here", .pid = 1, .name = "other", .lease = lease_time});
  }

  /// Opens up to `max` Ready tasks and leaves them running.
  std::vector<Claimed> claim(std::uint32_t max = 1'000) {
    EXPECT_TRUE(store_->renew(worker_));
    return claim_for(worker_, max).opened;
  }
  Claims claim_for(WorkerId worker, std::uint32_t max = 1'000) {
    Result<Claims> claims = store_->claim(everything(worker, max));
    EXPECT_TRUE(claims) << (claims ? "" : claims.error().text());
    return std::move(*claims);
  }
  /// A request for all Ready tasks, up to `max` for each job.
  ClaimRequest everything(WorkerId worker, std::uint32_t max = 1'000) {
    std::map<JobId, LaneShare> shares;
    const Result<std::vector<LaneHead>> heads = store_->ready_lanes();
    EXPECT_TRUE(heads) << (heads ? "" : heads.error().text());
    for (const LaneHead& head : *heads) {
      LaneShare& share = shares[head.job];
      share.job = head.job;
      share.max = max;
      share.lanes.push_back({.id = head.lane, .stage = head.stage});
    }
    ClaimRequest request{.worker = worker, .shares = {}};
    for (auto& [job, share] : shares) request.shares.push_back(std::move(share));
    return request;
  }

  /// Closes one claimed task, as the worker that holds it.
  StepOutcome close(const Claimed& claimed, Work work) {
    return commit(closing(claimed, std::move(work))).outcome;
  }
  StepOutcome close(const Claimed& claimed, const Attempt& closed) {
    return close(claimed, Work{.closed = closed, .children = {}});
  }
  StepAnswer commit(const Step& step, WorkerId worker = {}) {
    Result<Committed> done =
        store_->commit(worker ? worker : worker_, ++batch_, std::span(&step, 1));
    EXPECT_TRUE(done) << (done ? "" : done.error().text());
    return std::move(done->steps.front());
  }
  BatchNumber next_batch() { return ++batch_; }

  /// Claims all Ready tasks and closes them as the script says. Returns the number of attempts.
  int work_once(const Script& script) {
    EXPECT_TRUE(store_->sweep({.self = worker_}));
    std::vector<Step> steps;
    for (const Claimed& claimed : claim()) steps.push_back(closing(claimed, script(claimed)));
    if (steps.empty()) return 0;
    const Result<Committed> done = store_->commit(worker_, ++batch_, steps);
    EXPECT_TRUE(done) << (done ? "" : done.error().text());
    for (const StepAnswer& answer : done->steps) EXPECT_EQ(answer.outcome, StepOutcome::applied);
    return static_cast<int>(steps.size());
  }

  /// Works until nothing is left to do now or later; time advances to what is due.
  int work(const Script& script) {
    int total = 0;
    while (true) {
      const int some = work_once(script);
      total += some;
      if (some > 0) continue;
      const Result<Swept> swept = store_->sweep({.self = worker_});
      EXPECT_TRUE(swept) << (swept ? "" : swept.error().text());
      if (swept->woken + swept->answered + swept->noticed > 0) continue;
      if (swept->next_due == no_time) return total;
      clock_.advance_to(swept->next_due);
    }
  }

  Result<Job> act(const Act& act) { return store_->act(act); }
  Result<Job> act(const Act& act, const Actor& actor) { return store_->act(act, actor); }
  Job job(JobId id) { return *records().job(id); }
  Item item(JobId job, std::string_view key) { return *records().item(job, key); }
  TaskId task_of(JobId job, std::string_view key, std::uint16_t stage_index = 0) {
    return task_id(item(job, key).id, static_cast<StageIndex>(stage_index));
  }
  Task task(JobId job, std::string_view key, std::uint16_t stage_index = 0) {
    return *records().task(task_of(job, key, stage_index));
  }
  Task task_with(TaskId id) { return *records().task(id); }
  WorkerId worker() const { return worker_; }

  /// Every invariant holds.
  void expect_sound() {
    const Result<Verification> checked = verify(records(), {.page = 50});
    ASSERT_TRUE(checked) << checked.error().text();
    for (const Violation& one : checked->violations) {
      ADD_FAILURE() << one.invariant << ": " << one.message;
    }
  }

  /// The step of closing a claimed task, decided from the current job and item.
  Step closing(const Claimed& claimed, Work work) {
    const Job row = *records().job(claimed.task.job);
    const Workflow flow = *records().workflow(row.workflow_hash);
    work.closed.ended_at = store_->now();
    work.closed.attempts_cap = row.budget.max_attempts_per_task;
    work.closed.cancelled_by = row.cancelled;
    if (!work.closed.cancelled_by && claimed.task.item) {
      work.closed.cancelled_by = records().item(claimed.task.item)->cancelled;
    }
    return pawl::close(flow.stage(claimed.task.stage()), claimed.task, std::move(work.closed),
                       std::move(work.children));
  }

 private:
  static constexpr Duration lease = std::chrono::hours(24 * 365);

  ManualClock clock_;
  std::shared_ptr<Store> store_;
  WorkerId worker_;
  BatchNumber batch_ = 0;
};

}  // namespace pawl::driving
