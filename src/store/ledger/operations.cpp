/// Carries out what operators do to jobs, items and dead letters.

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "store/ledger/act_details.hpp"
#include "store/ledger/subject.hpp"
#include "store/ledger/trust.hpp"
#include "store/ledger/verbs.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

namespace {

std::string named(JobId job) { return "job " + std::to_string(job.value()); }

/// Whether the limit that ended the job stopped an attempt of the item, so that a revival of the
/// job would run the item again.
bool is_stopped_by_limit(const ItemProgress& progress, const Job& job) {
  return is_ended_by_limit(job) && progress.cancelled == job.cancelled;
}

std::unexpected<Error> moved_on(TaskId task) {
  return fail(ErrorCode::conflict,
              "task " + std::to_string(task.value()) + " has moved on: somebody was faster");
}

/// The act with the name of who does it, where it has a place for it.
Act signed_by(Act act, const std::string& name) {
  if (name.empty()) return act;
  const auto sign = [&]<class One>(One& one) {
    if constexpr (requires { one.by; }) one.by = name;
    if constexpr (requires { one.answer.reviewer; }) one.answer.reviewer = name;
  };
  std::visit(sign, act);
  return act;
}

}  // namespace

Result<Job> Operations::act(const Act& given, const Actor& actor) {
  Acting by{.actor = actor, .standing = {}};
  const bool is_local = actor.method == ActorMethod::local;
  if (is_local && by.actor.name.empty()) by.actor.name = doer_of(given);
  name_ = by.actor.name;
  const Act act = signed_by(given, by.actor.name);
  if (doer_of(given) != doer_of(act) && !doer_of(given).empty()) {
    return fail(ErrorCode::invalid, "'" + by.actor.name + "' acts in the name of '" +
                                        std::string(doer_of(given)) + "'");
  }
  PeopleRows& people = rows_.people();
  by.standing = standing_of(by.actor, people.person(by.actor.name), !people.is_empty());
  if (const Status may = check_permission(by.actor, by.standing, right_for(act)); !may) {
    return std::unexpected(may.error());
  }
  if (const Status may = check_trust(rows_, act); !may) return std::unexpected(may.error());
  const Subject subject = subject_of(act);
  AuditEntry entry{.actor = by.actor,
                   .act = std::string(name_of(act)),
                   .job = job_of(rows_, subject),
                   .target = text_of(subject),
                   .details = details_of(rows_, act),
                   .reason = reason_of(act),
                   .before = state_digest(rows_, subject)};
  Result<Job> done = carry_out(act, by);
  if (!done) return done;
  entry.after = state_digest(rows_, subject);
  books_.audit().note(std::move(entry));
  return done;
}

Result<Job> Operations::carry_out(const Act& act, const Acting& by) {
  const auto carry_out_one = [&](const auto& one) -> Result<Job> {
    if constexpr (requires(ReviewAnswers answers) { answers.carry_out(one, by); }) {
      return ReviewAnswers(books_, admission_, flow_).carry_out(one, by);
    } else if constexpr (requires(ReviewClaims claims) { claims.carry_out(one, by); }) {
      return ReviewClaims(books_, admission_, flow_).carry_out(one, by);
    } else {
      return carry_out(one);
    }
  };
  return std::visit(carry_out_one, act);
}

Result<Job> Operations::carry_out(const PauseStage& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (const Status may = check_stage(*touched, act.stage); !may) {
    return std::unexpected(may.error());
  }
  if (job.is_paused(act.stage)) return job;
  job.paused_stages.push_back(act.stage);
  std::ranges::sort(job.paused_stages);
  log_stage_event(*touched, EventType::stage_paused, act.stage);
  return job;
}

Result<Job> Operations::carry_out(const ResumeStage& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (const Status may = check_stage(*touched, act.stage); !may) {
    return std::unexpected(may.error());
  }
  if (std::erase(job.paused_stages, act.stage) == 0) return job;
  // The time in which the stage could not run is not a lack of progress.
  job.last_progress_at = now_;
  log_stage_event(*touched, EventType::stage_resumed, act.stage);
  return job;
}

/// Whether the job has not ended and its workflow has this stage.
Status Operations::check_stage(const TouchedJob& touched, StageIndex stage) const {
  const Job& job = *touched.job;
  if (at(stage) >= touched.workflow->stage_count()) {
    return fail(ErrorCode::invalid, "workflow '" + job.workflow_name + "' has no stage number " +
                                        std::to_string(at(stage)));
  }
  if (job.has_ended() || job.cancelled) {
    return fail(ErrorCode::refused, named(job.id) + " has already ended");
  }
  return {};
}

void Operations::log_stage_event(TouchedJob& touched, EventType type, StageIndex stage) {
  books_.mark_changed(*touched.job);
  touched.events.push_back(Event{.type = type,
                                 .code = static_cast<std::int32_t>(stage),
                                 .text = touched.workflow->stage(stage).name,
                                 .by = name_});
}

Result<Job> Operations::carry_out(const SkipTask& act) {
  std::optional<Task> task = rows_.task(act.task);
  if (!task) return no_such(act.task);
  if (act.expected != 0 && act.expected != task->version) return moved_on(act.task);
  if (act.reason.empty()) return fail(ErrorCode::invalid, "a stage is skipped for a reason");
  TouchedJob& touched = books_.touch_owner(task->job);
  const StageDefinition& stage = touched.workflow->stage(task->stage());
  if (task->kind() == StateKind::failed) {
    const Status done = reruns().rerun(touched, *task, {.by = act.by});
    if (!done) return std::unexpected(done.error());
    task = rows_.task(act.task);
    require(task.has_value(), "a rerun keeps its task");
  } else if (touched.job->cancelled) {
    return fail(ErrorCode::refused, named(touched.job->id) + " has been stopped");
  }
  Result<Step> step = skip_by_hand(stage, *task, act.reason, act.by);
  if (!step) return std::unexpected(step.error());
  flow_.supersede_review(task->id);
  const StepAnswer applied = flow_.apply(*step);
  require(applied.outcome == StepOutcome::applied, "a row changed inside its own transaction");
  return *touched.job;
}

Result<Job> Operations::carry_out(const CancelJob& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (const auto arriving = arrival_of(job)) return abandon(*touched, *arriving, act.cause);
  if (job.has_ended()) return fail(ErrorCode::refused, named(act.job) + " has already ended");
  if (!job.cancelled) {
    job.cancelled = act.cause;
    books_.mark_changed(job);
    touched->events.push_back(
        Event{.type = EventType::job_cancelled, .code = static_cast<std::int32_t>(act.cause)});
  }
  return job;
}

Result<Job> Operations::carry_out(const PauseJob& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (job.has_ended() || job.cancelled) {
    return fail(ErrorCode::refused, named(act.job) + " has already ended");
  }
  if (job.paused == PauseCause::none) {
    job.paused = PauseCause::requested;
    books_.mark_changed(job);
    touched->events.push_back(Event{.type = EventType::job_paused,
                                    .code = static_cast<std::int32_t>(PauseCause::requested)});
  }
  return job;
}

Result<Job> Operations::carry_out(const ResumeJob& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (job.cancelled) return std::unexpected(reruns().check_job(*touched).error());
  if (job.paused == PauseCause::none) return job;
  if (job.has_ended()) return fail(ErrorCode::refused, named(act.job) + " has already ended");
  if (const Status may = reruns().check_job(*touched); !may) return std::unexpected(may.error());
  job.paused = PauseCause::none;
  job.last_progress_at = now_;
  job.decisions_since_progress = 0;
  books_.mark_changed(job);
  touched->events.push_back(Event{.type = EventType::job_resumed});
  return job;
}

Result<Job> Operations::carry_out(const SetBudget& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  job.budget = act.budget;
  job.deadline_at = act.budget.deadline ? job.submitted_at + *act.budget.deadline : no_time;
  books_.mark_changed(job);
  const bool a_budget_paused_it =
      job.paused != PauseCause::none && job.paused != PauseCause::requested && !job.has_ended();
  if (a_budget_paused_it && reruns().check_job(*touched)) return carry_out(ResumeJob{act.job});
  return job;
}

Result<Job> Operations::carry_out(const ReopenSubmission& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (job.has_ended() || job.cancelled) {
    return fail(ErrorCode::refused, named(act.job) + " has already ended");
  }
  job.submission_open = true;
  rows_.set_submission_pass(job.id, rows_.submission_pass(job.id) + 1);
  return job;
}

Result<Job> Operations::carry_out(const CancelItem& act) {
  const std::optional<ItemProgress> progress = rows_.progress(act.item);
  if (!progress) return no_such(act.item);
  TouchedJob* touched = books_.touch(progress->job);
  const bool is_stopped = is_stopped_by_limit(*progress, *touched->job);
  if (progress->state != ItemState::active && !is_stopped) {
    return fail(ErrorCode::refused,
                "item " + std::to_string(act.item.value()) + " has already settled");
  }
  if (!progress->cancelled || is_stopped) {
    flow_.end_item(*touched, act.item, CancelCause::requested);
  }
  return *touched->job;
}

Result<Job> Operations::carry_out(const Rerun& act) {
  const std::optional<Task> task = rows_.task(act.task);
  if (!task) return no_such(act.task);
  if (act.expected != 0 && act.expected != task->version) {
    return moved_on(act.task);
  }
  TouchedJob* touched = books_.touch(task->job);
  std::optional<Feedback> feedback;
  if (!act.note.empty()) feedback = Feedback{.summary = act.note, .criteria = {}, .guidance = {}};
  const Status done = reruns().rerun(
      *touched, *task, {.cause = act.cause, .feedback = std::move(feedback), .by = act.by});
  if (!done) return std::unexpected(done.error());
  return *touched->job;
}

Result<Job> Operations::carry_out(const DiscardDeadLetter& act) {
  const std::optional<Task> task = rows_.task(act.task);
  if (!task) return no_such(act.task);
  TouchedJob* touched = books_.touch(task->job);
  const auto* failed = std::get_if<Failed>(&task->state);
  if (failed == nullptr || failed->discarded) {
    return fail(ErrorCode::conflict,
                "task " + std::to_string(act.task.value()) + " is not an open dead letter");
  }
  if (act.reason.empty())
    return fail(ErrorCode::invalid, "a dead letter is discarded for a reason");
  Task next = *task;
  std::get<Failed>(next.state).discarded = true;
  books_.rewrite(next, *task);
  --touched->job->dead_letters;
  touched->events.push_back(
      Event{.type = EventType::dead_letter_discarded,
            .item = next.item,
            .task = next.id,
            .text = act.by.empty() ? act.reason : act.by + ": " + act.reason});
  return *touched->job;
}

Result<Job> Operations::carry_out(const PurgeItem& act) {
  const std::optional<ItemProgress> progress = rows_.progress(act.item);
  const std::string name = "item " + std::to_string(act.item.value());
  if (!progress) return fail(ErrorCode::not_found, "no " + name);
  TouchedJob* touched = books_.touch(progress->job);
  Job& job = *touched->job;
  if (!job.has_ended()) {
    return fail(ErrorCode::refused,
                name + " belongs to " + named(job.id) + ", which has not ended");
  }
  std::vector<Task> rows = rows_.tasks_of(act.item);
  for (std::size_t i = 0, own = rows.size(); i < own; ++i) {
    for (std::uint32_t expansion = 1; expansion <= rows[i].expansion; ++expansion) {
      const std::vector<Task> children = rows_.children_of(rows[i].id, expansion);
      rows.insert(rows.end(), children.begin(), children.end());
    }
  }
  for (const Task& task : rows) {
    const auto* failed = std::get_if<Failed>(&task.state);
    if (failed != nullptr && !failed->discarded) {
      return fail(ErrorCode::refused, name + " has a dead letter that nobody has dealt with",
                  "retry or discard it first");
    }
  }
  for (const Task& task : rows) {
    admission_.leave(*touched, task, task.kind(), true);
    job.attempts_opened -= task.attempts;
    for (const Attempt& attempt : rows_.attempts(task.id)) {
      job.used.cost_microusd -= attempt.usage.cost_microusd;
      job.used.tokens -= attempt.usage.tokens;
    }
  }
  --job.items.total;
  job.items.count(progress->state, -1);
  if (progress->adopted) job.items.count_adopted(progress->state, -1);
  rows_.delete_item(act.item);
  touched->events.push_back(Event{.type = EventType::item_purged, .item = act.item});
  return job;
}

}  // namespace pawl::store
