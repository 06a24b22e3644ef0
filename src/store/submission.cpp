/// Jobs and items come in.

#include <string>
#include <utility>

#include "store/ledger.hpp"
#include "store/no_such.hpp"

namespace pawl {

Result<Job> Ledger::create_job(const NewJob& fresh) {
  if (!fresh.key.empty()) {
    if (const Job* known = rows_.job_with_key(fresh.workflow.name(), fresh.key)) return *known;
  }
  return make_job(fresh);
}

Job Ledger::make_job(const NewJob& fresh) {
  rows_.keep_workflow(fresh.workflow);
  Job job{.workflow_name = fresh.workflow.name(),
          .workflow_hash = fresh.workflow.hash(),
          .key = fresh.key,
          .params = fresh.params,
          .labels = fresh.labels,
          .budget = fresh.budget,
          .tolerate_failures = fresh.tolerate_failures,
          .parallel = fresh.parallel,
          .priority = fresh.priority,
          .submitted_at = now_,
          .last_progress_at = now_};
  if (fresh.budget.deadline) job.deadline_at = now_ + *fresh.budget.deadline;
  if (!fresh.workflow.all_scope_stages().empty()) job.reduce_ordinal = rows_.take_ordinals(1);
  job.stages.resize(fresh.workflow.stage_count());
  job.children.resize(fresh.workflow.stage_count());
  const JobId id = rows_.insert_job(job)->id;
  Touched* at = touch(id);
  at->events.push_back(Event{.type = EventType::job_submitted, .text = job.workflow_name});
  rows_.set_submission_pass(id, 1);
  return *at->job;
}

Result<Added> Ledger::add_items(const AddItems& chunk) {
  Touched* touched = touch(chunk.job);
  if (touched == nullptr) return no_such(chunk.job);
  Job& job = *touched->job;
  if (const Status may = refuse_arriving(job.id); !may) return std::unexpected(may.error());
  if (const Status may = refuse_untrusted(job.id); !may) return std::unexpected(may.error());
  if (!job.submission_open) {
    return fail(ErrorCode::refused,
                "the submission of job " + std::to_string(job.id.value()) + " is closed",
                "reopen it to read its source again");
  }
  if (job.cancelled) {
    return fail(ErrorCode::refused, "job " + std::to_string(job.id.value()) + " was cancelled");
  }
  for (const NewItem& item : chunk.items) {
    if (item.key.empty()) return fail(ErrorCode::invalid, "an item has an empty key");
  }

  Added added;
  const std::uint32_t pass = rows_.submission_pass(job.id);
  for (const NewItem& item : chunk.items) {
    std::string key = item.key;
    std::optional<std::uint32_t> seen = rows_.seen_in_pass(job.id, key);
    // Equal keys of one pass are different items; the same key in a later pass is the same item.
    for (int copy = 2; seen && *seen == pass; ++copy) {
      key = item.key + "#" + std::to_string(copy);
      seen = rows_.seen_in_pass(job.id, key);
    }
    if (seen) {
      rows_.mark_seen(job.id, key, pass);
      ++added.present;
      continue;
    }
    add_item(*touched, item, std::move(key), pass, chunk, added);
  }
  if (chunk.close) job.submission_open = false;
  return added;
}

Result<Submitted> Ledger::submit(const NewJob& fresh, const AddItems& chunk) {
  if (!fresh.key.empty()) {
    if (const Job* known = rows_.job_with_key(fresh.workflow.name(), fresh.key)) {
      return Submitted{.job = *known, .items = {}, .was_known = true};
    }
  }
  for (const NewItem& item : chunk.items) {
    if (item.key.empty()) return fail(ErrorCode::invalid, "an item has an empty key");
  }
  // Asked for its key once: a second look could find what another process has made in between.
  const JobId job = make_job(fresh).id;
  AddItems of_this_job = chunk;
  of_this_job.job = job;
  Result<Added> added = add_items(of_this_job);
  if (!added) return std::unexpected(added.error());
  return Submitted{.job = *touch(job)->job, .items = std::move(*added)};
}

void Ledger::add_item(Touched& touched, const NewItem& item, std::string key, std::uint32_t pass,
                      const AddItems& chunk, Added& added) {
  Job& job = *touched.job;
  const Workflow& workflow = *touched.workflow;
  Item row{.id = ItemId{rows_.take_ordinals(1)},
           .job = job.id,
           .key = std::move(key),
           .category = item.category,
           .data = item.data,
           .data_sha256 = item.data_sha256,
           .submitted_at = now_,
           .sinks_left = workflow.sink_count()};
  ++job.items.total;
  ++added.added;
  const ItemId original = chunk.adopt && !item.data_sha256.empty()
                              ? rows_.finished_before(job, row.key, item.data_sha256)
                              : ItemId{};
  // An adopted item, or one that no stage works on, has settled as it comes in.
  if (original || workflow.item_stage_count() == 0) {
    row.state = ItemState::succeeded;
    row.sinks_left = 0;
    row.adopted_from = original;
    rows_.insert_item(row, pass);
    ++job.items.succeeded;
    if (original) {
      ++job.items.adopted;
      ++added.adopted;
    }
    const Event settled{.type = EventType::item_settled,
                        .item = row.id,
                        .code = static_cast<std::int32_t>(row.state)};
    log(job.id, std::span(&settled, 1));
    return;
  }
  rows_.insert_item(row, pass);
  const LaneId base = rows_.lane_base(job.id, row.category, workflow.stage_count());
  std::optional<Task> imported;
  for (const StageIndex stage : workflow.first_stages()) {
    Task task{.id = task_id(row.id, stage),
              .job = job.id,
              .item = row.id,
              .lane = LaneId{base.value() + static_cast<std::int64_t>(stage)},
              .state = Ready{}};
    if (item.history && !imported) {
      imported = std::move(task);
      continue;
    }
    const StageDefinition& definition = workflow.stage(stage);
    std::vector<Event> events;
    const bool opens = chunk.open_for && added.opened.size() < chunk.open_max &&
                       !definition.conditional && may_open_now(touched, stage);
    if (opens) task = open(definition, std::move(task), chunk.open_for, now_, events);
    insert(task);
    enter(touched, task);
    if (opens) {
      log(job.id, events);
      added.opened.push_back(
          {.task = task, .item_key = row.key, .category = row.category, .data = row.data});
    }
  }
  // Last: an item whose only task has ended would have settled.
  if (imported) add_task_with_history(touched, std::move(*imported), *item.history);
}

/// An imported task: its attempts are records, its next number follows from them.
void Ledger::add_task_with_history(Touched& touched, Task task, const ItemHistory& history) {
  Flow flow = Flow::none;
  const OnFailure on_failure = touched.workflow->stage(task.stage()).on_failure;
  task.attempts = static_cast<AttemptNumber>(history.attempts.size());
  if (history.succeeded) {
    task.state = Succeeded{.attempt = task.attempts};
    flow = Flow::satisfied;
  } else if (history.dead) {
    task.state = Failed{.cause = FailCause::exhausted};
    flow = on_failure == OnFailure::proceed ? Flow::satisfied : Flow::broken;
  } else if (task.attempts > 0) {
    task.cause = Cause::manual;
  }
  insert(task);
  enter(touched, task);
  for (Attempt attempt : history.attempts) {
    attempt.task = task.id;
    rows_.insert_attempt(attempt);
    ++touched.job->attempts_opened;
    touched.job->used.cost_microusd += attempt.usage.cost_microusd;
    touched.job->used.tokens += attempt.usage.tokens;
  }
  if (!has_ended(task.state)) return;
  std::vector<Event> events;
  if (task.kind() == StateKind::failed) {
    events.push_back(Event{.type = EventType::item_dead_lettered,
                           .item = task.item,
                           .task = task.id,
                           .text = "imported"});
  }
  StepAnswer unused;
  ended(touched, task, flow, Step{}, events, unused);
  log(task.job, events);
}

}  // namespace pawl
