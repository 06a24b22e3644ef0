#include "views/why.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/store/each_row.hpp"
#include "views/attempts.hpp"
#include "views/votes.hpp"

namespace pawl::views {
namespace {

constexpr std::uint32_t page_size = 500;

void add_attempts(std::vector<Reason>& reasons, const TaskAttempts& task,
                  const Workflow& workflow) {
  StageDefinition stage = workflow.stage(task.task.stage());
  if (task.task.child) stage = policies_of_child(std::move(stage));
  for (const Attempt& attempt : task.attempts) {
    reasons.push_back({.at = attempt.ended_at,
                       .stage = task.stage,
                       .child = task.task.child ? task.task.child->key : std::string(),
                       .attempt = attempt.number,
                       .trigger = "attempt " + std::to_string(attempt.number) +
                                  (attempt.verdict == Verdict::uncertain ? ": " : " ") +
                                  outcome_in_words(stage, attempt),
                       .rule = attempt.decision.rule,
                       .explanation = pawl::explain(stage, attempt),
                       .decision = name_of(attempt.decision.kind)});
  }
}

struct AnswerRule {
  Rule rule;
  DecisionKind decision;
};

AnswerRule rule_of(ReviewOutcome outcome) {
  switch (outcome) {
    case ReviewOutcome::approve:
      return {Rule::approved, DecisionKind::complete};
    case ReviewOutcome::approve_with_edits:
      return {Rule::approved_with_edits, DecisionKind::complete};
    case ReviewOutcome::request_changes:
      return {Rule::changes_requested, DecisionKind::retry};
    case ReviewOutcome::reject:
      return {Rule::rejected_by_person, DecisionKind::fail};
  }
  return {};
}

/// "review 3 was answered by a person", or who gave the approvals if it needs several.
std::string answers_in_words(const Review& review, const Votes& votes) {
  const std::string name = "review " + std::to_string(review.id.value());
  if (review.answer->reviewer == overdue_name) return name + " was not decided in time";
  if (votes.approvals.size() < 2) return name + " was answered by a person";
  std::string people;
  for (const GivenAnswer& approval : votes.approvals) {
    people += (people.empty() ? "" : ", ") + approval.answer.reviewer;
  }
  return name + " has " + approvals_in_words(votes) + ": " + people;
}

Status add_answers(Records& records, std::vector<Reason>& reasons, const TaskAttempts& task,
                   const ReviewRules& rules) {
  const ReviewFilter answered{
      .task = task.task.id, .status = ReviewStatus::closed, .limit = page_size};
  return each_row(records, answered, [&](const Review& review) -> Status {
    if (!review.answer) return {};
    const Result<Votes> votes = load_votes(records, review, rules, {});
    if (!votes) return std::unexpected(votes.error());
    const Answer& answer = *review.answer;
    const auto [rule, decision] = rule_of(answer.outcome);
    const std::string note = answer.note.empty() ? "" : ": " + answer.note;
    reasons.push_back(
        {.at = review.closed_at,
         .stage = task.stage,
         .child = task.task.child ? task.task.child->key : std::string(),
         .attempt = answer.attempt.value_or(review.attempt),
         .trigger = answer.reviewer + " " + answer_in_words(review, *votes, answer) + note,
         .by = answer.reviewer,
         .rule = rule,
         .explanation = answers_in_words(review, *votes),
         .decision = name_of(decision)});
    return {};
  });
}

/// Skips for another reason have no text.
bool is_skipped_by_hand(const Event& event) {
  return event.type == EventType::task_skipped && !event.text.empty();
}

/// Actions of operators are recorded only in the log.
Status add_acts(Records& records, std::vector<Reason>& reasons, const Address& address,
                const std::vector<TaskAttempts>& tasks) {
  if (!address.item) return {};
  std::map<TaskId, std::string> children;  // the names of the tasks at the address
  for (const TaskAttempts& one : tasks) {
    children.emplace(one.task.id, one.task.child ? one.task.child->key : std::string());
  }
  std::set<Timestamp> cancels;
  const EventFilter events{.job = address.job.id, .item = address.item->id, .limit = page_size};
  return each_row(records, events, [&](const Event& event) {
    const auto named = children.find(event.task);
    const bool is_in_stage = event.task && address.stage && stage_of(event.task) == *address.stage;
    const bool is_meant = !address.stage || (address.child ? named != children.end() : is_in_stage);
    if (!is_meant) return;
    const std::string child = named != children.end() ? named->second : std::string();
    const std::string stage =
        event.task ? address.workflow.stage(stage_of(event.task)).name : std::string();
    const std::string note = event.text.empty() ? "" : ": " + event.text;
    const bool is_manual = event.code == static_cast<std::int32_t>(Cause::manual);
    const bool is_asked = event.code == static_cast<std::int32_t>(CancelCause::requested);
    if (event.type == EventType::retry_scheduled && is_manual) {
      reasons.push_back({.at = event.at,
                         .stage = stage,
                         .child = child,
                         .trigger = (event.by.empty() ? "an operator" : event.by) +
                                    " asked to run it again" + note,
                         .by = event.by,
                         .rule = Rule::rerun_requested,
                         .explanation = "starts over from this stage",
                         .decision = name_of(DecisionKind::retry)});
    } else if (is_skipped_by_hand(event)) {
      reasons.push_back(
          {.at = event.at,
           .stage = stage,
           .child = child,
           .trigger = (event.by.empty() ? "an operator" : event.by) + " skipped it" + note,
           .by = event.by,
           .rule = Rule::stage_skipped,
           .explanation = "what depends on it goes on",
           .decision = name_of(DecisionKind::skip)});
    } else if (event.type == EventType::task_skipped && event.attempt == 0) {
      const bool by_choice = event.code == static_cast<std::int32_t>(SkipReason::by_choice);
      reasons.push_back({.at = event.at,
                         .stage = stage,
                         .child = child,
                         .trigger = "skipped",
                         .rule = Rule::stage_skipped,
                         .explanation = by_choice ? "its `when` did not hold"
                                                  : "a stage it needs has failed or was given up",
                         .decision = name_of(DecisionKind::skip)});
    } else if (event.type == EventType::dead_letter_discarded) {
      reasons.push_back({.at = event.at,
                         .stage = stage,
                         .child = child,
                         .trigger = "an operator discarded the dead letter" + note,
                         .rule = Rule::discarded,
                         .explanation = "it stays failed, and is dealt with",
                         .decision = name_of(DecisionKind::fail)});
    } else if (event.type == EventType::task_cancelled && is_asked && event.attempt == 0 &&
               cancels.insert(event.at).second) {
      // A single action emits an event for every task that it ended.
      reasons.push_back({.at = event.at,
                         .stage = address.stage ? stage : std::string(),
                         .child = address.is_child() ? child : std::string(),
                         .trigger = "an operator cancelled the item" + note,
                         .rule = Rule::cancelled,
                         .explanation = "cancelled as asked",
                         .decision = name_of(DecisionKind::cancel)});
    }
  });
}

/// The job records its cancellation. Its tasks are not rewritten, and its items emit no event.
void add_end_of_job(std::vector<Reason>& reasons, const Address& address) {
  const bool had_ended = address.item && address.item->state != ItemState::active;
  if (!address.job.cancelled || had_ended) return;
  reasons.push_back(
      {.at = address.job.ended_at != no_time ? address.job.ended_at : address.job.last_progress_at,
       .stage = {},
       .trigger = "the job was cancelled (" + std::string(name_of(*address.job.cancelled)) + ")",
       .rule = Rule::cancelled,
       .explanation = "what had not ended is cancelled with it",
       .decision = name_of(DecisionKind::cancel)});
}

}  // namespace

Result<std::vector<Reason>> reasons_at(Records& records, const Address& address) {
  const Result<std::vector<TaskAttempts>> tasks = attempts_at(records, address);
  if (!tasks) return std::unexpected(tasks.error());
  std::vector<Reason> reasons;
  for (const TaskAttempts& task : *tasks) {
    add_attempts(reasons, task, address.workflow);
    const StageDefinition& stage = address.workflow.stage(task.task.stage());
    if (const Status read = add_answers(records, reasons, task, stage.review_rules); !read) {
      return std::unexpected(read.error());
    }
  }
  if (const Status read = add_acts(records, reasons, address, *tasks); !read) {
    return std::unexpected(read.error());
  }
  add_end_of_job(reasons, address);
  std::ranges::stable_sort(reasons, {}, &Reason::at);
  return reasons;
}

Json reason_document(const Reason& reason) {
  return Json::object({{"at", rfc3339(reason.at)},
                       {"stage", reason.stage.empty() ? Json() : Json(reason.stage)},
                       {"child", reason.child.empty() ? Json() : Json(reason.child)},
                       {"attempt_number", reason.attempt == 0 ? Json() : Json(reason.attempt)},
                       {"trigger", reason.trigger},
                       {"by", reason.by.empty() ? Json() : Json(reason.by)},
                       {"rule", name_of(reason.rule)},
                       {"explanation", reason.explanation},
                       {"decision", reason.decision}});
}

}  // namespace pawl::views
