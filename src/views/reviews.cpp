#include "views/reviews.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/store/results.hpp"
#include "pawl/views/documents.hpp"
#include "pawl/workflow/action.hpp"
#include "views/attempts.hpp"
#include "views/criteria_document.hpp"
#include "views/document_writer.hpp"
#include "views/outputs.hpp"
#include "views/review_reader.hpp"

namespace pawl::views {

const StageDefinition& ShownReview::stage() const { return workflow.stage(stage_of(review.task)); }

const Attempt* ShownReview::find(AttemptNumber number) const {
  const auto found = std::ranges::find(attempts, number, &Attempt::number);
  return found == attempts.end() ? nullptr : &*found;
}

const Json& ShownReview::content() const {
  if (!approved) return output;
  return approved->edits ? *approved->edits : approved_output;
}

std::string ShownReview::task_name() const {
  return task.child ? stage().name + "[" + task.child->key + "]" : stage().name;
}

Json ShownReview::show() const {
  const ReviewRules& rules = stage().review_rules;
  if (!rules.show_main.empty() || !rules.show_beside.empty()) {
    std::vector<Json> beside;
    for (const std::string& name : rules.show_beside) beside.emplace_back(name);
    return Json::object({{"main", rules.show_main.empty() ? Json() : Json(rules.show_main)},
                         {"beside", Json::array(beside)}});
  }
  const Result<ActionSpec> action = action_from(stage().params);
  return action ? action->show : Json();
}

Result<ShownReview> load_review(Records& records, ReviewId id, Timestamp now) {
  const Result<Review> review = records.review(id);
  if (!review) return std::unexpected(review.error());
  Result<ShownReview> shown = ReviewReader(records, now).read(*review);
  if (!shown) return shown;
  if (shown->find(shown->review.attempt) != nullptr) {
    Result<Json> output = output_of_attempt(records, *shown, shown->review.attempt);
    if (!output) return std::unexpected(std::move(output.error()));
    shown->output = std::move(*output);
  }
  if (shown->approved && shown->find(shown->approved->attempt) != nullptr) {
    Result<Json> output = output_of_attempt(records, *shown, shown->approved->attempt);
    if (!output) return std::unexpected(std::move(output.error()));
    shown->approved_output = std::move(*output);
  }
  return shown;
}

Result<Json> output_of_attempt(Records& records, const ShownReview& shown, AttemptNumber number) {
  const Attempt* const attempt = shown.find(number);
  if (attempt == nullptr) {
    return pawl::fail(ErrorCode::not_found, "review " + std::to_string(shown.review.id.value()) +
                                                " has no attempt " + std::to_string(number));
  }
  return whole_output(records, attempt->output);
}

std::string reason_in_words(const ShownReview& shown) {
  const Attempt* const attempt = shown.find(shown.review.attempt);
  switch (shown.review.reason) {
    case ReviewReason::policy:
      return "every output of this stage is reviewed";
    case ReviewReason::uncertain:
      if (attempt == nullptr || attempt->verdict_reason.empty()) return "a gate was uncertain";
      return "a gate was uncertain (" + attempt->verdict_reason + ")";
    case ReviewReason::blocked:
    case ReviewReason::requested:
    case ReviewReason::exhausted:
      break;
  }
  const std::string reason(name_of(shown.review.reason));
  return attempt == nullptr ? reason : reason + " (" + explain(shown.stage(), *attempt) + ")";
}

bool passed_all_gates(const ShownReview& shown) {
  const AttemptNumber number = shown.approved ? shown.approved->attempt : shown.review.attempt;
  const Attempt* const attempt = shown.find(number);
  const bool is_judged_output = !shown.approved || !shown.approved->edits;
  if (attempt == nullptr || !is_judged_output) return false;
  if (attempt->result != AttemptResult::success) return false;
  if (attempt->verdict && *attempt->verdict != Verdict::accepted) return false;
  if (attempt->assessments.empty()) return !attempt->feedback || attempt->feedback->all_passed();
  return std::ranges::all_of(attempt->assessments, [](const Assessment& one) {
    return one.verdict == Verdict::accepted &&
           std::ranges::all_of(one.criteria, &Criterion::passed);
  });
}

Json short_review_document(const ShownReview& shown) {
  Usage used;
  for (const Attempt& attempt : shown.attempts) used = used + attempt.usage;
  const Json with_answers =
      with_votes(review_document(shown.review, shown.item_key(), shown.stage().name, shown.child()),
                 shown.review, shown.votes, shown.read_at);
  std::vector<std::pair<std::string, Json>> all = members(with_answers);
  all.emplace_back("workflow", shown.workflow.name());
  all.emplace_back("why", reason_in_words(shown));
  all.emplace_back("attempt_count", shown.task.attempts);
  all.emplace_back("cost_usd", dollars_of(used.cost_microusd));
  all.emplace_back("gates_passed", passed_all_gates(shown));
  all.emplace_back("bulk", shown.stage().review_rules.bulk);
  return Json::object(all);
}

namespace {

Json texts(const std::vector<std::string>& all) {
  const std::vector<Json> values(all.begin(), all.end());
  return Json::array(values);
}

Result<Json> attempt_in_form(Records& records, const ShownReview& shown, const Attempt& attempt,
                             OutputForm form) {
  if (form == OutputForm::whole) return whole_attempt_document(records, attempt, shown.stage());
  Attempt recorded = attempt;
  recorded.action = action_of(attempt, shown.stage().handler);
  return attempt_document(recorded, shown.stage().name);
}

}  // namespace

Result<Json> shown_review_document(Records& records, const ShownReview& shown, OutputForm form) {
  const auto in_form = [&](const Json& value) {
    return form == OutputForm::whole ? with_paths(records, value) : value;
  };
  std::vector<Json> attempts;
  for (const Attempt& attempt : shown.attempts) {
    Result<Json> one = attempt_in_form(records, shown, attempt, form);
    if (!one) return std::unexpected(std::move(one.error()));
    attempts.push_back(std::move(*one));
  }
  const StageDefinition& stage = shown.stage();
  const Result<ActionSpec> action = action_from(stage.params);
  std::vector<std::pair<std::string, Json>> all = members(short_review_document(shown));
  all.emplace_back("instructions", name_or_null(action ? action->instructions : std::string()));
  all.emplace_back("show", shown.show());
  all.emplace_back("reasons", texts(stage.review_rules.reasons));
  all.emplace_back("editable", texts(stage.editable));
  all.emplace_back("takes_changes", stage.takes_changes());
  all.emplace_back("in", in_form(shown.in));
  all.emplace_back("in_fault", name_or_null(shown.in_fault));
  all.emplace_back("output", in_form(shown.output));
  all.emplace_back("data", shown.item ? shown.item->data : Json());
  all.emplace_back("criteria", criteria_document(records, {shown.task, stage.name, stage.handler,
                                                           shown.attempts}));
  all.emplace_back("attempts", Json::array(attempts));
  return Json::object(all);
}

}  // namespace pawl::views
