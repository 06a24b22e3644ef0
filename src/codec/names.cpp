#include "pawl/codec/names.hpp"

#include <array>
#include <cstddef>

namespace pawl {
namespace {

// The table: one switch per enum, so the compiler notices a value without a name.
// clang-format off: a table reads best with one value per line.

constexpr std::string_view word(StateKind value) {
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

constexpr std::string_view word(ReviewReason value) {
  switch (value) {
    case ReviewReason::policy: return "policy";
    case ReviewReason::uncertain: return "uncertain";
    case ReviewReason::blocked: return "blocked";
    case ReviewReason::requested: return "requested";
    case ReviewReason::exhausted: return "exhausted";
  }
  return {};
}

constexpr std::string_view word(SkipReason value) {
  switch (value) {
    case SkipReason::by_choice: return "by_choice";
    case SkipReason::upstream_failed: return "upstream_failed";
  }
  return {};
}

constexpr std::string_view word(FailCause value) {
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

constexpr std::string_view word(CancelCause value) {
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

constexpr std::string_view word(AttemptResult value) {
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

constexpr std::string_view word(Cause value) {
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

constexpr std::string_view word(Verdict value) {
  switch (value) {
    case Verdict::accepted: return "accepted";
    case Verdict::rejected: return "rejected";
    case Verdict::uncertain: return "uncertain";
  }
  return {};
}

constexpr std::string_view word(ErrorClass value) {
  switch (value) {
    case ErrorClass::final: return "final";
    case ErrorClass::retryable: return "retryable";
    case ErrorClass::rate_limited: return "rate_limited";
    case ErrorClass::blocked: return "blocked";
  }
  return {};
}

constexpr std::string_view word(ErrorKind value) {
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

constexpr std::string_view word(ArtifactKind value) {
  switch (value) {
    case ArtifactKind::standard_output: return "stdout";
    case ArtifactKind::standard_error: return "stderr";
    case ArtifactKind::file: return "file";
    case ArtifactKind::url: return "url";
    case ArtifactKind::json: return "json";
  }
  return {};
}

constexpr std::string_view word(DecisionKind value) {
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

constexpr std::string_view word(Rule value) {
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

constexpr std::string_view word(EventType value) {
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
  }
  return {};
}

constexpr std::string_view word(JobState value) {
  switch (value) {
    case JobState::running: return "running";
    case JobState::paused: return "paused";
    case JobState::completed: return "completed";
    case JobState::failed: return "failed";
    case JobState::cancelled: return "cancelled";
  }
  return {};
}

constexpr std::string_view word(PauseCause value) {
  switch (value) {
    case PauseCause::none: return "none";
    case PauseCause::requested: return "requested";
    case PauseCause::budget: return "budget";
    case PauseCause::deadline: return "deadline";
    case PauseCause::no_progress: return "no_progress";
  }
  return {};
}

constexpr std::string_view word(Trust value) {
  switch (value) {
    case Trust::own: return "own";
    case Trust::untrusted: return "untrusted";
    case Trust::accepted: return "accepted";
    case Trust::abandoned: return "abandoned";
  }
  return {};
}

constexpr std::string_view word(BudgetKind value) {
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

constexpr std::string_view word(ItemState value) {
  switch (value) {
    case ItemState::active: return "active";
    case ItemState::succeeded: return "succeeded";
    case ItemState::failed: return "failed";
    case ItemState::cancelled: return "cancelled";
    case ItemState::rejected: return "rejected";
  }
  return {};
}

constexpr std::string_view word(ReviewStatus value) {
  switch (value) {
    case ReviewStatus::open: return "open";
    case ReviewStatus::answered: return "answered";
    case ReviewStatus::closed: return "closed";
    case ReviewStatus::superseded: return "superseded";
  }
  return {};
}

constexpr std::string_view word(ReviewOutcome value) {
  switch (value) {
    case ReviewOutcome::approve: return "approve";
    case ReviewOutcome::approve_with_edits: return "approve_with_edits";
    case ReviewOutcome::request_changes: return "request_changes";
    case ReviewOutcome::reject: return "reject";
  }
  return {};
}

constexpr std::string_view word(ReviewPolicy value) {
  switch (value) {
    case ReviewPolicy::never: return "never";
    case ReviewPolicy::always: return "always";
    case ReviewPolicy::on_escalation: return "on_escalation";
    case ReviewPolicy::on_uncertain: return "on_uncertain";
    case ReviewPolicy::on_escalation_or_uncertain: return "on_escalation_or_uncertain";
  }
  return {};
}

constexpr std::string_view word(OnExhausted value) {
  switch (value) {
    case OnExhausted::fail: return "fail";
    case OnExhausted::escalate: return "escalate";
  }
  return {};
}

constexpr std::string_view word(OnRejected value) {
  switch (value) {
    case OnRejected::fail: return "fail";
    case OnRejected::end_item: return "end_item";
  }
  return {};
}

constexpr std::string_view word(OnFailure value) {
  switch (value) {
    case OnFailure::dead_letter: return "dead_letter";
    case OnFailure::proceed: return "continue";
    case OnFailure::stop_job: return "stop_job";
  }
  return {};
}

constexpr std::string_view word(OnUncertain value) {
  switch (value) {
    case OnUncertain::review: return "review";
    case OnUncertain::accept: return "accept";
    case OnUncertain::reject: return "reject";
  }
  return {};
}

constexpr std::string_view word(OnBudgetEnd value) {
  switch (value) {
    case OnBudgetEnd::pause: return "pause";
    case OnBudgetEnd::fail: return "fail";
  }
  return {};
}

constexpr std::string_view word(Scope value) {
  switch (value) {
    case Scope::item: return "item";
    case Scope::all: return "all";
  }
  return {};
}

constexpr std::string_view word(GateMode value) {
  switch (value) {
    case GateMode::all: return "all";
    case GateMode::any: return "any";
  }
  return {};
}

constexpr std::string_view word(ErrorCode value) {
  switch (value) {
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::invalid: return "invalid";
    case ErrorCode::refused: return "refused";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::corrupt: return "corrupt";
  }
  return {};
}

// clang-format on

// Numbers are small and dense, so the reverse lookup is an array.
inline constexpr std::size_t numbers_max = 40;

template <class E>
constexpr std::array<std::string_view, numbers_max> words_by_number() {
  std::array<std::string_view, numbers_max> words;
  for (std::size_t number = 0; number < numbers_max; ++number) {
    words[number] = word(static_cast<E>(number));
  }
  return words;
}

template <class E>
inline constexpr auto words_of = words_by_number<E>();

}  // namespace

template <class E>
std::optional<E> from_name(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (std::size_t number = 0; number < numbers_max; ++number) {
    if (words_of<E>[number] == name) return static_cast<E>(number);
  }
  return std::nullopt;
}

template <class E>
std::optional<E> from_number(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(numbers_max)) return std::nullopt;
  if (words_of<E>[static_cast<std::size_t>(number)].empty()) return std::nullopt;
  return static_cast<E>(number);
}

template <class E>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const std::string_view name : words_of<E>) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

std::string_view name_of(StateKind value) { return word(value); }
std::string_view name_of(ReviewReason value) { return word(value); }
std::string_view name_of(SkipReason value) { return word(value); }
std::string_view name_of(FailCause value) { return word(value); }
std::string_view name_of(CancelCause value) { return word(value); }
std::string_view name_of(AttemptResult value) { return word(value); }
std::string_view name_of(Cause value) { return word(value); }
std::string_view name_of(Verdict value) { return word(value); }
std::string_view name_of(ErrorClass value) { return word(value); }
std::string_view name_of(ErrorKind value) { return word(value); }
std::string_view name_of(ArtifactKind value) { return word(value); }
std::string_view name_of(DecisionKind value) { return word(value); }
std::string_view name_of(Rule value) { return word(value); }
std::string_view name_of(EventType value) { return word(value); }
std::string_view name_of(JobState value) { return word(value); }
std::string_view name_of(PauseCause value) { return word(value); }
std::string_view name_of(Trust value) { return word(value); }
std::string_view name_of(BudgetKind value) { return word(value); }
std::string_view name_of(ItemState value) { return word(value); }
std::string_view name_of(ReviewStatus value) { return word(value); }
std::string_view name_of(ReviewOutcome value) { return word(value); }
std::string_view name_of(ReviewPolicy value) { return word(value); }
std::string_view name_of(OnExhausted value) { return word(value); }
std::string_view name_of(OnFailure value) { return word(value); }
std::string_view name_of(OnRejected value) { return word(value); }
std::string_view name_of(OnUncertain value) { return word(value); }
std::string_view name_of(OnBudgetEnd value) { return word(value); }
std::string_view name_of(Scope value) { return word(value); }
std::string_view name_of(GateMode value) { return word(value); }
std::string_view name_of(ErrorCode value) { return word(value); }

template std::optional<StateKind> from_name(std::string_view);
template std::optional<ReviewReason> from_name(std::string_view);
template std::optional<SkipReason> from_name(std::string_view);
template std::optional<FailCause> from_name(std::string_view);
template std::optional<CancelCause> from_name(std::string_view);
template std::optional<AttemptResult> from_name(std::string_view);
template std::optional<Cause> from_name(std::string_view);
template std::optional<Verdict> from_name(std::string_view);
template std::optional<ErrorClass> from_name(std::string_view);
template std::optional<ErrorKind> from_name(std::string_view);
template std::optional<ArtifactKind> from_name(std::string_view);
template std::optional<DecisionKind> from_name(std::string_view);
template std::optional<Rule> from_name(std::string_view);
template std::optional<EventType> from_name(std::string_view);
template std::optional<JobState> from_name(std::string_view);
template std::optional<PauseCause> from_name(std::string_view);
template std::optional<Trust> from_name(std::string_view);
template std::optional<BudgetKind> from_name(std::string_view);
template std::optional<ItemState> from_name(std::string_view);
template std::optional<ReviewStatus> from_name(std::string_view);
template std::optional<ReviewOutcome> from_name(std::string_view);
template std::optional<ReviewPolicy> from_name(std::string_view);
template std::optional<OnExhausted> from_name(std::string_view);
template std::optional<OnFailure> from_name(std::string_view);
template std::optional<OnRejected> from_name(std::string_view);
template std::optional<OnUncertain> from_name(std::string_view);
template std::optional<OnBudgetEnd> from_name(std::string_view);
template std::optional<Scope> from_name(std::string_view);
template std::optional<GateMode> from_name(std::string_view);
template std::optional<ErrorCode> from_name(std::string_view);

template std::optional<StateKind> from_number(std::int64_t);
template std::optional<ReviewReason> from_number(std::int64_t);
template std::optional<SkipReason> from_number(std::int64_t);
template std::optional<FailCause> from_number(std::int64_t);
template std::optional<CancelCause> from_number(std::int64_t);
template std::optional<AttemptResult> from_number(std::int64_t);
template std::optional<Cause> from_number(std::int64_t);
template std::optional<Verdict> from_number(std::int64_t);
template std::optional<ErrorClass> from_number(std::int64_t);
template std::optional<ErrorKind> from_number(std::int64_t);
template std::optional<ArtifactKind> from_number(std::int64_t);
template std::optional<DecisionKind> from_number(std::int64_t);
template std::optional<Rule> from_number(std::int64_t);
template std::optional<EventType> from_number(std::int64_t);
template std::optional<JobState> from_number(std::int64_t);
template std::optional<PauseCause> from_number(std::int64_t);
template std::optional<Trust> from_number(std::int64_t);
template std::optional<BudgetKind> from_number(std::int64_t);
template std::optional<ItemState> from_number(std::int64_t);
template std::optional<ReviewStatus> from_number(std::int64_t);
template std::optional<ReviewOutcome> from_number(std::int64_t);
template std::optional<ReviewPolicy> from_number(std::int64_t);
template std::optional<OnExhausted> from_number(std::int64_t);
template std::optional<OnFailure> from_number(std::int64_t);
template std::optional<OnRejected> from_number(std::int64_t);
template std::optional<OnUncertain> from_number(std::int64_t);
template std::optional<OnBudgetEnd> from_number(std::int64_t);
template std::optional<Scope> from_number(std::int64_t);
template std::optional<GateMode> from_number(std::int64_t);
template std::optional<ErrorCode> from_number(std::int64_t);

template std::vector<std::string> all_names<StateKind>();
template std::vector<std::string> all_names<ReviewReason>();
template std::vector<std::string> all_names<SkipReason>();
template std::vector<std::string> all_names<FailCause>();
template std::vector<std::string> all_names<CancelCause>();
template std::vector<std::string> all_names<AttemptResult>();
template std::vector<std::string> all_names<Cause>();
template std::vector<std::string> all_names<Verdict>();
template std::vector<std::string> all_names<ErrorClass>();
template std::vector<std::string> all_names<ErrorKind>();
template std::vector<std::string> all_names<ArtifactKind>();
template std::vector<std::string> all_names<DecisionKind>();
template std::vector<std::string> all_names<Rule>();
template std::vector<std::string> all_names<EventType>();
template std::vector<std::string> all_names<JobState>();
template std::vector<std::string> all_names<PauseCause>();
template std::vector<std::string> all_names<Trust>();
template std::vector<std::string> all_names<BudgetKind>();
template std::vector<std::string> all_names<ItemState>();
template std::vector<std::string> all_names<ReviewStatus>();
template std::vector<std::string> all_names<ReviewOutcome>();
template std::vector<std::string> all_names<ReviewPolicy>();
template std::vector<std::string> all_names<OnExhausted>();
template std::vector<std::string> all_names<OnFailure>();
template std::vector<std::string> all_names<OnRejected>();
template std::vector<std::string> all_names<OnUncertain>();
template std::vector<std::string> all_names<OnBudgetEnd>();
template std::vector<std::string> all_names<Scope>();
template std::vector<std::string> all_names<GateMode>();
template std::vector<std::string> all_names<ErrorCode>();

}  // namespace pawl
