/// Who deals with a review: claim, release, assign; and undo, which takes an answer back.

#include <functional>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/input/id_list.hpp"
#include "cli/output/review_view.hpp"
#include "cli/session.hpp"
#include "pawl/core/review_rules.hpp"
#include "views/people_warnings.hpp"

namespace pawl::cli {
namespace {

struct ReviewActOptions {
  std::vector<std::string> reviews;  ///< "-": read from stdin
  std::string as;
};

struct ReviewClaimOptions {
  ReviewActOptions act;
  std::string lasting = "10m";
  bool steal = false;
};

struct ReviewAssignOptions {
  ReviewActOptions act;
  std::vector<std::string> to;
  bool everybody = false;
  std::string note;
};

using MakeAct = std::function<Act(const Store&, ReviewId, const Actor&)>;
using DoneWords = std::function<std::string(const ShownReview&)>;

/// Applies the operation to each named review, and reports it with these words.
int change_each(Session& session, const ReviewActOptions& options, const MakeAct& make,
                const DoneWords& words) {
  const Result<std::vector<std::string>> reviews = read_numbers(session, options.reviews, "review");
  if (!reviews) return session.fail(reviews.error());
  const Actor actor = Session::actor(options.as);
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  return do_each(
      session, *reviews,
      [&](const std::string& id) -> Result<Done> {
        const ReviewId review{number_of(id)};
        const Result<ShownReview> before = load_review_to_change(**store, review);
        if (!before) return std::unexpected(before.error());
        const Result<Job> done = (*store)->act(make(**store, review, actor), actor);
        if (!done) {
          const std::optional<Answer>& answer = before->review.answer;
          const bool is_overdue = done.error().code == ErrorCode::conflict && answer &&
                                  answer->reviewer == overdue_name;
          std::optional<Error> in_words = error_if_answered(before->review);
          return std::unexpected(is_overdue && in_words ? *std::move(in_words) : done.error());
        }
        const Result<ShownReview> shown = load_review((*store)->records(), review, (*store)->now());
        if (!shown) return std::unexpected(shown.error());
        return Done{.document = views::short_review_document(*shown),
                    .words = "review " + id + " " + words(*shown)};
      },
      "reviews");
}

int review_claim(Session& session, const ReviewClaimOptions& options) {
  const Result<Duration> lasting = parse_duration(options.lasting);
  if (!lasting) return session.fail(lasting.error());
  if (*lasting <= Duration::zero() || *lasting > claim_max) {
    return session.fail_usage(
        "--for must be longer than 0s and at most 1h, not '" + printable(options.lasting) + "'",
        "pass a duration such as --for 10m; to release a claim: "
        "pawl review release REVIEW");
  }
  return change_each(
      session, options.act,
      [&](const Store& store, ReviewId review, const Actor& actor) {
        return ClaimReview{.review = review,
                           .by = actor.name,
                           .until = store.now() + *lasting,
                           .steal = options.steal};
      },
      [&](const ShownReview& shown) {
        return "is claimed by " + printable(shown.review.claimed_by) + " for " + in_words(*lasting);
      });
}

int review_release(Session& session, const ReviewActOptions& options) {
  return change_each(
      session, options,
      [](const Store&, ReviewId review, const Actor& actor) {
        return ReleaseReview{.review = review, .by = actor.name};
      },
      [](const ShownReview&) { return "is released"; });
}

int review_assign(Session& session, const ReviewAssignOptions& options) {
  if (options.to.empty() != options.everybody) {
    return session.fail_usage(
        options.everybody ? "--to and --everybody exclude each other"
                          : "no person or group is given",
        "pass --to NAME, --to group:NAME or --everybody; --to may be repeated");
  }
  const int code = change_each(
      session, options.act,
      [&](const Store&, ReviewId review, const Actor& actor) {
        return AssignReview{
            .review = review, .to = options.to, .note = options.note, .by = actor.name};
      },
      [](const ShownReview& shown) {
        std::string names;
        for (const std::string& name : shown.review.assigned) {
          names += (names.empty() ? "" : ", ") + printable(name);
        }
        return "is assigned to " + (names.empty() ? "everybody" : names);
      });
  if (code != exit_done) return code;
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<std::vector<std::string>> warnings =
      views::assignee_warnings(**store, options.to, Session::local_actor());
  if (!warnings) return session.fail(warnings.error());
  for (const std::string& warning : *warnings) session.say("warning: " + printable(warning));
  return code;
}

int review_undo(Session& session, const ReviewActOptions& options) {
  return change_each(
      session, options,
      [](const Store&, ReviewId review, const Actor& actor) {
        return UndoAnswer{.review = review, .by = actor.name};
      },
      [](const ShownReview& shown) {
        std::string open = "is open again: your answer is withdrawn";
        if (shown.votes.needed == 1) return open;
        return open + "; " + views::approvals_in_words(shown.votes);
      });
}

Words words_of(ReviewActOptions& it) {
  return {reviews_argument(it.reviews), person_option(it.as)};
}

Words words_with(ReviewActOptions& it, const Words& more) {
  Words words = words_of(it);
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

CommandEntry review_claim_command() {
  return command("review claim", "pawl review claim 318 --for 30m",
                 "Claim a review, so that nobody else can answer it.", &review_claim,
                 [](ReviewClaimOptions& it) {
                   return words_with(
                       it.act, {option("--for", &it.lasting, "TIME",
                                       "How long the claim lasts, at most 1h; default: 10m"),
                                flag("--steal", it.steal,
                                     "Take over the claim of somebody else, as an operator")});
                 });
}

CommandEntry review_release_command() {
  return command("review release", "pawl review release 318", "Release a claimed review.",
                 &review_release, &words_of);
}

CommandEntry review_assign_command() {
  return command("review assign", "pawl review assign 318 --to anna --note \"you know the client\"",
                 "Hand reviews over to people and groups.", &review_assign,
                 [](ReviewAssignOptions& it) {
                   return words_with(
                       it.act, {list_option("--to", it.to, "NAME|group:NAME",
                                            "A person or a group that may answer; may be repeated"),
                                flag("--everybody", it.everybody, "Let everybody answer"),
                                option("--note", &it.note, "TEXT", "A note for the record")});
                 });
}

CommandEntry review_undo_command() {
  return command("review undo", "pawl review undo 318",
                 "Take your answer back, as long as it has not decided the review.", &review_undo,
                 &words_of);
}

}  // namespace pawl::cli
