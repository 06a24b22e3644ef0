/// Takes in jobs and items.

#include <string>
#include <utility>

#include "pawl/core/needs.hpp"
#include "store/ledger/trust.hpp"
#include "store/ledger/verbs.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

Result<Job> Submission::create_job(const NewJob& fresh) {
  if (const Status may = check_right(fresh.by, Right::submit); !may)
    return std::unexpected(may.error());
  if (!fresh.key.empty()) {
    if (const Job* known = rows_.job_with_key(fresh.workflow.name(), fresh.key)) return *known;
  }
  return make_job(fresh);
}

Job Submission::make_job(const NewJob& fresh) {
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
          .submitted_by = fresh.by.name,
          .last_progress_at = now_};
  if (fresh.budget.deadline) job.deadline_at = now_ + *fresh.budget.deadline;
  if (!fresh.workflow.all_scope_stages().empty()) job.reduce_ordinal = rows_.take_ordinals(1);
  job.stages.resize(fresh.workflow.stage_count());
  job.children.resize(fresh.workflow.stage_count());
  const JobId id = rows_.insert_job(job)->id;
  TouchedJob* at = books_.touch(id);
  at->events.push_back(Event{.type = EventType::job_submitted, .text = job.workflow_name});
  rows_.set_submission_pass(id, 1);
  books_.audit().note({.actor = fresh.by,
                       .act = "job.submit",
                       .job = id,
                       .target = "job " + std::to_string(id.value()),
                       .details = "workflow '" + job.workflow_name + "'",
                       .after = job.workflow_hash});
  return *at->job;
}

Result<Added> Submission::add_items(const AddItems& chunk) {
  TouchedJob* touched = books_.touch(chunk.job);
  if (touched == nullptr) return no_such(chunk.job);
  Job& job = *touched->job;
  if (const Status may = check_trust(rows_, job.id); !may) return std::unexpected(may.error());
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

  Intake intake{
      .touched = *touched, .chunk = chunk, .pass = rows_.submission_pass(job.id), .added = {}};
  for (const NewItem& item : chunk.items) {
    std::string key = item.key;
    std::optional<std::uint32_t> seen = rows_.seen_in_pass(job.id, key);
    // Equal keys of one pass are different items; the same key in a later pass is the same item.
    for (int copy = 2; seen && *seen == intake.pass; ++copy) {
      key = item.key + "#" + std::to_string(copy);
      seen = rows_.seen_in_pass(job.id, key);
    }
    if (seen) {
      rows_.mark_seen(job.id, key, intake.pass);
      ++intake.added.present;
      continue;
    }
    add_item(intake, item, std::move(key));
  }
  if (chunk.close) job.submission_open = false;
  return std::move(intake.added);
}

Result<Submitted> Submission::submit(const NewJob& fresh, const AddItems& chunk) {
  if (const Status may = check_right(fresh.by, Right::submit); !may)
    return std::unexpected(may.error());
  if (!fresh.key.empty()) {
    if (const Job* known = rows_.job_with_key(fresh.workflow.name(), fresh.key)) {
      return Submitted{.job = *known, .items = {}, .was_known = true};
    }
  }
  for (const NewItem& item : chunk.items) {
    if (item.key.empty()) return fail(ErrorCode::invalid, "an item has an empty key");
  }
  // The key is looked up once: a second lookup could find a job that another process has made in
  // between.
  const JobId job = make_job(fresh).id;
  AddItems of_this_job = chunk;
  of_this_job.job = job;
  Result<Added> added = add_items(of_this_job);
  if (!added) return std::unexpected(added.error());
  return Submitted{.job = *books_.touch(job)->job, .items = std::move(*added)};
}

void Submission::add_item(Intake& intake, const NewItem& item, std::string key) {
  TouchedJob& touched = intake.touched;
  const AddItems& chunk = intake.chunk;
  Added& added = intake.added;
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
  const std::optional<FinishedItem> original =
      chunk.adopt && !item.data_sha256.empty()
          ? rows_.finished_before(job, row.key, item.data_sha256)
          : std::nullopt;
  // An adopted item, or one that no stage works on, has settled as it comes in.
  if (original || workflow.item_stage_count() == 0) {
    row.state = original ? original->state : ItemState::succeeded;
    if (row.state == ItemState::rejected) row.cancelled = CancelCause::rejected;
    row.sinks_left = 0;
    if (original) row.adopted_from = original->id;
    rows_.insert_item(row, intake.pass);
    job.items.count(row.state);
    if (original) {
      job.items.count_adopted(row.state);
      ++added.adopted;
    }
    const Event settled{.type = EventType::item_settled,
                        .item = row.id,
                        .code = static_cast<std::int32_t>(row.state)};
    books_.log(job.id, std::span(&settled, 1));
    return;
  }
  rows_.insert_item(row, intake.pass);
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
                       !definition.conditional && admission_.may_open(touched, stage);
    if (opens) task = open(definition, std::move(task), chunk.open_for, now_, events);
    books_.insert(task);
    admission_.enter(touched, task);
    if (opens) {
      books_.log(job.id, events);
      added.opened.push_back(
          {.task = task, .item_key = row.key, .category = row.category, .data = row.data});
    }
  }
  // Last: an item whose only task has ended would have settled.
  if (imported) add_task_with_history(touched, std::move(*imported), *item.history);
}

/// An imported task: its attempts are records, its next number follows from them.
void Submission::add_task_with_history(TouchedJob& touched, Task task, const ItemHistory& history) {
  Flow flow = Flow::none;
  const StageDefinition& stage = touched.workflow->stage(task.stage());
  task.attempts = static_cast<AttemptNumber>(history.attempts.size());
  if (history.succeeded) {
    task.state = Succeeded{.attempt = task.attempts};
    flow = Flow::satisfied;
  } else if (history.dead) {
    task.state = Failed{.cause = FailCause::exhausted};
    flow = satisfies(stage, task.state) ? Flow::satisfied : Flow::broken;
  } else if (task.attempts > 0) {
    task.cause = Cause::manual;
  }
  books_.insert(task);
  admission_.enter(touched, task);
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
  flow_.record_end(touched, task, flow, std::move(events));
}

}  // namespace pawl::store
