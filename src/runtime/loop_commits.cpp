/// Group commit: while one batch is with the store, the next one fills. An idle engine commits a
/// lone step at once; one whose threads have opened work waiting for them lets a few steps gather.

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "pawl/store/each_row.hpp"
#include "pawl/store/results.hpp"
#include "runtime/loop.hpp"
#include "runtime/task_context.hpp"

namespace pawl::runtime {

namespace {

/// For so many steps, reading the answer takes longer than waking a thread.
constexpr std::size_t long_answer = 32;
constexpr Duration read_back_again_after = std::chrono::seconds(1);

/// What a worker holds, each with what its code needs of its item.
OpenAttempts read_open(Records& records, WorkerId worker) {
  OpenAttempts open;
  const TaskFilter ours{.worker = worker, .limit = 1'000};
  const Status read = each_row(records, ours, [&](const Task& task) -> Status {
    Claimed one{.task = task, .item_key = {}, .category = {}, .data = {}};
    if (task.item) {
      const Result<Item> item = records.item(task.item);
      if (!item) return std::unexpected(item.error());
      one.item_key = item->key;
      one.category = item->category;
      one.data = item->data;
    }
    open.attempts.push_back(std::move(one));
    return {};
  });
  open.is_complete = read.has_value();
  return open;
}

ReadAgain read_again(Records& records, const Task& task) {
  ReadAgain read{.job = records.job(task.job), .item = std::nullopt};
  if (!task.item) return read;
  if (Result<Item> item = records.item(task.item)) read.item = std::move(*item);
  return read;
}

/// Which steps of a batch were applied, by its rows: one whose row is as it was before was not.
Result<Committed> read_outcome(Records& records, const Batch& batch) {
  Committed as_written;
  for (const Step& step : batch.steps) {
    const Result<Task> row = records.task(step.next.id);
    if (!row && row.error().code != ErrorCode::not_found) return std::unexpected(row.error());
    const bool is_as_before = row && row->version == step.expected;
    as_written.steps.push_back(
        {.outcome = is_as_before && step.closed ? StepOutcome::stale : StepOutcome::applied});
  }
  return as_written;
}

/// The refusal may quote what was refused, and a database may take less than UTF-8.
std::string plain_ascii(std::string_view text) {
  constexpr std::size_t length_max = 500;
  std::string plain(text.substr(0, length_max));
  std::ranges::replace_if(plain, [](char c) { return c < ' ' || c > '~'; }, '?');
  return plain;
}

}  // namespace

void Loop::flush() {
  if (commits_.is_out()) return;
  if (std::shared_ptr<Batch> part = commits_.take_part()) return send(std::move(part));
  if (commits_.pending() == 0) return;
  // While every thread has opened work waiting for it, none would begin anything sooner because of
  // the answer.
  const bool may_wait = options_.threads > 0 && !stopping_ && !board_.is_draining() &&
                        desk_->waiting_pieces() >= options_.threads;
  if (commits_.waits_for_company(may_wait, clock_.now())) return;
  std::shared_ptr<Batch> batch = commits_.take_pending();
  batch->refill = refill_for(batch->steps);
  send(std::move(batch));
}

void Loop::send(std::shared_ptr<Batch> batch) {
  commits_.sent(*batch, worker());
  ask_store(
      [this, batch](Store& store) {
        const auto began = std::chrono::steady_clock::now();
        auto answer = store.commit(batch->sent_by, batch->number, batch->steps, batch->refill);
        if (answer) board_.add_commit(as_duration(std::chrono::steady_clock::now() - began));
        return answer;
      },
      [this, batch](Result<Committed> answer) { on_committed(batch, std::move(answer)); });
}

void Loop::on_committed(const std::shared_ptr<Batch>& batch, Result<Committed> answer) {
  commits_.answered();
  const bool refilled = !batch->refill.shares.empty();
  if (!answer) {
    end_refill(*batch);
    if (answer.error().code == ErrorCode::unavailable) {
      on_store_trouble(batch, answer.error());
    } else if (answer.error().code == ErrorCode::corrupt) {
      for (const Step& step : batch->steps) (void)held_.take_for(step);
      on_damage(answer.error());
    } else if (refilled) {
      // Perhaps it was what was to be claimed that was refused.
      commits_.repeat(batch);
      flush();
    } else {
      on_refused(batch, answer.error());
    }
    return;
  }
  if (!board_.set_store_up(true)) {
    log(LogLevel::info, "the store answers again");
    set_trouble({});
    claimer_.want();
  }
  commits_.acknowledged(*batch, worker());
  if (refilled) claimer_.end();
  if (refilled && answer->is_short) claimer_.end_backlog();
  flush();
  // The store need not wait until a long answer has been read.
  if (commits_.is_out() && batch->steps.size() >= long_answer) desk_->offer();
  for (std::size_t i = 0; i < batch->steps.size(); ++i) {
    Step& step = batch->steps[i];
    StepAnswer& one = answer->steps[i];
    switch (one.outcome) {
      case StepOutcome::applied:
        on_applied(step, one);
        break;
      case StepOutcome::stale:
        on_stale(step);
        break;
      case StepOutcome::fenced:
        log(LogLevel::warning,
            "a result came too late and was dropped: task " + std::to_string(step.next.id.value()));
        (void)held_.take_for(step);
        claimer_.want();
        break;
    }
  }
  if (refilled) {
    take_claims(std::move(answer->claims));
    if (!claimer_.is_out()) board_.end_claim();
    if (answer->is_short) claimer_.want();
  }
  for (const JobMark& mark : answer->jobs) {
    if (mark.state != JobState::running) has_news_ = true;
    const JobSeen* const seen = jobs_.find(mark.job);
    if (seen == nullptr) continue;
    if (seen->generation != mark.generation) refresh_jobs();
    const bool goes_on = mark.state == JobState::running || mark.state == JobState::paused;
    if (!goes_on) forget_if_unused(mark.job);
  }
  if (held_.is_empty()) {
    feed_.notify_at_once();
  } else {
    feed_.notify();
  }
  commits_.recycle(*batch);
}

/// The step holds. What it released and opened goes on at once; what it scheduled is a timer.
void Loop::on_applied(Step& step, StepAnswer& answer) {
  const Held held = held_.take_for(step);
  if (step.closed) acknowledged_.add(step.next.id, step.expected, step.closed->number);
  if (held.attempt && step.closed) log_decision(*held.attempt, step);
  if (held.attempt && step.closed && !step.next.child) {
    const StateKind kind = step.next.kind();
    const bool is_inline = !is_payload_reference(step.closed->output);
    if ((kind == StateKind::succeeded && is_inline) || kind == StateKind::skipped) {
      auto kept = std::allocate_shared<KeptOutput>(Recycled<KeptOutput>());
      kept->json = std::move(step.closed->output);
      if (held.finished) kept->typed = std::move(held.finished->typed);
      kept->state = kind;
      held.attempt->hold->keep(step.next.stage(), std::move(kept));
    }
  }
  if (const auto* scheduled = std::get_if<RetryScheduled>(&step.next.state)) {
    sweep_.plan_by(scheduled->next_run_at);
  }
  if (!held.attempt) return;
  for (Task& task : answer.opened) {
    std::string condition_error =
        step.was == StateKind::ready ? held.attempt->condition_error : std::string{};
    std::optional<std::vector<Attempt>> history;
    if (task.id == step.next.id && step.closed && held.attempt->history) {
      history = held.attempt->history;  // a copy: an abandoned piece may still read it
      history->push_back(*step.closed);
    }
    start_attempt(std::move(task), held.attempt->plan, held.attempt->hold,
                  std::move(condition_error), std::move(history));
  }
  // A conditional task that found no slot is looked at again when one is free, not before. Where a
  // rate stood in the way, the next claim learns until when.
  const bool has_rate = held.attempt->plan->workflow.plan(step.next.stage()).limits.rate.is_set();
  const bool found_no_slot =
      step.was == StateKind::ready && step.next.kind() == StateKind::ready && !has_rate;
  if ((answer.opened.empty() || answer.made_ready) && !found_no_slot) claimer_.want();
}

/// The job changed under the decision: read it, and the item, and decide again.
void Loop::on_stale(const Step& step) {
  Held* mine = held_.find_for(step);
  if (mine == nullptr || !step.closed) {
    (void)held_.take_for(step);
    claimer_.want();
    return;
  }
  Held& held = *mine;
  held.finished = std::make_unique<Finished>();
  Attempt& draft = held.finished->draft;
  draft = *step.closed;
  draft.decision = {};
  draft.decider.clear();
  // Feedback that the core made up belongs to the decision; a gate's belongs to the attempt.
  if (draft.verdict != Verdict::rejected) draft.feedback.reset();
  held.finished->children = step.children;
  const OpenName name = held.name();
  ask_store([task = held.attempt->task](Store& store) { return read_again(store.records(), task); },
            [this, name, generation = step.generation](const ReadAgain& read) {
              on_read_again(name, generation, read);
            });
}

void Loop::on_read_again(const OpenName& name, Generation generation, const ReadAgain& read) {
  if (read.job && read.job->generation < generation) {
    on_setback("job " + std::to_string(read.job->id.value()) +
               " is as it was before acts that had been acknowledged");
  }
  if (read.job) refresh(*read.job);
  Held* const held = held_.find(name);
  if (held == nullptr) return;
  held->item_cancelled = read.item ? read.item->cancelled : std::nullopt;
  held->closing = false;
  const bool is_whole = read.job && (read.item || !held->attempt->task.item);
  if (is_whole && !held->item_cancelled && !read.job->cancelled) held->forget_cancel();
  close_attempt(*held);
}

/// The store says no for good. One bad step must not hold up the others: halves, until it stands
/// alone; then something is sent in its place that the store can record.
void Loop::on_refused(const std::shared_ptr<Batch>& batch, const Error& error) {
  if (batch->steps.size() == 1) return substitute(batch->steps.front(), error);
  commits_.halve(*batch);
  flush();
}

/// No result is dropped: an attempt whose result is refused is closed as failed, with an error that
/// names the refusal. Where even that is refused, nothing can be recorded, and the engine stops.
void Loop::substitute(const Step& step, const Error& error) {
  Held* held = held_.find_for(step);
  if (held == nullptr) return;  // it was taken from us meanwhile
  const std::string refusal = plain_ascii(error.message);
  const bool is_skip = step.next.kind() == StateKind::skipped && !step.closed;
  if (held->was_refused || (!step.closed && !is_skip)) {
    (void)held_.take_for(step);
    return stop_because({error.code, refusal, error.help}, "the store refuses to record a step");
  }
  held->was_refused = true;
  log(LogLevel::error, "the store refused what '" + held->attempt->stage().name + "' for '" +
                           held->attempt->hold->key() + "' brought: " + refusal);
  if (is_skip) {
    // An attempt can carry the error that a skip cannot.
    held->attempt->condition_error = "the store refused to record the skip: " + refusal;
    Step open{.was = StateKind::ready, .expected = step.expected, .next = held->attempt->task};
    open.open_for = worker();
    open.open_max = 1;
    open.generation = step.generation;
    commits_.add(std::move(open));
    return;
  }
  held->finished = std::make_unique<Finished>();
  Attempt& draft = held->finished->draft;
  draft.result = AttemptResult::failure;
  draft.started_at = step.closed->started_at;
  draft.ended_at = step.closed->ended_at;
  draft.usage = step.closed->usage;
  draft.error = StageError{.error_class = ErrorClass::retryable,
                           .kind = ErrorKind::protocol,
                           .code = "refused_by_store",
                           .message = "the store refused the result: " + refusal};
  draft.summary = "Error: " + draft.error->message;
  held->closing = false;
  close_attempt(*held);
}

/// Whatever is written to a damaged store may make it worse, and nothing of it can be relied on.
void Loop::on_damage(const Error& error) { stop_because(error, "the store is damaged"); }

void Loop::stop_because(const Error& error, const std::string& what) {
  if (!board_.set_fault(error)) return;
  set_trouble(what + ": " + error.text());
  stop_now();
}

void Loop::on_trouble(const Error& error) {
  if (board_.set_store_up(false)) set_trouble("the store does not answer: " + error.text());
}

/// Disk full, locked out, unreachable: nothing is acknowledged, nothing more is opened, what runs
/// goes on, and the batch is tried again until the store answers.
void Loop::on_store_trouble(const std::shared_ptr<Batch>& batch, const Error& error) {
  on_trouble(error);
  commits_.hold(batch, clock_.now());
}

/// The outcome of the batch may be unknown: its number, written with it, tells.
void Loop::look_up_batch() {
  const std::shared_ptr<Batch> batch = commits_.take_held();
  ask_store([worker = worker()](Store& store) { return store.records().worker(worker); },
            [this, batch](const Result<WorkerRecord>& self) { on_looked_up(batch, self); });
}

void Loop::on_looked_up(const std::shared_ptr<Batch>& batch, const Result<WorkerRecord>& self) {
  const bool is_unknown = !self && self.error().code != ErrorCode::not_found;
  if (is_unknown) return on_store_trouble(batch, self.error());
  if (self && self->last_batch < commits_.newest_acknowledged()) {
    commits_.set_newest_acknowledged(self->last_batch);
    on_setback("the newest batch of this worker on record is " + std::to_string(self->last_batch));
  }
  const bool was_written = self && self->last_batch == batch->number;
  if (was_written) {
    reconcile(batch);
  } else {
    send(batch);
  }
}

/// The batch was written and its answer lost. A step that was not applied was stale: the job had
/// changed under its decision.
void Loop::reconcile(const std::shared_ptr<Batch>& batch) {
  ask_store([batch](Store& store) { return read_outcome(store.records(), *batch); },
            [this, batch](Result<Committed> as_written) {
              if (!as_written) return on_store_trouble(batch, as_written.error());
              log(LogLevel::warning, "a batch was written although the store had reported trouble");
              on_committed(batch, std::move(as_written));
              want_read_back();
            });
}

void Loop::want_read_back(Duration pause) { read_back_.plan(clock_.now() + pause); }

/// What the store holds open for us and we do not know of is started. Nobody else would: while we
/// renew our lease, it is ours.
void Loop::read_back() {
  if (!read_back_.begin()) return;
  ask_store([worker = worker()](Store& store) { return read_open(store.records(), worker); },
            [this](OpenAttempts open) { on_read_back(std::move(open)); });
}

void Loop::on_read_back(OpenAttempts open) {
  read_back_.end();
  if (!open.is_complete) want_read_back(read_back_again_after);
  adopt_unknown(std::move(open.attempts));
}

}  // namespace pawl::runtime
