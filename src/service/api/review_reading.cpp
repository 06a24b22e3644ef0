/// One review: everything that a person needs to decide.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/review_input.hpp"
#include "codec/file_value.hpp"
#include "service/api/review_handlers.hpp"
#include "views/compared_outputs.hpp"
#include "views/line_diff.hpp"
#include "views/outputs.hpp"

namespace pawl::service {

using views::ShownReview;

namespace {

/// A file as one line. Its content is not read: it may be large, or of any type.
std::vector<std::string> line_of_file(const codec::FileValue& file) {
  return {"file " + file.name + ", " + std::to_string(file.size) + " bytes, sha256 " + file.sha256};
}

std::string text_diff(const Json& before, const Json& after) {
  const std::vector<std::string> old_lines = views::readable_lines(before, line_of_file);
  const std::vector<std::string> new_lines = views::readable_lines(after, line_of_file);
  return views::in_words(views::line_diff(old_lines, new_lines));
}

/// The newest attempts with an output, up to this one.
std::vector<AttemptNumber> attempts_with_output(const ShownReview& shown, AttemptNumber last) {
  std::vector<AttemptNumber> numbers;
  for (const Attempt& attempt : shown.attempts) {
    if (!attempt.output.is_null() && attempt.number <= last) numbers.push_back(attempt.number);
  }
  return numbers;
}

std::unexpected<Error> nothing_to_compare() {
  return fail(ErrorCode::refused, "nothing to compare: fewer than two attempts have an output",
              "look at the output itself");
}

std::optional<AttemptNumber> number_in(const Call& call, std::string_view name) {
  if (!call.query.has(name)) return std::nullopt;
  return static_cast<AttemptNumber>(call.query.integer(name));
}

/// The proposed or approved edits beside the output that they replace.
Result<views::ComparedOutputs> edits_compared(const ShownReview& shown) {
  if (!shown.approved || !shown.approved->edits) {
    return fail(ErrorCode::refused, "nobody has edited the output of this review",
                "compare two attempts: from=1&to=2");
  }
  return views::ComparedOutputs{.task = {},
                                .from = shown.approved->attempt,
                                .to = shown.approved->attempt,
                                .before = shown.approved_output,
                                .after = *shown.approved->edits};
}

Result<views::ComparedOutputs> attempts_compared(Records& records, const ShownReview& shown,
                                                 std::optional<AttemptNumber> from,
                                                 std::optional<AttemptNumber> to) {
  if (!to) {
    const std::vector<AttemptNumber> all = attempts_with_output(shown, shown.review.attempt);
    if (all.empty()) return nothing_to_compare();
    to = all.back();
  }
  if (!from) {
    const std::vector<AttemptNumber> earlier = attempts_with_output(shown, *to - 1);
    if (earlier.empty()) return nothing_to_compare();
    from = earlier.back();
  }
  Result<Json> before = views::output_of_attempt(records, shown, *from);
  if (!before) return std::unexpected(std::move(before.error()));
  Result<Json> after = views::output_of_attempt(records, shown, *to);
  if (!after) return std::unexpected(std::move(after.error()));
  return views::ComparedOutputs{.task = {},
                                .from = *from,
                                .to = *to,
                                .before = std::move(*before),
                                .after = std::move(*after)};
}

}  // namespace

Result<Json> review_as_it_is(Store& store, ReviewId id) {
  const Result<ShownReview> shown =
      actions::load_review_with_input(store.records(), id, store.now());
  if (!shown) return std::unexpected(shown.error());
  return views::shown_review_document(store.records(), *shown, views::OutputForm::recorded);
}

Result<Reply> show_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  Result<Json> document = review_as_it_is(call.store(), *id);
  if (!document) return std::unexpected(std::move(document.error()));
  return Document{std::move(*document)};
}

Result<Reply> show_output_of_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  const Result<std::int64_t> number = call.number("attempt");
  if (!number) return std::unexpected(number.error());
  const Result<ShownReview> shown = views::load_review(call.records(), *id, call.store().now());
  if (!shown) return std::unexpected(shown.error());
  const auto attempt = std::ranges::find(
      shown->attempts, *number, [](const Attempt& one) -> std::int64_t { return one.number; });
  if (attempt == shown->attempts.end()) {
    return fail(
        ErrorCode::not_found,
        "review " + std::to_string(id->value()) + " has no attempt " + std::to_string(*number),
        "its attempts are 1 to " + std::to_string(shown->attempts.size()));
  }
  Result<Json> output = views::output_of_attempt(call.records(), *shown, attempt->number);
  if (!output) return std::unexpected(std::move(output.error()));
  return Document{Json::object({{"review", id->value()},
                                {"attempt_number", attempt->number},
                                {"output", std::move(*output)}})};
}

Result<Reply> compare_outputs_of_review(Call& call) {
  const Result<ReviewId> id = call.id<ReviewId>("review");
  if (!id) return std::unexpected(id.error());
  const std::optional<AttemptNumber> from = number_in(call, "from");
  const std::optional<AttemptNumber> to = number_in(call, "to");
  const bool wants_edits = call.query.flag("edits");
  if (wants_edits && (from || to)) {
    return fail(ErrorCode::invalid, "`edits` excludes `from` and `to`",
                "the edits are compared with the attempt that they were made to");
  }
  const Result<ShownReview> shown = views::load_review(call.records(), *id, call.store().now());
  if (!shown) return std::unexpected(shown.error());
  Result<views::ComparedOutputs> compared =
      wants_edits ? edits_compared(*shown) : attempts_compared(call.records(), *shown, from, to);
  if (!compared) return std::unexpected(std::move(compared.error()));
  compared->task = {shown->task, shown->stage().name, shown->stage().handler, {}};
  const std::string diff = text_diff(compared->before, compared->after);
  return Document{views::with_member(views::diff_document(*compared, diff), "edited", wants_edits)};
}

}  // namespace pawl::service
