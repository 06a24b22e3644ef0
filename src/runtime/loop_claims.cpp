/// Getting work: which lanes have something, which of it is ours, and opening it.

#include <algorithm>
#include <exception>
#include <set>
#include <string>
#include <utility>

#include "runtime/loop.hpp"
#include "runtime/task_context.hpp"

namespace pawl::runtime {

namespace {

/// Jobs and the workflows they are pinned to, read together.
using SeenJobs = std::vector<std::pair<Job, Workflow>>;

/// How long a store that does not answer is left alone.
constexpr Duration store_pause = std::chrono::milliseconds(500);

SeenJobs read_jobs(Records& records, const std::set<JobId>& ids) {
  SeenJobs found;
  for (const JobId id : ids) {
    const Result<Job> job = records.job(id);
    if (!job) continue;
    const Result<Workflow> workflow = records.workflow(job->workflow_hash);
    if (workflow) found.emplace_back(*job, *workflow);
  }
  return found;
}

struct LanesSeen {
  Result<std::vector<LaneHead>> heads;
  SeenJobs unknown_jobs;
};
LanesSeen look_at_lanes(Store& store, const std::set<JobId>& known_jobs) {
  LanesSeen seen{.heads = store.ready_lanes(), .unknown_jobs = {}};
  if (!seen.heads) return seen;
  std::set<JobId> unknown;
  for (const LaneHead& head : *seen.heads) {
    if (!known_jobs.contains(head.job)) unknown.insert(head.job);
  }
  seen.unknown_jobs = read_jobs(store.records(), unknown);
  return seen;
}

}  // namespace

void Loop::see(const Job& job, const Workflow& workflow) {
  if (jobs_.is_another(job)) {
    held_.surrender_all_of(job.id);
    jobs_.forget(job.id);
  }
  jobs_.add(job, workflow);
  refresh(job);
  if (!jobs_.find(job.id)->left.empty()) want_limits_report();
}

void Loop::refresh(const Job& job) {
  if (!jobs_.refresh(job)) return;
  for (auto& [id, held] : held_) {
    if (held.is_of(job.id)) ask_to_stop(held, StopReason::cancel);
  }
}

/// A job that has ended is not looked at any more; a rerun would bring it back.
void Loop::forget_if_unused(JobId job) {
  if (held_.has_any_of(job)) return;
  const JobSeen* const seen = jobs_.find(job);
  if (seen != nullptr && !seen->left.empty()) want_limits_report();
  jobs_.forget(job);
}

/// A busy engine claims when a good part of its room is free, an idle one for any room at all.
void Loop::claim_if_useful() {
  if (!claimer_.is_wanted() || stopping_) return;
  if (board_.is_draining() || !board_.is_store_up()) return;
  if (lease_.is_over() || is_set_back_) return;
  const bool too_many = desk_->abandoned() >= options_.abandoned_max;
  if (claimer_.set_blocked(too_many)) {
    set_trouble(too_many ? "too many handlers ignored their stop token: nothing more is claimed"
                         : "");
  }
  if (too_many) return;
  const std::size_t open = held_.size();
  if (open >= options_.parallel) return;
  const std::size_t room = options_.parallel - open;
  const bool busy = commits_.is_out() || commits_.pending() > 0;
  if (busy && room < std::max<std::size_t>(1, options_.parallel / 4)) return;

  claimer_.begin_look();
  std::set<JobId> known;
  for (const auto& [id, generation] : jobs_.generations()) known.insert(id);
  ask_store([known = std::move(known)](Store& store) { return look_at_lanes(store, known); },
            [this](LanesSeen seen) {
              if (!seen.heads && seen.heads.error().code == ErrorCode::corrupt) {
                on_damage(seen.heads.error());
              }
              for (const auto& [job, workflow] : seen.unknown_jobs) see(job, workflow);
              on_heads(std::move(seen.heads).value_or(std::vector<LaneHead>{}));
            });
}

void Loop::on_heads(std::vector<LaneHead> heads) {
  const std::size_t open = held_.size();
  auto room = static_cast<std::uint32_t>(options_.parallel > open ? options_.parallel - open : 0);
  // Threads that have nothing to run need not wait until a thousand attempts are open.
  if (open == 0 && options_.threads > 0) room = std::min(room, 2 * options_.threads);
  const auto view = [&](const LaneHead& head) { return view_of(head); };
  ClaimRequest request{.worker = worker(),
                       .shares = claimer_.plan(std::move(heads), room, clock_.now(), view)};
  if (request.shares.empty() || !may_claim()) return claimer_.end();
  ask_store([request](Store& store) { return store.claim(request); },
            [this, asked = request.shares](Result<Claims> claims) {
              on_claimed(std::move(claims), asked);
            });
}

Scheduler::LaneView Loop::view_of(const LaneHead& head) const {
  const JobSeen* const seen = jobs_.find(head.job);
  if (seen == nullptr) return {};
  if (jobs_.is_foreign(head.job)) return {};
  const JobPlan& plan = *seen->plan;
  const bool may_open = seen->may_open && !seen->job.is_paused(head.stage);
  return {.is_served = may_open && shelf_.serves(plan, head.stage),
          .stage_name = plan.workflow.stage(head.stage).name,
          .pool = plan.pool_keys[at(head.stage)]};
}

/// What the commit of these steps may claim with them: from the lanes of the last look, for as long
/// as it may be taken for true. What has come since gets its turn with the next look. Only slots
/// that the steps leave free are filled, so no commit opens more than there is room for.
Refill Loop::refill_for(const std::vector<Step>& steps) {
  if (!board_.is_store_up() || lease_.is_over() || is_set_back_) return {};
  const auto view = [&](const LaneHead& head) { return view_of(head); };
  Refill refill{.shares = claimer_.plan_refill(steps.size(), clock_.now(), view)};
  if (refill.shares.empty() || !may_claim()) return {};
  claimer_.begin();
  return refill;
}

void Loop::end_refill(Batch& batch) {
  if (batch.refill.shares.empty()) return;
  batch.refill = {};
  claimer_.end();
  board_.end_claim();
}

bool Loop::may_claim() { return !stopping_ && board_.announce_claim(); }

void Loop::on_claimed(Result<Claims> claims, const std::vector<LaneShare>& asked) {
  claimer_.end();
  if (!claims) {
    board_.end_claim();
    if (claims.error().code == ErrorCode::corrupt) return on_damage(claims.error());
    // We were taken for dead: the renewal that tells so need not wait for its time.
    if (claims.error().code == ErrorCode::not_found) return renew();
    if (claimer_.note_failure()) {
      log(LogLevel::error, "nothing could be claimed: " + claims.error().text());
    }
    sweep_.plan_by(clock_.now() + options_.poll_interval);
    // It may have been carried out all the same, and its answer lost.
    want_read_back(store_pause);
    return;
  }
  claimer_.note_answer(asked, *claims);
  take_claims(std::move(*claims));
  board_.end_claim();
}

void Loop::take_claims(Claims claims) {
  for (const Job& job : claims.refused) refresh(job);
  if (!claims.refused.empty()) has_news_ = true;
  for (const auto& [pool, until] : claims.held_rates) claimer_.hold_back(pool, until, clock_.now());
  bool found_something = !claims.opened.empty();
  for (Claimed& one : claims.conditional) {
    const auto known = conditions_.find(one.task.id);
    if (known != conditions_.end() && known->second == one.task.version) continue;
    if (held_.has(one.task.id)) continue;  // answered since the store was asked
    found_something = true;
    // A job that ended meanwhile was forgotten; the next look reads it again.
    if (jobs_.has(one.task.job)) evaluate_condition(std::move(one));
  }
  if (found_something) {
    claimer_.want();
    feed_.notify();
  }
  start_claimed(std::move(claims.opened));
}

/// `has_run`: the code of these has run here, and the store has forgotten its result.
void Loop::start_claimed(std::vector<Claimed> claimed, bool has_run) {
  std::vector<Claimed> unknown;
  for (Claimed& one : claimed) {
    if (held_.find({one.task.id, one.task.version}) != nullptr) continue;
    if (jobs_.is_unknown(one.task.job)) {
      unknown.push_back(std::move(one));
      continue;
    }
    const std::shared_ptr<const JobPlan> plan = jobs_.find(one.task.job)->plan;
    auto hold = std::make_shared<ItemHold>(std::move(one.item_key), std::move(one.category),
                                           std::move(one.data), plan->workflow.stage_count());
    const bool is_ours = shelf_.serves(*plan, one.task.stage());
    if (has_run || !is_ours) {
      give_back(std::move(one.task), plan, std::move(hold),
                has_run ? "the store has forgotten the result of this attempt"
                        : "this worker cannot run this stage");
    } else {
      start_attempt(std::move(one.task), plan, std::move(hold));
    }
  }
  if (unknown.empty()) return;
  std::set<JobId> jobs;
  for (const Claimed& one : unknown) jobs.insert(one.task.job);
  const auto count = static_cast<std::int64_t>(unknown.size());
  board_.add_arriving(count);
  ask_store([jobs](Store& store) { return read_jobs(store.records(), jobs); },
            [this, unknown = std::move(unknown), count, has_run](const SeenJobs& read) mutable {
              for (const auto& [job, workflow] : read) see(job, workflow);
              board_.add_arriving(-count);
              // What could not be read is read back later: the store keeps it for us.
              const auto unread = std::erase_if(
                  unknown, [&](const Claimed& one) { return jobs_.is_unknown(one.task.job); });
              if (unread > 0) want_read_back(store_pause);
              start_claimed(std::move(unknown), has_run);
            });
}

/// The users' condition runs where the users' code runs; the task stays Ready meanwhile.
void Loop::evaluate_condition(Claimed claimed) {
  auto ready = std::make_shared<OpenAttempt>();
  ready->plan = jobs_.find(claimed.task.job)->plan;
  ready->code = ready->plan->code[at(claimed.task.stage())];
  ready->hold =
      std::make_shared<ItemHold>(std::move(claimed.item_key), std::move(claimed.category),
                                 std::move(claimed.data), ready->plan->workflow.stage_count());
  ready->task = std::move(claimed.task);
  conditions_[ready->task.id] = ready->task.version;
  desk_->add_piece([this, ready, ports = ports_]() -> Desk::Message {
    bool wanted = true;
    try {
      TaskContext context(ready, ports->store, no_time);
      wanted = ready->code->when(context);
    } catch (const std::exception& thrown) {
      ready->condition_error = std::string("the condition failed: ") + thrown.what();
    } catch (...) {
      ready->condition_error = "the condition threw a value that is not a std::exception";
    }
    return [this, ready, wanted] { on_condition(ready, wanted); };
  });
}

void Loop::on_condition(const std::shared_ptr<OpenAttempt>& ready, bool wanted) {
  // What was asked before the store was set back is asked again.
  const auto asked = conditions_.find(ready->task.id);
  if (asked == conditions_.end() || asked->second != ready->task.version) return claimer_.want();
  conditions_.erase(asked);
  // A second answer to the same question must not take the place of the attempt that followed.
  if (stopping_ || held_.has(ready->task.id)) return;
  if (wanted && board_.is_draining()) return;  // it stays Ready, for others
  const JobSeen* const seen = jobs_.find(ready->task.job);
  // It has ended; where it is revived it is read again.
  if (seen == nullptr) return claimer_.want();
  // Nothing of a cancelled job is skipped or released any more.
  if (seen->cancelled) return;
  Step step = skip_by_choice(ready->task);
  if (wanted) {
    step = {.was = StateKind::ready, .expected = ready->task.version, .next = ready->task};
    step.open_for = worker();
    step.open_max = 1;
  }
  // A cancel that comes before the commit refuses it.
  step.generation = seen->generation;
  held_.hold(ready).closing = true;
  commits_.add(std::move(step));
}

}  // namespace pawl::runtime
