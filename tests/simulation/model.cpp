/// The operations of a store in the model.

#include "simulation/model.hpp"

#include <algorithm>

#include "pawl/codec/names.hpp"

namespace pawl::simulation {

namespace {

bool is_gone(const ModelWorker& worker, Timestamp now) {
  return worker.retired || worker.lease_until <= now;
}

Status status_of(const Result<Job>& done) {
  return done ? Status() : std::unexpected(done.error());
}

/// The act with the name of its actor, where it has a place for one.
Act signed_by(Act act, const std::string& name) {
  const auto sign = [&]<class One>(One& one) {
    if constexpr (requires { one.by; }) one.by = name;
    if constexpr (requires { one.answer.reviewer; }) one.answer.reviewer = name;
  };
  std::visit(sign, act);
  return act;
}

}  // namespace

ModelJob& Model::touch(JobId id) {
  touched_[id] = true;
  return jobs_.at(id);
}

void Model::enlisted(WorkerId worker, const WorkerHello& hello, Timestamp now) {
  now_ = now;
  workers_[worker] = {.lease = hello.lease, .lease_until = now + hello.lease};
}

void Model::renewed(WorkerId id, const Status& done, Timestamp now) {
  now_ = now;
  const auto worker = workers_.find(id);
  const bool is_there = worker != workers_.end() && !worker->second.retired;
  if (is_there) worker->second.lease_until = now + worker->second.lease;
  if (is_there != done.has_value()) {
    differ("worker " + std::to_string(id.value()) + ": its lease was " +
           (is_there ? "not renewed, though it is there" : "renewed, though it is gone"));
  }
}

void Model::retired(WorkerId id, const Status& done) {
  if (done && workers_.contains(id)) workers_[id].retired = true;
}

bool Model::created(const NewJob& fresh, const Result<Job>& done, Timestamp now) {
  now_ = now;
  const Refusal refusal =
      may(fresh.by, Role::operate, true) ? Refusal{} : Refusal{ErrorCode::forbidden};
  judge("the submission of '" + fresh.key + "'", refusal, status_of(done));
  if (refusal || !done) return false;
  const Job& job = *done;
  for (const auto& [id, known] : jobs_) {
    if (fresh.key.empty() || known.key != fresh.key) continue;
    if (known.workflow.name() != fresh.workflow.name()) continue;
    if (id != job.id)
      differ("key '" + fresh.key + "' made a second job " + std::to_string(job.id.value()));
    return false;
  }
  if (jobs_.contains(job.id)) differ("job " + std::to_string(job.id.value()) + " was made twice");
  jobs_.insert_or_assign(
      job.id,
      ModelJob{.id = job.id,
               .workflow = fresh.workflow,
               .key = fresh.key,
               .budget = fresh.budget,
               .tolerance = fresh.tolerate_failures,
               .parallel = fresh.parallel,
               .submitted_at = now,
               .deadline_at = fresh.budget.deadline ? now + *fresh.budget.deadline : no_time,
               .submitted_by = fresh.by.name,
               .job_wide = job.reduce_ordinal,
               .last_progress_at = now,
               .seen = {}});
  touch(job.id);
  expect_audit({.at = now_,
                .actor = fresh.by,
                .act = "job.submit",
                .job = job.id,
                .target = "job " + std::to_string(job.id.value())});
  return true;
}

void Model::added(const AddItems& chunk, JobId id, const Result<Added>& done, Timestamp now) {
  now_ = now;
  const auto known = jobs_.find(id);
  const auto worker = workers_.find(chunk.open_for);
  std::optional<ErrorCode> refusal;
  if (chunk.open_for && (worker == workers_.end() || worker->second.retired)) {
    refusal = ErrorCode::not_found;
  } else if (known == jobs_.end()) {
    refusal = ErrorCode::not_found;
  } else if (!known->second.submission_open || known->second.cancelled) {
    refusal = ErrorCode::refused;
  } else if (std::ranges::any_of(chunk.items, [](const NewItem& one) { return one.key.empty(); })) {
    refusal = ErrorCode::invalid;
  }
  if (refusal.has_value() == done.has_value()) {
    differ("job " + std::to_string(id.value()) + ": items were " +
           (done ? "added, though they had to be refused" : "refused: " + done.error().text()));
  }
  if (refusal || !done) return;

  ModelJob& job = touch(id);
  std::vector<std::string> keys;
  for (const NewItem& item : chunk.items) {
    std::string key = item.key;
    for (int copy = 2; job.seen.contains(key) && job.seen[key] == job.pass; ++copy) {
      key = item.key + "#" + std::to_string(copy);
    }
    if (!job.seen.contains(key)) keys.push_back(key);
    job.seen[key] = job.pass;
  }
  for (const std::string& key : keys) {
    const Result<Item> row = rows_.item(id, key);
    if (!row) {
      differ(named(job) + ": item '" + key + "' was not added");
      continue;
    }
    items_[row->id] = {.id = row->id, .job = id, .key = key, .cancelled = {}};
    for (std::size_t i = 0; i < job.workflow.stage_count(); ++i) {
      const auto stage = static_cast<StageIndex>(i);
      const StageDefinition& one = job.workflow.stage(stage);
      if (one.scope == Scope::item && one.needs.empty()) {
        make(job, row->id, task_id(row->id, stage), Ready{});
      }
    }
  }
  if (static_cast<std::int64_t>(keys.size()) != done->added) {
    differ(named(job) + ": items added: model " + std::to_string(keys.size()) + ", store " +
           std::to_string(done->added));
  }
  if (chunk.close) job.submission_open = false;
  for (const Claimed& one : done->opened) check_and_open(one.task, chunk.open_for, false);
  if (chunk.open_for && done->opened.size() < chunk.open_max) learn_exhaustion(job);
  finish(job);
}

void Model::claims(std::span<const LaneShare> shares, std::uint32_t max, WorkerId worker,
                   const Claims& done) {
  std::size_t taken = 0;
  for (const LaneShare& share : shares) {
    if (taken >= max) break;
    if (!jobs_.contains(share.job)) continue;
    ModelJob& job = touch(share.job);
    ask_budget(job);
    std::size_t of_share = 0;
    for (const Claimed& one : done.opened) {
      if (one.task.job != share.job) continue;
      const StageDefinition& stage = job.workflow.stage(one.task.stage());
      const ModelTask* task = find(one.task.id);
      if (task != nullptr && stage.conditional && !task->parent && task->cause != Cause::join) {
        differ(named(*task) + ": opened before anybody looked at its condition");
      }
      check_and_open(one.task, worker, false);
      ++of_share;
    }
    for (const Claimed& one : done.conditional) {
      if (one.task.job != share.job) continue;
      ++of_share;
      const ModelTask* task = find(one.task.id);
      const bool is_paused = job.paused_stages.contains(one.task.stage());
      if (task == nullptr || kind_of(task->state) != StateKind::ready || !is_going(job) ||
          is_paused) {
        differ(named(job) + ": the condition of task " + std::to_string(one.task.id.value()) +
               " was asked for, though it cannot be opened");
      }
    }
    if (of_share > share.max) {
      differ(named(job) + ": " + std::to_string(of_share) + " tasks were claimed, at most " +
             std::to_string(share.max) + " were asked for");
    }
    if (of_share < share.max) learn_exhaustion(job);
    taken += of_share;
  }
  if (taken != done.opened.size() + done.conditional.size() || taken > max) {
    differ("a claim of worker " + std::to_string(worker.value()) + " for at most " +
           std::to_string(max) + " tasks brought " +
           std::to_string(done.opened.size() + done.conditional.size()) + ", of the jobs asked " +
           std::to_string(taken));
  }
}

void Model::claimed(const ClaimRequest& request, const Result<Claims>& done, Timestamp now) {
  now_ = now;
  const auto worker = workers_.find(request.worker);
  const bool is_there = worker != workers_.end() && !worker->second.retired;
  if (is_there != done.has_value()) {
    differ("worker " + std::to_string(request.worker.value()) + " is " +
           (is_there ? "there, and its claim was refused" : "gone, and its claim was answered"));
  }
  if (!done) return;
  claims(request.shares, request.max, request.worker, *done);
  for (const auto& [id, yes] : touched_) finish(jobs_.at(id));
}

StepOutcome Model::apply(const Step& step, const StepAnswer& answer) {
  const auto known = jobs_.find(step.next.job);
  if (known == jobs_.end()) return StepOutcome::fenced;
  ModelJob& job = touch(step.next.job);
  if (step.generation != 0 && step.generation != job.generation) return StepOutcome::stale;
  // The decision was made without knowing that the item was cancelled.
  if (step.generation != 0 && step.closed && !step.closed->cancelled_by && step.next.item &&
      items_.contains(step.next.item) && items_.at(step.next.item).cancelled) {
    return StepOutcome::stale;
  }
  ModelTask* task = find(step.next.id);
  const bool fits = task != nullptr && !task->moved && task->version == step.expected;
  const bool looked_at = step.was == StateKind::ready && step.next.kind() == StateKind::ready;
  if (!fits) {
    // "Continue if you can": a task that is not opened was not requested either.
    return looked_at && answer.opened.empty() ? answer.outcome : StepOutcome::fenced;
  }
  made_ready_.clear();
  if (looked_at) made_ready_.push_back(task->id);
  if (step.closed) {
    const Attempt& closed = *step.closed;
    close(*task,
          {.result = closed.result,
           .error = closed.error,
           .verdict = closed.verdict,
           .children = step.children,
           .usage = closed.usage,
           .has_output = !closed.output.is_null() || closed.result == AttemptResult::success,
           .graceful = closed.graceful,
           .ran = closed.ran,
           .at = closed.ended_at},
          cancel_over(*task));
    const bool is_decision = closed.result != AttemptResult::interrupted;
    if (is_decision && !has_ended(task->state)) ++job.decisions_since_progress;
    if (kind_of(task->state) == StateKind::expanded && step.children.empty()) {
      const StageDefinition& stage = stage_of(*task);
      const bool is_joined =
          stage.joins || !stage.gates.empty() || stage.review == ReviewPolicy::always;
      if (is_joined) task->cause = Cause::join;
      put(*task, is_joined ? TaskState{Ready{}} : TaskState{Succeeded{task->attempts, {}}});
    }
  } else if (!looked_at) {
    put(*task, Skipped{SkipReason::by_choice});
  }
  if (has_ended(task->state)) ended(*task);

  // Tasks of its own item that the step made Ready may be opened at once.
  const auto worker = workers_.find(step.open_for);
  const bool is_there = worker != workers_.end() && !worker->second.retired;
  std::size_t opened = 0;
  const std::vector<TaskId> candidates = made_ready_;
  for (const TaskId id : candidates) {
    if (ordinal_of(id) != ordinal_of(step.next.id) || opened >= step.open_max || !is_there)
      continue;
    const bool own = id == task->id;
    if (!own && stage_of(*find(id)).conditional) continue;
    const bool was_opened =
        std::ranges::any_of(answer.opened, [&](const Task& one) { return one.id == id; });
    ask_budget(job);
    if (!was_opened) continue;
    const auto one = std::ranges::find(answer.opened, id, &Task::id);
    check_and_open(*one, step.open_for, own && !looked_at);
    ++opened;
  }
  if (opened != answer.opened.size()) {
    differ(named(*task) + ": its step opened " + std::to_string(answer.opened.size()) +
           " tasks, of which " + std::to_string(opened) + " could be");
  }
  return StepOutcome::applied;
}

void Model::committed(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                      const Refill& refill, const Committed& done, Timestamp now) {
  now_ = now;
  const auto word = [](StepOutcome outcome) -> std::string {
    return outcome == StepOutcome::applied  ? "applied"
           : outcome == StepOutcome::fenced ? "fenced"
                                            : "stale";
  };
  if (done.steps.size() != steps.size()) {
    differ("a batch of " + std::to_string(steps.size()) + " steps has " +
           std::to_string(done.steps.size()) + " answers");
    return;
  }
  std::uint32_t free = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepAnswer& answer = done.steps[i];
    const StepOutcome due = apply(steps[i], answer);
    if (due != answer.outcome) {
      const TaskId id = steps[i].next.id;
      const ModelTask* task = find(id);
      differ((task ? named(*task) : "task " + std::to_string(id.value())) + ": step " +
             std::to_string(i + 1) + " of batch " + std::to_string(batch) + ": model " + word(due) +
             ", store " + word(answer.outcome));
    }
    const bool gave_a_slot = steps[i].was == StateKind::running && answer.opened.empty();
    if (gave_a_slot && due == StepOutcome::applied) ++free;
  }
  const auto known = workers_.find(worker);
  const bool is_there = known != workers_.end() && !known->second.retired;
  const Result<WorkerRecord> row = rows_.worker(worker);
  if (row && row->last_batch != batch) {
    differ("worker " + std::to_string(worker.value()) + ": last batch: model " +
           std::to_string(batch) + ", store " + std::to_string(row->last_batch));
  }
  for (const auto& [id, yes] : touched_) finish(jobs_.at(id));
  if (free > 0 && is_there && !refill.shares.empty()) {
    claims(refill.shares, free, worker, done.claims);
    for (const auto& [id, yes] : touched_) finish(jobs_.at(id));
  } else if (!done.claims.opened.empty()) {
    differ("batch " + std::to_string(batch) + " of worker " + std::to_string(worker.value()) +
           " freed no slot and claimed " + std::to_string(done.claims.opened.size()) + " tasks");
  }
}

void Model::swept(const SweepRequest& request, const Swept& done, Timestamp now) {
  now_ = now;
  const auto count = [&](const char* what, std::int64_t model, std::int64_t store) {
    if (model == store) return;
    for (const auto& [id, job] : jobs_) touched_[id] = true;
    differ(std::string("sweep: ") + what + ": model " + std::to_string(model) + ", store " +
           std::to_string(store));
  };
  // A sweep with a limit chooses; what it did not reach is unchanged.
  const auto was_done = [&](const ModelTask& task) {
    if (!done.more) return true;
    const Result<Task> row = rows_.task(task.id);
    return row && row->version != task.version;
  };

  std::int64_t interrupted = 0;
  for (auto& [id, worker] : workers_) {
    if (id == request.self || !is_gone(worker, now)) continue;
    std::vector<ModelTask*> held;
    for (auto& [task_id, task] : tasks_) {
      const auto* running = std::get_if<Running>(&task.state);
      if (running != nullptr && running->worker == id && was_done(task)) held.push_back(&task);
    }
    for (ModelTask* task : held) {
      ++interrupted;
      if (task->moved) continue;  // it just ended with its parent
      close(*task,
            {.result = AttemptResult::interrupted,
             .error = {},
             .verdict = {},
             .children = {},
             .at = now},
            cancel_over(*task));
      if (has_ended(task->state)) ended(*task);
    }
    const Result<WorkerRecord> row = rows_.worker(id);
    worker.retired = worker.retired || !done.more || !row || row->retired;
  }
  // With a limit, some may have ended with their parent in addition to those that were counted.
  count("interrupted", done.more ? std::min(interrupted, done.interrupted) : interrupted,
        done.interrupted);

  std::int64_t woken = 0;
  for (auto& [id, task] : tasks_) {
    const auto* scheduled = std::get_if<RetryScheduled>(&task.state);
    if (scheduled == nullptr || scheduled->next_run_at > now || !was_done(task)) continue;
    touch(task.job);
    put(task, Ready{});
    ++woken;
  }
  count("woken", woken, done.woken);

  const std::int64_t answered = answers_due(done);
  count("answered", answered, done.answered);
  count("noticed", notices_due(done), done.noticed);

  std::int64_t ended_jobs = 0;
  for (auto& [id, job] : jobs_) {
    if (job.deadline_at == no_time || job.deadline_at > now) continue;
    if (!is_going(job)) continue;
    exhaust(touch(id), BudgetKind::deadline);
    ++ended_jobs;
  }
  count("ended", ended_jobs, done.ended_jobs);
  for (const auto& [id, yes] : touched_) finish(jobs_.at(id));
}

void Model::judge(const std::string& what, const Refusal& expected, const Status& done,
                  const std::string& where) {
  const auto word = [](const Refusal& code) {
    return code ? std::string(name_of(*code)) : std::string("done");
  };
  const Refusal said = done ? Refusal{} : Refusal{done.error().code};
  if (expected == said) return;
  differ(what + ": model " + word(expected) + ", store " + word(said) +
         (done ? where : ": " + done.error().text()));
}

void Model::acted(const Act& given, const Actor& actor, const Result<Job>& done, Timestamp now) {
  now_ = now;
  // Which fields may be edited is not modelled: edits of a stage that names some may be invalid.
  if (const auto* one = std::get_if<AnswerReview>(&given);
      one != nullptr && one->answer.edits && !done && done.error().code == ErrorCode::invalid) {
    const ModelReview* review = find(one->review);
    if (review != nullptr && !stage_of(*find(review->task)).editable.empty()) return;
  }
  actor_ = actor;
  if (actor_.name.empty()) actor_.name = doer_of(given);
  const Act act = signed_by(given, actor_.name);
  Refusal refusal = may_act(given, actor_);
  if (!refusal) {
    const ModelAudit entry = audit_of(act);
    refusal = std::visit([&](const auto& one) { return carry_out(one); }, act);
    if (!refusal) expect_audit(entry);
  }
  const std::string job = done ? " in job " + std::to_string(done->id.value()) : std::string();
  judge("act " + std::to_string(given.index()), refusal, status_of(done), job);
  for (const auto& [id, yes] : touched_) {
    if (jobs_.contains(id)) finish(jobs_.at(id));
  }
}

}  // namespace pawl::simulation
