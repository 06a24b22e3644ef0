#include <optional>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/input/review_sitting.hpp"
#include "cli/output/review_view.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "pawl/codec/json.hpp"
#include "views/open_reviews.hpp"

namespace pawl::cli {

using views::next_open_review;
using views::Reviewer;
using views::reviewer_of;

namespace {

struct ReviewNextOptions {
  std::optional<std::int64_t> job;
  std::string as;
  std::string undo_for = "5s";
};

constexpr std::size_t output_lines_max = 30;

int show_only(Session& session, Records& records, const std::optional<Review>& next,
              const std::string& person) {
  if (!next) {
    session.present({.document = [] { return Json::object({{"reviews", Json::array({})}}); }});
    session.say("no reviews are waiting for you");
    return exit_done;
  }
  const Result<ShownReview> shown = load_review_with_input(session, records, next->id);
  if (!shown) return session.fail(shown.error());
  std::string id = std::to_string(next->id.value());
  const auto document = [&]() -> Result<Json> {
    const Result<Json> review = shown_review_document(records, *shown);
    if (!review) return std::unexpected(review.error());
    return Json::object({{"reviews", Json::array({*review})}});
  };
  const auto text = [&] {
    const ReviewPage page = review_page(records, *shown, session.style(), session.times(), person);
    return review_text(page, session.style(), output_lines_max);
  };
  const int code = session.present({.document = document, .text = text, .id = [&] { return id; }});
  session.say("decide: pawl review approve " + id + " | edit " + id +
              (shown->stage().takes_changes() ? " | changes " + id + " --note TEXT" : "") +
              " | reject " + id + " --reason TEXT");
  return code;
}

int review_next(Session& session, const ReviewNextOptions& options) {
  const Actor actor = Session::actor(options.as);
  const Result<Duration> undo_for = parse_duration(options.undo_for);
  if (!undo_for) return session.fail(undo_for.error());
  if (*undo_for > answer_delay_max) {
    return session.fail_usage("--undo-for must be at most 1m, not '" + printable(options.undo_for) +
                              "'");
  }
  const bool sits_here = session.can_ask() && session.streams().out_is_terminal &&
                         session.output() == OutputMode::text;
  // Ctrl-C must release the claim, wherever it comes. Before the store, which may start threads.
  std::optional<StopSignals> signals;
  if (sits_here) signals.emplace();
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  if (const Status there = require_job((*store)->records(), options.job); !there) {
    return session.fail(there.error());
  }
  const JobId job{options.job.value_or(0)};
  const Result<Reviewer> reviewer = reviewer_of(**store, actor);
  if (!reviewer) return session.fail(reviewer.error());
  if (sits_here) return sit_at_reviews(session, **store, actor, *reviewer, job, *undo_for);
  Records& records = (*store)->records();
  const Result<std::optional<Review>> next =
      next_open_review(records, job, {}, *reviewer, (*store)->now());
  if (!next) return session.fail(next.error());
  return show_only(session, records, *next, actor.name);
}

}  // namespace

CommandEntry review_next_command() {
  return command("review next", "pawl review next",
                 "Show the review that is due first, else the one that has waited longest. On a "
                 "terminal: decide with a key, then see the next.",
                 &review_next, [](ReviewNextOptions& it) -> Words {
                   return {option("--job", &it.job, "JOB", "Only reviews of this job"),
                           option("--undo-for", &it.undo_for, "TIME",
                                  "On a terminal: how long an answer can be taken back; "
                                  "default: 5s"),
                           person_option(it.as)};
                 });
}

}  // namespace pawl::cli
