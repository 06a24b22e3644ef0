#pragma once

/// Lists every text of every record once. The check and the repair of texts walk the same list. Add
/// a line here for every new field that holds text.

#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/core/step.hpp"
#include "pawl/core/text.hpp"

namespace pawl {

/// `Record` is `T` or `const T`.
template <class Record, class T>
concept IsRecord = std::same_as<std::remove_const_t<Record>, T>;

// each_text(record, visit) calls `visit` with every std::string and every Json of the record,
// except names of the workflow and hashes that pawl computes: they are valid by construction.

template <IsRecord<StageError> Record, class Visit>
void each_text(Record& error, Visit& visit) {
  visit(error.code);
  visit(error.message);
  visit(error.details);
  visit(error.classified_by);
}

template <IsRecord<Criterion> Record, class Visit>
void each_text(Record& criterion, Visit& visit) {
  visit(criterion.name);
  visit(criterion.expected);
  visit(criterion.actual);
}

template <IsRecord<Feedback> Record, class Visit>
void each_text(Record& feedback, Visit& visit) {
  visit(feedback.summary);
  for (auto& criterion : feedback.criteria) each_text(criterion, visit);
  visit(feedback.guidance);
}

template <IsRecord<Assessment> Record, class Visit>
void each_text(Record& assessment, Visit& visit) {
  visit(assessment.gate);
  visit(assessment.summary);
  for (auto& criterion : assessment.criteria) each_text(criterion, visit);
  for (auto& part : assessment.parts) each_text(part, visit);
}

template <IsRecord<ArtifactRecord> Record, class Visit>
void each_text(Record& artifact, Visit& visit) {
  visit(artifact.name);
  visit(artifact.reference);
  visit(artifact.sha256);
  visit(artifact.summary);
}

template <IsRecord<Attempt> Record, class Visit>
void each_text(Record& attempt, Visit& visit) {
  if (attempt.error) each_text(*attempt.error, visit);
  visit(attempt.verdict_reason);
  if (attempt.feedback) each_text(*attempt.feedback, visit);
  for (auto& assessment : attempt.assessments) each_text(assessment, visit);
  visit(attempt.summary);
  visit(attempt.output);
  for (auto& artifact : attempt.artifacts) each_text(artifact, visit);
  for (auto& alternative : attempt.alternatives) visit(alternative);
  visit(attempt.action);
  visit(attempt.decider);
  visit(attempt.decision.reason);
}

template <IsRecord<Task> Record, class Visit>
void each_text(Record& task, Visit& visit) {
  if (task.feedback) each_text(*task.feedback, visit);
  if (!task.child) return;
  visit(task.child->key);
  visit(task.child->data);
}

template <IsRecord<NewChild> Record, class Visit>
void each_text(Record& child, Visit& visit) {
  visit(child.key);
  visit(child.data);
}

template <IsRecord<Answer> Record, class Visit>
void each_text(Record& answer, Visit& visit) {
  visit(answer.reviewer);
  visit(answer.note);
  if (answer.edits) visit(*answer.edits);
  visit(answer.digest);
}

template <IsRecord<Review> Record, class Visit>
void each_text(Record& review, Visit& visit) {
  visit(review.digest);
  visit(review.claimed_by);
  for (auto& name : review.assigned) visit(name);
  if (review.answer) each_text(*review.answer, visit);
}

template <IsRecord<GivenAnswer> Record, class Visit>
void each_text(Record& given, Visit& visit) {
  each_text(given.answer, visit);
}

template <IsRecord<Actor> Record, class Visit>
void each_text(Record& actor, Visit& visit) {
  visit(actor.name);
  visit(actor.address);
}

template <IsRecord<Event> Record, class Visit>
void each_text(Record& event, Visit& visit) {
  visit(event.text);
  visit(event.by);
}

template <IsRecord<Step> Record, class Visit>
void each_text(Record& step, Visit& visit) {
  each_text(step.next, visit);
  if (step.closed) each_text(*step.closed, visit);
  for (auto& child : step.children) each_text(child, visit);
  if (step.review) each_text(*step.review, visit);
  for (auto& event : step.events) each_text(event, visit);
}

template <IsRecord<Item> Record, class Visit>
void each_text(Record& item, Visit& visit) {
  visit(item.key);
  visit(item.category);
  visit(item.data);
  visit(item.data_sha256);
}

template <IsRecord<Job> Record, class Visit>
void each_text(Record& job, Visit& visit) {
  visit(job.key);
  visit(job.params);
  visit(job.labels);
  visit(job.submitted_by);
  visit(job.trusted_by);
}

struct TextCheck {
  bool finds_all_valid = true;

  void operator()(const std::string& text) {
    if (!text.empty() && finds_all_valid) finds_all_valid = is_valid_text(text);
  }
  void operator()(const Json& json) {
    if (finds_all_valid) finds_all_valid = has_valid_strings(json);
  }
};

struct TextRepair {
  void operator()(std::string& text) const {
    if (!text.empty()) make_text_valid(text);
  }
  void operator()(Json& json) const { make_text_valid(json); }
};

/// Whether every text of the record is valid (see "pawl/core/text.hpp").
template <class Record>
[[nodiscard]] bool has_valid_text(const Record& record) {
  TextCheck check;
  each_text(record, check);
  return check.finds_all_valid;
}

/// Repairs every invalid text of the record and leaves the valid ones untouched.
template <class Record>
void make_text_valid(Record& record) {
  TextRepair repair;
  each_text(record, repair);
}

}  // namespace pawl
