#include "pawl/codec/names.hpp"

namespace pawl {

// One switch per enum, so the compiler notices a value without a name.
// clang-format off: a table reads best with one value per line.

std::string_view name_of(StateKind value) {
  switch (value) {
    case StateKind::waiting: return "waiting";
    case StateKind::ready: return "ready";
    case StateKind::running: return "running";
    case StateKind::retry_scheduled: return "retry_scheduled";
    case StateKind::awaiting_review: return "awaiting_review";
    case StateKind::expanded: return "expanded";
    case StateKind::succeeded: return "succeeded";
    case StateKind::skipped: return "skipped";
    case StateKind::failed: return "failed";
    case StateKind::cancelled: return "cancelled";
  }
  return {};
}

std::string_view name_of(ReviewReason value) {
  switch (value) {
    case ReviewReason::policy: return "policy";
    case ReviewReason::uncertain: return "uncertain";
    case ReviewReason::blocked: return "blocked";
    case ReviewReason::requested: return "requested";
    case ReviewReason::exhausted: return "exhausted";
  }
  return {};
}

std::string_view name_of(SkipReason value) {
  switch (value) {
    case SkipReason::by_choice: return "by_choice";
    case SkipReason::upstream_failed: return "upstream_failed";
  }
  return {};
}

std::string_view name_of(FailCause value) {
  switch (value) {
    case FailCause::final_error: return "final_error";
    case FailCause::exhausted: return "exhausted";
    case FailCause::rejected_by_review: return "rejected_by_review";
    case FailCause::tolerance: return "tolerance";
    case FailCause::marked_dead: return "marked_dead";
    case FailCause::rate_limit: return "rate_limit";
    case FailCause::interruptions: return "interruptions";
  }
  return {};
}

std::string_view name_of(CancelCause value) {
  switch (value) {
    case CancelCause::requested: return "requested";
    case CancelCause::deadline: return "deadline";
    case CancelCause::budget: return "budget";
    case CancelCause::tolerance: return "tolerance";
    case CancelCause::stop_job: return "stop_job";
    case CancelCause::superseded: return "superseded";
    case CancelCause::rejected: return "rejected";
  }
  return {};
}

std::string_view name_of(AttemptResult value) {
  switch (value) {
    case AttemptResult::success: return "success";
    case AttemptResult::failure: return "failure";
    case AttemptResult::timed_out: return "timed_out";
    case AttemptResult::blocked: return "blocked";
    case AttemptResult::skipped: return "skipped";
    case AttemptResult::needs_review: return "needs_review";
    case AttemptResult::expanded: return "expanded";
    case AttemptResult::cancelled: return "cancelled";
    case AttemptResult::interrupted: return "interrupted";
  }
  return {};
}

std::string_view name_of(Cause value) {
  switch (value) {
    case Cause::first: return "first";
    case Cause::error_retry: return "error_retry";
    case Cause::gate_feedback: return "gate_feedback";
    case Cause::rate_limited: return "rate_limited";
    case Cause::interrupted: return "interrupted";
    case Cause::review_changes: return "review_changes";
    case Cause::manual: return "manual";
    case Cause::join: return "join";
  }
  return {};
}

std::string_view name_of(Verdict value) {
  switch (value) {
    case Verdict::accepted: return "accepted";
    case Verdict::rejected: return "rejected";
    case Verdict::uncertain: return "uncertain";
  }
  return {};
}

std::string_view name_of(ErrorClass value) {
  switch (value) {
    case ErrorClass::final: return "final";
    case ErrorClass::retryable: return "retryable";
    case ErrorClass::rate_limited: return "rate_limited";
    case ErrorClass::blocked: return "blocked";
  }
  return {};
}

std::string_view name_of(ErrorKind value) {
  switch (value) {
    case ErrorKind::exit: return "exit";
    case ErrorKind::signal: return "signal";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::protocol: return "protocol";
    case ErrorKind::http: return "http";
    case ErrorKind::exception: return "exception";
    case ErrorKind::gate: return "gate";
    case ErrorKind::reported: return "reported";
  }
  return {};
}

std::string_view name_of(ArtifactKind value) {
  switch (value) {
    case ArtifactKind::standard_output: return "stdout";
    case ArtifactKind::standard_error: return "stderr";
    case ArtifactKind::file: return "file";
    case ArtifactKind::url: return "url";
    case ArtifactKind::json: return "json";
  }
  return {};
}

std::string_view name_of(DecisionKind value) {
  switch (value) {
    case DecisionKind::complete: return "complete";
    case DecisionKind::retry: return "retry";
    case DecisionKind::review: return "review";
    case DecisionKind::fail: return "fail";
    case DecisionKind::skip: return "skip";
    case DecisionKind::expand: return "expand";
    case DecisionKind::cancel: return "cancel";
  }
  return {};
}

std::string_view name_of(Rule value) {
  switch (value) {
    case Rule::succeeded_without_gate: return "succeeded_without_gate";
    case Rule::accepted_by_gate: return "accepted_by_gate";
    case Rule::review_always: return "review_always";
    case Rule::gate_uncertain: return "gate_uncertain";
    case Rule::uncertain_taken_as_accepted: return "uncertain_taken_as_accepted";
    case Rule::stage_asked_for_review: return "stage_asked_for_review";
    case Rule::stage_blocked: return "stage_blocked";
    case Rule::stage_skipped: return "stage_skipped";
    case Rule::stage_expanded: return "stage_expanded";
    case Rule::retry_after_failure: return "retry_after_failure";
    case Rule::refine_after_rejection: return "refine_after_rejection";
    case Rule::rate_limit_hint: return "rate_limit_hint";
    case Rule::interrupted_again: return "interrupted_again";
    case Rule::handed_back: return "handed_back";
    case Rule::final_error: return "final_error";
    case Rule::exhausted_fails: return "exhausted_fails";
    case Rule::exhausted_escalates: return "exhausted_escalates";
    case Rule::rate_limit_waits_exhausted: return "rate_limit_waits_exhausted";
    case Rule::interruptions_exhausted: return "interruptions_exhausted";
    case Rule::cancelled: return "cancelled";
    case Rule::children_ended: return "children_ended";
    case Rule::children_failed: return "children_failed";
    case Rule::custom_decider: return "custom_decider";
    case Rule::approved: return "approved";
    case Rule::approved_with_edits: return "approved_with_edits";
    case Rule::changes_requested: return "changes_requested";
    case Rule::rejected_by_person: return "rejected_by_person";
    case Rule::rerun_requested: return "rerun_requested";
    case Rule::superseded: return "superseded";
    case Rule::imported: return "imported";
    case Rule::discarded: return "discarded";
    case Rule::retry_hint: return "retry_hint";
  }
  return {};
}

std::string_view name_of(EventType value) {
  switch (value) {
    case EventType::job_submitted: return "job.submitted";
    case EventType::job_paused: return "job.paused";
    case EventType::job_resumed: return "job.resumed";
    case EventType::job_finished: return "job.finished";
    case EventType::item_settled: return "item.settled";
    case EventType::item_dead_lettered: return "item.dead_lettered";
    case EventType::attempt_started: return "attempt.started";
    case EventType::attempt_finished: return "attempt.finished";
    case EventType::gate_accepted: return "gate.accepted";
    case EventType::gate_rejected: return "gate.rejected";
    case EventType::gate_uncertain: return "gate.uncertain";
    case EventType::retry_scheduled: return "retry.scheduled";
    case EventType::retry_started: return "retry.started";
    case EventType::escalated: return "escalated";
    case EventType::review_requested: return "review.requested";
    case EventType::review_decided: return "review.decided";
    case EventType::task_succeeded: return "task.succeeded";
    case EventType::task_skipped: return "task.skipped";
    case EventType::task_failed: return "task.failed";
    case EventType::task_expanded: return "task.expanded";
    case EventType::task_cancelled: return "task.cancelled";
    case EventType::budget_reached: return "budget.reached";
    case EventType::job_cancelled: return "job.cancelled";
    case EventType::dead_letter_discarded: return "dead_letter.discarded";
    case EventType::item_purged: return "item.purged";
    case EventType::job_imported: return "job.imported";
    case EventType::job_trusted: return "job.trusted";
    case EventType::review_answered: return "review.answered";
    case EventType::review_withdrawn: return "review.withdrawn";
    case EventType::review_assigned: return "review.assigned";
    case EventType::review_overdue: return "review.overdue";
    case EventType::budget_near: return "budget.near";
    case EventType::stage_paused: return "stage.paused";
    case EventType::stage_resumed: return "stage.resumed";
  }
  return {};
}

std::string_view name_of(JobState value) {
  switch (value) {
    case JobState::running: return "running";
    case JobState::paused: return "paused";
    case JobState::completed: return "completed";
    case JobState::failed: return "failed";
    case JobState::cancelled: return "cancelled";
  }
  return {};
}

std::string_view name_of(PauseCause value) {
  switch (value) {
    case PauseCause::none: return "none";
    case PauseCause::requested: return "requested";
    case PauseCause::budget: return "budget";
    case PauseCause::deadline: return "deadline";
    case PauseCause::no_progress: return "no_progress";
  }
  return {};
}

std::string_view name_of(Trust value) {
  switch (value) {
    case Trust::own: return "own";
    case Trust::untrusted: return "untrusted";
    case Trust::accepted: return "accepted";
    case Trust::abandoned: return "abandoned";
  }
  return {};
}

std::string_view name_of(BudgetKind value) {
  switch (value) {
    case BudgetKind::none: return "none";
    case BudgetKind::total_attempts: return "total_attempts";
    case BudgetKind::deadline: return "deadline";
    case BudgetKind::no_progress: return "no_progress";
    case BudgetKind::cost: return "cost";
    case BudgetKind::tokens: return "tokens";
  }
  return {};
}

std::string_view name_of(ItemState value) {
  switch (value) {
    case ItemState::active: return "active";
    case ItemState::succeeded: return "succeeded";
    case ItemState::failed: return "failed";
    case ItemState::cancelled: return "cancelled";
    case ItemState::rejected: return "rejected";
  }
  return {};
}

std::string_view name_of(ReviewStatus value) {
  switch (value) {
    case ReviewStatus::open: return "open";
    case ReviewStatus::answered: return "answered";
    case ReviewStatus::closed: return "closed";
    case ReviewStatus::superseded: return "superseded";
  }
  return {};
}

std::string_view name_of(ReviewOutcome value) {
  switch (value) {
    case ReviewOutcome::approve: return "approve";
    case ReviewOutcome::approve_with_edits: return "approve_with_edits";
    case ReviewOutcome::request_changes: return "request_changes";
    case ReviewOutcome::reject: return "reject";
  }
  return {};
}

std::string_view name_of(ReviewPolicy value) {
  switch (value) {
    case ReviewPolicy::never: return "never";
    case ReviewPolicy::always: return "always";
    case ReviewPolicy::on_escalation: return "on_escalation";
    case ReviewPolicy::on_uncertain: return "on_uncertain";
    case ReviewPolicy::on_escalation_or_uncertain: return "on_escalation_or_uncertain";
  }
  return {};
}

std::string_view name_of(OnExhausted value) {
  switch (value) {
    case OnExhausted::fail: return "fail";
    case OnExhausted::escalate: return "escalate";
  }
  return {};
}

std::string_view name_of(OnRejected value) {
  switch (value) {
    case OnRejected::fail: return "fail";
    case OnRejected::end_item: return "end_item";
  }
  return {};
}

std::string_view name_of(OnFailure value) {
  switch (value) {
    case OnFailure::dead_letter: return "dead_letter";
    case OnFailure::proceed: return "continue";
    case OnFailure::stop_job: return "stop_job";
  }
  return {};
}

std::string_view name_of(OnUncertain value) {
  switch (value) {
    case OnUncertain::review: return "review";
    case OnUncertain::accept: return "accept";
    case OnUncertain::reject: return "reject";
  }
  return {};
}

std::string_view name_of(OnBudgetEnd value) {
  switch (value) {
    case OnBudgetEnd::pause: return "pause";
    case OnBudgetEnd::fail: return "fail";
  }
  return {};
}

std::string_view name_of(Scope value) {
  switch (value) {
    case Scope::item: return "item";
    case Scope::all: return "all";
  }
  return {};
}

std::string_view name_of(GateMode value) {
  switch (value) {
    case GateMode::all: return "all";
    case GateMode::any: return "any";
  }
  return {};
}

std::string_view name_of(OnOverdue value) {
  switch (value) {
    case OnOverdue::remind: return "remind";
    case OnOverdue::escalate: return "escalate";
    case OnOverdue::reject: return "reject";
  }
  return {};
}

std::string_view name_of(AnswerFate value) {
  switch (value) {
    case AnswerFate::counts: return "counts";
    case AnswerFate::withdrawn: return "withdrawn";
    case AnswerFate::voided: return "void";
  }
  return {};
}

std::string_view name_of(ReviewNotice value) {
  switch (value) {
    case ReviewNotice::due_soon: return "due_soon";
    case ReviewNotice::overdue: return "overdue";
    case ReviewNotice::escalated: return "escalated";
    case ReviewNotice::rejected: return "rejected";
  }
  return {};
}

std::string_view name_of(ActorKind value) {
  switch (value) {
    case ActorKind::person: return "person";
    case ActorKind::worker: return "worker";
    case ActorKind::agent: return "agent";
    case ActorKind::engine: return "engine";
  }
  return {};
}

std::string_view name_of(ActorMethod value) {
  switch (value) {
    case ActorMethod::local: return "local";
    case ActorMethod::claimed: return "claimed";
    case ActorMethod::token: return "token";
    case ActorMethod::session: return "session";
    case ActorMethod::proxy: return "proxy";
  }
  return {};
}

std::string_view name_of(Role value) {
  switch (value) {
    case Role::viewer: return "viewer";
    case Role::reviewer: return "reviewer";
    case Role::operate: return "operator";
    case Role::admin: return "admin";
  }
  return {};
}

std::string_view name_of(Right value) {
  switch (value) {
    case Right::see: return "see";
    case Right::decide: return "decide";
    case Right::submit: return "submit";
    case Right::operate: return "operate";
    case Right::assign: return "assign";
    case Right::destroy: return "destroy";
    case Right::trust: return "trust";
    case Right::manage_people: return "manage_people";
    case Right::see_audit: return "see_audit";
    case Right::work: return "work";
  }
  return {};
}

std::string_view name_of(ErrorCode value) {
  switch (value) {
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::invalid: return "invalid";
    case ErrorCode::refused: return "refused";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::corrupt: return "corrupt";
    case ErrorCode::forbidden: return "forbidden";
  }
  return {};
}

// clang-format on

}  // namespace pawl
