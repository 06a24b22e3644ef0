#include <fstream>
#include <istream>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/review_edit.hpp"
#include "cli/review_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/documents.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"

namespace pawl::cli {
namespace {

int answer(Session& session, Store& store, const ShownReview& shown, Answer given,
           const std::string& words) {
  const Result<ShownReview> after = give_answer(store, shown, std::move(given));
  if (!after) return session.fail(after.error());
  const std::string number = std::to_string(shown.review.id.value());
  if (session.globals().wants_json()) {
    const Json document = review_document(after->review, after->item_key(), after->stage().name);
    session.print(Json::object({{"reviews", Json::array({document})}}));
  } else if (session.globals().quiet) {
    session.print(number + "\n");
  } else {
    session.print("review " + number + " " + words + "\n");
  }
  if (!after->job.has_ended()) {
    session.say("go on with the work: pawl resume " + std::to_string(after->job.id.value()));
  }
  return exit_done;
}

/// What every answer begins with.
int with_review(Session& session, const ReviewAnswerOptions& options,
                const std::function<int(Store&, const ShownReview&, Answer)>& decide) {
  const Result<std::string> by = Session::person(options.as);
  if (!by) return session.fail(by.error());
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<ShownReview> shown = load_review((*store)->records(), ReviewId{options.review});
  if (!shown) return session.fail(shown.error());
  Answer given{.reviewer = *by, .note = options.note, .digest = options.digest};
  if (options.attempt) given.attempt = *options.attempt;
  return decide(**store, *shown, std::move(given));
}

Result<std::string> read_all(Session& session, const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << session.streams().in->rdbuf();
    return text.str();
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return pawl::fail(ErrorCode::not_found, "cannot read " + file);
  text << in.rdbuf();
  return text.str();
}

}  // namespace

int review_approve(Session& session, const ReviewAnswerOptions& options) {
  return with_review(session, options, [&](Store& store, const ShownReview& shown, Answer given) {
    given.outcome = ReviewOutcome::approve;
    return answer(session, store, shown, std::move(given), "approved");
  });
}

int review_changes(Session& session, const ReviewAnswerOptions& options) {
  return with_review(session, options, [&](Store& store, const ShownReview& shown, Answer given) {
    given.outcome = ReviewOutcome::request_changes;
    return answer(session, store, shown, std::move(given), "sent back with your note");
  });
}

int review_reject(Session& session, const ReviewAnswerOptions& options) {
  return with_review(session, options, [&](Store& store, const ShownReview& shown, Answer given) {
    given.outcome = ReviewOutcome::reject;
    return answer(session, store, shown, std::move(given), "rejected");
  });
}

int review_edit(Session& session, const ReviewAnswerOptions& options) {
  return with_review(session, options, [&](Store& store, const ShownReview& shown, Answer given) {
    // Before anybody works for nothing.
    if (shown.review.status != ReviewStatus::open) {
      return session.fail({ErrorCode::conflict,
                           "review " + std::to_string(shown.review.id.value()) +
                               " is not open: it is " + std::string(name_of(shown.review.status)),
                           "open ones are listed by: pawl review list"});
    }
    const Result<Json> original =
        output_of_attempt(store.records(), shown, given.attempt.value_or(shown.review.attempt));
    if (!original) return session.fail(original.error());
    std::optional<std::string> text;
    if (!options.output.empty()) {
      Result<std::string> read = read_all(session, options.output);
      if (!read) return session.fail(read.error());
      text = std::move(*read);
    }
    const Result<Json> edited = edited_output(session, store, shown.stage(), *original, text);
    if (!edited) return session.fail(edited.error());
    given.outcome = ReviewOutcome::approve_with_edits;
    given.edits = *edited;
    return answer(session, store, shown, std::move(given), "approved with your edits");
  });
}

}  // namespace pawl::cli
