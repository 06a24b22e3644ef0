#include <fstream>
#include <functional>
#include <istream>
#include <set>
#include <sstream>

#include "cli/commands/commands.hpp"
#include "cli/input/id_list.hpp"
#include "cli/input/review_edit.hpp"
#include "cli/output/review_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct ReviewAnswerOptions {
  std::vector<std::string> reviews;  ///< "-": read from stdin; an edit takes one
  std::string as;
  std::string note;
  std::optional<std::uint32_t> attempt;
  std::string digest;                ///< of what was shown; empty: of what is stored now
  std::string output;                ///< for an edit: a file, or "-"; empty: use $EDITOR
  std::optional<std::string> field;  ///< for an edit in $EDITOR: only this one
};

/// `refused` if the stage does not allow that several of its reviews are answered together.
Status check_bulk(const ShownReview& shown, std::size_t together) {
  if (together == 1 || shown.stage().review_rules.bulk) return {};
  const std::string id = std::to_string(shown.review.id.value());
  return pawl::fail(ErrorCode::refused,
                    "reviews of stage '" + printable(shown.stage().name) +
                        "' are answered one at a time (bulk: false)",
                    "look at it and answer it by itself: pawl review show " + id);
}

/// Completes the answer to one review, given what is shown, and submits it.
using Submit = std::function<Result<ShownReview>(Store&, const ShownReview&, Answer)>;

/// Answers each named review, and reports it with these words.
int answer_each(Session& session, const ReviewAnswerOptions& options, const std::string& words,
                const Submit& submit) {
  const Result<std::vector<std::string>> reviews = read_numbers(session, options.reviews, "review");
  if (!reviews) return session.fail(reviews.error());
  if (reviews->size() > 1 && !options.digest.empty()) {
    return session.fail_usage("--digest applies to a single review, but " +
                              counted(static_cast<std::int64_t>(reviews->size()), "review") +
                              " are given");
  }
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  std::set<std::int64_t> go_on;
  const auto answer = [&](const std::string& id) -> Result<Done> {
    const Result<ShownReview> shown = load_review_to_change(**store, ReviewId{number_of(id)});
    if (!shown) return std::unexpected(shown.error());
    if (const Status may = check_bulk(*shown, reviews->size()); !may) {
      return std::unexpected(may.error());
    }
    Answer given{.note = options.note, .digest = options.digest};
    given.attempt = options.attempt;
    const Result<ShownReview> after = submit(**store, *shown, std::move(given));
    if (!after) return std::unexpected(after.error());
    discard_drafts(session, after->review.id);
    const bool is_decided = after->review.status != ReviewStatus::open;
    if (is_decided && !after->job.has_ended()) go_on.insert(after->job.id.value());
    return Done{.document = views::short_review_document(*after),
                .words = answer_given_in_words(*shown, *after, words)};
  };
  const int code = do_each(session, *reviews, answer, "reviews");
  for (const std::int64_t job : go_on) {
    session.say("continue with:  pawl resume " + std::to_string(job));
  }
  return code;
}

/// Answers each named review with the same outcome.
int answer_each(Session& session, const ReviewAnswerOptions& options, const std::string& words,
                ReviewOutcome outcome) {
  return answer_each(
      session, options, words, [&](Store& store, const ShownReview& shown, Answer given) {
        given.outcome = outcome;
        return give_answer(store, shown, std::move(given), Session::actor(options.as));
      });
}

Result<std::string> read_all(Session& session, const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << session.streams().in->rdbuf();
    return text.str();
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return pawl::fail(ErrorCode::not_found, "cannot read file '" + file + "'");
  text << in.rdbuf();
  return text.str();
}

int review_approve(Session& session, const ReviewAnswerOptions& options) {
  return answer_each(session, options, "approved", ReviewOutcome::approve);
}

int review_changes(Session& session, const ReviewAnswerOptions& options) {
  if (options.note.empty()) {
    return session.fail_usage("requesting changes needs a note: --note TEXT");
  }
  return answer_each(session, options, "sent back with your note", ReviewOutcome::request_changes);
}

int review_reject(Session& session, const ReviewAnswerOptions& options) {
  if (options.note.empty()) {
    return session.fail_usage("rejecting needs a reason: --reason TEXT");
  }
  return answer_each(session, options, "rejected", ReviewOutcome::reject);
}

int review_edit(Session& session, const ReviewAnswerOptions& options) {
  if (options.field && !options.output.empty()) {
    return session.fail_usage("--field and --output exclude each other",
                              "--output takes the whole output");
  }
  const bool is_one = options.reviews.size() == 1 && options.reviews.front() != "-";
  if (!is_one) {
    return session.fail_usage("`pawl review edit` takes exactly one review",
                              "pass its number: pawl review edit 318");
  }
  const auto edit = [&](Store& store, const ShownReview& shown,
                        Answer given) -> Result<ShownReview> {
    // Check this first, so that nobody edits in vain.
    if (std::optional<Error> answered = error_if_answered(shown.review)) {
      return std::unexpected(*std::move(answered));
    }
    if (shown.review.status != ReviewStatus::open) {
      return pawl::fail(ErrorCode::conflict,
                        "review " + std::to_string(shown.review.id.value()) +
                            " is not open: it is " + std::string(name_of(shown.review.status)),
                        "list open reviews: pawl review list");
    }
    EditRequest request{.actor = Session::actor(options.as),
                        .answer = std::move(given),
                        .field = options.field,
                        .output = {}};
    if (!options.output.empty()) {
      Result<std::string> read = read_all(session, options.output);
      if (!read) return std::unexpected(read.error());
      request.output = std::move(*read);
    }
    return edit_review(session, store, shown, std::move(request));
  };
  return answer_each(session, options, "approved with your edits", edit);
}

Word digest_option(ReviewAnswerOptions& it) {
  return option("--digest", &it.digest, "DIGEST",
                "The digest of what you saw; a conflict if it has changed");
}

}  // namespace

CommandEntry review_approve_command() {
  return command("review approve", "pawl review approve 318", "Approve the output of an attempt.",
                 &review_approve, [](ReviewAnswerOptions& it) -> Words {
                   return {
                       reviews_argument(it.reviews), person_option(it.as), digest_option(it),
                       option("--attempt", &it.attempt, "N",
                              "The attempt; default: what others approved, else the newest shown"),
                       option("--note", &it.note, "TEXT", "A note for the record")};
                 });
}

CommandEntry review_edit_command() {
  return command(
      "review edit", "pawl review edit 318 --output better.json",
      "Approve with a changed output, edited in $EDITOR.", &review_edit,
      [](ReviewAnswerOptions& it) -> Words {
        return {
            argument(&it.reviews, "REVIEW", "The review number"),
            person_option(it.as),
            digest_option(it),
            option("--attempt", &it.attempt, "N",
                   "The attempt to edit; default: what others approved, else the newest shown"),
            option("--output", &it.output, "FILE",
                   "The whole changed output as JSON; - reads stdin"),
            option("--field", &it.field, "NAME", "Edit only this field, as plain text"),
            option("--note", &it.note, "TEXT", "A note for the record"),
        };
      });
}

CommandEntry review_changes_command() {
  return command("review changes", "pawl review changes 318 --note \"keep the tables\"",
                 "Request another attempt, with your note as its feedback.", &review_changes,
                 [](ReviewAnswerOptions& it) -> Words {
                   return {reviews_argument(it.reviews), person_option(it.as), digest_option(it),
                           required_option("--note", &it.note, "TEXT", "What to change")};
                 });
}

CommandEntry review_reject_command() {
  return command("review reject", "pawl review reject 318 --reason \"not a contract\"",
                 "Reject the output for good: the item becomes a dead letter, or ends as rejected.",
                 &review_reject, [](ReviewAnswerOptions& it) -> Words {
                   return {reviews_argument(it.reviews), person_option(it.as), digest_option(it),
                           required_option("--reason,--note", &it.note, "TEXT", "The reason")};
                 });
}

}  // namespace pawl::cli
