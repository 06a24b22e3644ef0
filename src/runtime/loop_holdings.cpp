/// What the store says this worker holds, compared with what it holds; and a store that was set
/// back, which has forgotten commits that it had acknowledged.

#include <algorithm>
#include <string>
#include <utility>

#include "pawl/store/each_row.hpp"
#include "runtime/loop.hpp"

namespace pawl::runtime {

namespace {

constexpr Duration look_again_after = std::chrono::seconds(1);
/// So many forgotten results are reported one by one.
constexpr std::size_t reported_max = 20;

/// After a setback the store may have given our id to a worker that signed on later.
bool is_of(const WorkerRecord& record, const WorkerHello& hello) {
  return record.host == hello.host && record.pid == hello.pid && record.name == hello.name;
}

OpenName name_of_open(const Task& task) { return {task.id, task.version}; }

HeldInStore read_held(Records& records, WorkerId worker) {
  HeldInStore stored{.worker = worker, .self = records.worker(worker), .open = {}};
  const TaskFilter ours{.worker = worker, .limit = 1'000};
  const Status read = each_row(records, ours, [&](const Task& task) -> Status {
    stored.open.push_back(task);
    return {};
  });
  stored.is_complete = read.has_value();
  return stored;
}

Remembered read_remembered(Records& records, const std::vector<JobId>& jobs,
                           const std::deque<AcknowledgedResults::Result>& results) {
  Remembered remembered;
  const auto is_known = [&](const auto& read) {
    const bool is_answered = read || read.error().code == ErrorCode::not_found;
    if (!is_answered) remembered.is_complete = false;
    return is_answered;
  };
  for (const JobId id : jobs) {
    Result<Job> job = records.job(id);
    if (is_known(job)) remembered.jobs.emplace_back(id, std::move(job));
  }
  for (const AcknowledgedResults::Result& result : results) {
    const auto& [task, version] = result.attempt;
    const Result<Task> row = records.task(task);
    if (is_known(row) && (!row || row->version <= version)) {
      remembered.forgotten.push_back(result.attempt);
    }
  }
  return remembered;
}

}  // namespace

/// After every renewal, and again soon while the last look showed a difference.
void Loop::compare_holdings() {
  if (stopping_ || !comparison_.begin()) return;
  ask_store([worker = worker()](Store& store) { return read_held(store.records(), worker); },
            [this, acknowledged = commits_.newest_acknowledged(), asked_at = clock_.now()](
                const HeldInStore& stored) { on_compared(stored, acknowledged, asked_at); });
}

void Loop::on_compared(const HeldInStore& stored, BatchNumber acknowledged, Timestamp asked_at) {
  comparison_.end();
  if (stored.worker != worker() || stopping_) return;
  if (!stored.self && stored.self.error().code == ErrorCode::not_found) return renew();
  if (!stored.self || !stored.is_complete) {
    comparison_.plan(clock_.now() + look_again_after);
    return;
  }
  if (!is_of(*stored.self, hello_)) {
    log(LogLevel::warning,
        "another process has signed on as worker " + std::to_string(stored.worker.value()));
    return on_lease_lost();
  }
  if (stored.self->last_batch < acknowledged) {
    if (commits_.newest_acknowledged() == acknowledged) {
      commits_.set_newest_acknowledged(stored.self->last_batch);
    }
    on_setback("batch " + std::to_string(acknowledged) + " of this worker was acknowledged, and " +
               std::to_string(stored.self->last_batch) + " is the newest on record");
  }

  // The answer to its step decides about an attempt that is being closed.
  std::set<OpenName> held;
  std::set<OpenName> closing;
  for (const auto& [id, one] : held_) {
    (one.closing ? closing : held).insert(one.name());
  }
  std::set<OpenName> open;
  Timestamp oldest = asked_at;
  for (const Task& task : stored.open) {
    oldest = std::min(oldest, std::get<Running>(task.state).opened_at);
    if (!closing.contains(name_of_open(task))) open.insert(name_of_open(task));
  }
  const Holdings::Differences differences = holdings_.compare(open, held);
  for (const OpenName& name : differences.withdrawn) end_withdrawn(name);
  if (!differences.unknown.empty()) want_read_back();
  if (holdings_.is_in_doubt()) {
    comparison_.plan(clock_.now() + look_again_after);
  } else {
    // A lease of leeway: clocks differ, and answers take their time.
    holds_since_ = oldest - options_.lease;
  }
}

/// The store has given it to somebody else, or knows nothing of its opening.
void Loop::end_withdrawn(const OpenName& name) {
  Held* held = held_.find_running(name);
  if (held == nullptr) return;
  log(LogLevel::warning, "'" + held->attempt->stage().name + "' for '" +
                             held->attempt->hold->key() +
                             "' is ended: the store does not have it as running here");
  held_.surrender(name.first);
  claimer_.want();
}

/// Open in the store in our name, and not held. An attempt whose result was acknowledged has run:
/// it is closed as interrupted, and the next one has the next number. The others never began here,
/// because the answer that told of them was lost.
void Loop::adopt_unknown(std::vector<Claimed> open) {
  const auto has_run = [&](const Claimed& one) {
    return acknowledged_.contains(name_of_open(one.task));
  };
  std::vector<Claimed> forgotten;
  for (Claimed& one : open) {
    if (has_run(one)) forgotten.push_back(one);
  }
  std::erase_if(open, has_run);
  start_claimed(std::move(open));
  start_claimed(std::move(forgotten), true);
}

/// What this engine knew may be wrong in every point: jobs, conditions, what subscribers were told.
/// Attempts go on; those that the store does not know are ended by the comparison.
void Loop::on_setback(const std::string& evidence) {
  log(LogLevel::error, "the store has forgotten commits that it had acknowledged: " + evidence +
                           ". A standby may have taken over without them. The worker reads all "
                           "jobs again and reruns every attempt that is not on record");
  is_set_back_ = true;
  conditions_.clear();
  jobs_.doubt_all();
  claimer_.forget_heads();
  read_after_setback();
}

void Loop::read_after_setback() {
  read_after_setback_at_ = no_time;
  std::vector<JobId> jobs;
  for (const auto& [id, generation] : jobs_.generations()) jobs.push_back(id);
  ask_store([jobs = std::move(jobs), results = acknowledged_.newest()](
                Store& store) { return read_remembered(store.records(), jobs, results); },
            [this](const Remembered& remembered) { on_read_after_setback(remembered); });
}

void Loop::on_read_after_setback(const Remembered& remembered) {
  if (!remembered.is_complete) {
    read_after_setback_at_ = clock_.now() + look_again_after;
    return;
  }
  is_set_back_ = false;
  for (const auto& [id, job] : remembered.jobs) {
    if (!jobs_.has(id)) continue;
    if (job && !jobs_.is_another(*job)) {
      refresh(*job);
    } else {
      held_.surrender_all_of(id);
      jobs_.forget(id);
    }
  }
  for (auto& [id, held] : held_) {
    // If the store does know of an item's cancel, it says so when it refuses the result.
    held.item_cancelled.reset();
    const JobSeen* const seen = jobs_.find(held.attempt->plan->id);
    if (seen == nullptr || !seen->cancelled) held.forget_cancel();
  }
  report_forgotten(remembered.forgotten);
  claimer_.look_afresh();
  compare_holdings();
}

void Loop::report_forgotten(const std::vector<OpenName>& attempts) {
  const std::vector<AcknowledgedResults::Result> forgotten = acknowledged_.report(attempts);
  if (forgotten.empty()) return;
  for (std::size_t i = 0; i < std::min(forgotten.size(), reported_max); ++i) {
    log(LogLevel::error, "forgotten by the store: the result of attempt " +
                             std::to_string(forgotten[i].number) + " of task " +
                             std::to_string(forgotten[i].attempt.first.value()));
  }
  log(LogLevel::error, "the store has forgotten " + std::to_string(forgotten.size()) +
                           " of the newest " + std::to_string(acknowledged_.newest().size()) +
                           " results of this worker");
  board_.add_forgotten(forgotten.size());
}

}  // namespace pawl::runtime
