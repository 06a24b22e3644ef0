#include <algorithm>
#include <map>
#include <set>

#include "cli/address.hpp"
#include "cli/attempts_view.hpp"
#include "cli/commands/commands.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "cli/waits.hpp"
#include "pawl/codec/documents.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 500;

/// One decision about an item, made by the engine, a reviewer or an operator.
struct Reason {
  Timestamp at;
  std::string stage;
  std::string child;
  AttemptNumber attempt = 0;
  std::string trigger;  ///< what happened
  Rule rule{};
  std::string explanation;  ///< the rule in words, with its numbers
  std::string_view decision;
};

Json reason_document(const Reason& reason) {
  return Json::object({{"at", rfc3339(reason.at)},
                       {"stage", reason.stage.empty() ? Json() : Json(reason.stage)},
                       {"child", reason.child.empty() ? Json() : Json(reason.child)},
                       {"attempt_number", reason.attempt == 0 ? Json() : Json(reason.attempt)},
                       {"trigger", reason.trigger},
                       {"rule", name_of(reason.rule)},
                       {"explanation", reason.explanation},
                       {"decision", reason.decision}});
}

void add_attempts(std::vector<Reason>& reasons, const TaskAttempts& task,
                  const Workflow& workflow) {
  StageDefinition stage = workflow.stage(task.task.stage());
  if (task.task.child) stage = policies_of_child(std::move(stage));
  for (const Attempt& attempt : task.attempts) {
    reasons.push_back({.at = attempt.ended_at,
                       .stage = task.stage,
                       .child = task.task.child ? task.task.child->key : std::string(),
                       .attempt = attempt.number,
                       .trigger = "attempt " + std::to_string(attempt.number) + " " +
                                  outcome_in_words(stage, attempt),
                       .rule = attempt.decision.rule,
                       .explanation = pawl::explain(stage, attempt),
                       .decision = name_of(attempt.decision.kind)});
  }
}

struct AnswerRule {
  std::string_view did;
  Rule rule;
  DecisionKind decision;
};

AnswerRule rule_of(ReviewOutcome outcome) {
  switch (outcome) {
    case ReviewOutcome::approve:
      return {"approved", Rule::approved, DecisionKind::complete};
    case ReviewOutcome::approve_with_edits:
      return {"approved with edits", Rule::approved_with_edits, DecisionKind::complete};
    case ReviewOutcome::request_changes:
      return {"requested changes", Rule::changes_requested, DecisionKind::retry};
    case ReviewOutcome::reject:
      return {"rejected", Rule::rejected_by_person, DecisionKind::fail};
  }
  return {};
}

Status add_answers(Records& records, std::vector<Reason>& reasons, const TaskAttempts& task) {
  const ReviewFilter answered{
      .task = task.task.id, .status = ReviewStatus::closed, .limit = page_size};
  return each_row(records, answered, [&](const Review& review) {
    if (!review.answer) return;
    const Answer& answer = *review.answer;
    const AnswerRule told = rule_of(answer.outcome);
    const std::string note = answer.note.empty() ? "" : ": " + answer.note;
    reasons.push_back(
        {.at = review.closed_at,
         .stage = task.stage,
         .child = task.task.child ? task.task.child->key : std::string(),
         .attempt = answer.attempt.value_or(review.attempt),
         .trigger = answer.reviewer + " " + std::string(told.did) + note,
         .rule = told.rule,
         .explanation = "review " + std::to_string(review.id.value()) + " was answered by a person",
         .decision = name_of(told.decision)});
  });
}

/// Actions of operators are recorded only in the log.
Status add_acts(Records& records, std::vector<Reason>& reasons, const Address& address) {
  if (!address.item) return {};
  std::set<Timestamp> cancels;
  const EventFilter events{.job = address.job.id, .item = address.item->id, .limit = page_size};
  return each_row(records, events, [&](const Event& event) {
    const bool is_meant = !address.stage || (event.task && stage_of(event.task) == *address.stage);
    if (!is_meant) return;
    const std::string stage =
        event.task ? address.workflow.stage(stage_of(event.task)).name : std::string();
    const std::string note = event.text.empty() ? "" : ": " + event.text;
    const bool is_manual = event.code == static_cast<std::int32_t>(Cause::manual);
    const bool is_asked = event.code == static_cast<std::int32_t>(CancelCause::requested);
    if (event.type == EventType::retry_scheduled && is_manual) {
      reasons.push_back({.at = event.at,
                         .stage = stage,
                         .trigger = "an operator asked to run it again" + note,
                         .rule = Rule::rerun_requested,
                         .explanation = "starts over from this stage",
                         .decision = name_of(DecisionKind::retry)});
    } else if (event.type == EventType::task_skipped && event.attempt == 0) {
      const bool by_choice = event.code == static_cast<std::int32_t>(SkipReason::by_choice);
      reasons.push_back({.at = event.at,
                         .stage = stage,
                         .trigger = "skipped",
                         .rule = Rule::stage_skipped,
                         .explanation = by_choice ? "its `when` did not hold"
                                                  : "a stage it needs has failed or was given up",
                         .decision = name_of(DecisionKind::skip)});
    } else if (event.type == EventType::dead_letter_discarded) {
      reasons.push_back({.at = event.at,
                         .stage = stage,
                         .trigger = "an operator discarded the dead letter" + note,
                         .rule = Rule::discarded,
                         .explanation = "it stays failed, and is dealt with",
                         .decision = name_of(DecisionKind::fail)});
    } else if (event.type == EventType::task_cancelled && is_asked && event.attempt == 0 &&
               cancels.insert(event.at).second) {
      // A single action emits an event for every task that it ended.
      reasons.push_back({.at = event.at,
                         .stage = address.stage ? stage : std::string(),
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

std::string in_words(const std::vector<Reason>& reasons, Session& session) {
  const Times times = session.times();
  Table table({{"TIME"},
               {"STAGE", Table::Align::left, 40},
               {"WHAT HAPPENED", Table::Align::left, 90},
               {"RULE", Table::Align::left, 90}});
  for (const Reason& reason : reasons) {
    const std::string stage =
        reason.child.empty() ? reason.stage : reason.stage + "[" + reason.child + "]";
    table.add({times.of_entry(reason.at), stage, reason.trigger, reason.explanation});
  }
  return table.empty() ? "no decisions yet\n" : table.text(session.style());
}

int why(Session& session, const AddressText& asked) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, asked);
  if (!address) return session.fail(address.error());
  const Result<std::vector<TaskAttempts>> tasks = attempts_at(records, *address);
  if (!tasks) return session.fail(tasks.error());

  std::vector<Reason> reasons;
  for (const TaskAttempts& task : *tasks) {
    add_attempts(reasons, task, address->workflow);
    if (const Status read = add_answers(records, reasons, task); !read) {
      return session.fail(read.error());
    }
  }
  if (const Status read = add_acts(records, reasons, *address); !read) {
    return session.fail(read.error());
  }
  add_end_of_job(reasons, *address);
  std::ranges::stable_sort(reasons, {}, &Reason::at);
  const Result<std::string> waits = what_it_waits_for(records, *address, session.times());
  if (!waits) return session.fail(waits.error());

  Listing list(session, {.array = "decisions", .has_ids = false});
  for (const Reason& reason : reasons) {
    list.add({.document = [&] { return reason_document(reason); }});
  }
  return list.finish({.text = in_words(reasons, session) +
                              (waits->empty() ? "" : "waits for " + printable(*waits) + "\n"),
                      .members = {{"waits_for", waits->empty() ? Json() : Json(*waits)}}});
}

}  // namespace

CommandEntry why_command() {
  return command("why", "pawl why doc-0419/convert",
                 "Print every decision about an item, with its rule.", &why,
                 [](AddressText& it) -> Words {
                   return {argument(&it.text, "ID[/STAGE]", "KEY, JOB/KEY or KEY/STAGE"),
                           job_of_key_option(it.job),
                           option("--stage", &it.stage, "STAGE", "Only this stage")};
                 });
}

}  // namespace pawl::cli
