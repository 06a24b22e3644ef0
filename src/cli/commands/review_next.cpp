#include <array>
#include <optional>
#include <ostream>
#include <string_view>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/review_edit.hpp"
#include "cli/output/review_view.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::cli {
namespace {

struct ReviewNextOptions {
  std::optional<std::int64_t> job;
  std::string as;
};

constexpr std::uint32_t page_size = 100;
constexpr Duration claim_lasts = std::chrono::minutes(10);
constexpr std::size_t output_lines_max = 30;
constexpr int control_c = 3;
constexpr int control_d = 4;

/// A key with its prompt and its help line.
struct Key {
  std::string_view prompt;
  std::string_view meaning;
  bool asks_for_changes = false;
};
constexpr std::array keys{
    Key{"[a]pprove", "a  approve the output that is shown"},
    Key{"[e]dit in $EDITOR", "e  change the output in your editor, then approve it"},
    Key{"[c]hanges", "c  request another attempt; your note becomes its feedback", true},
    Key{"[r]eject", "r  reject for good; the item becomes a dead letter"},
    Key{"[d]iff", "d  compare the two newest outputs"},
    Key{"[s]kip", "s  leave it for later, or for others"},
    Key{"[?]", "?  show this help"},
    Key{"[q]uit", "q  stop reviewing"},
};

/// The prompts or help lines of the keys that this stage accepts.
std::string of_keys(const StageDefinition& stage, std::string_view Key::* part,
                    std::string_view between) {
  std::string out;
  for (const Key& key : keys) {
    if (key.asks_for_changes && !stage.takes_changes()) continue;
    out += (out.empty() ? "" : std::string(between)) + std::string(key.*part);
  }
  return out;
}

/// The oldest open review after this one that nobody else has claimed.
Result<std::optional<Review>> next_open(Records& records, JobId job, ReviewId after,
                                        const std::string& person, Timestamp now) {
  std::optional<Review> next;
  const ReviewFilter open{
      .job = job, .status = ReviewStatus::open, .after = after, .limit = page_size};
  const Status read = each_row(records, open, [&](const Review& review) -> Result<bool> {
    const bool is_taken =
        !review.claimed_by.empty() && review.claimed_by != person && review.claimed_until > now;
    if (is_taken) return true;
    const Result<bool> asked = is_asked(records, review);
    if (!asked) return std::unexpected(asked.error());
    if (*asked) next = review;
    return !*asked;
  });
  if (!read) return std::unexpected(read.error());
  return next;
}

int show_only(Session& session, Records& records, const std::optional<Review>& next,
              const std::string& person) {
  if (!next) {
    session.present({.document = [] { return Json::object({{"reviews", Json::array({})}}); }});
    session.say("no reviews are waiting");
    return exit_done;
  }
  const Result<ShownReview> shown = load_review(records, next->id);
  if (!shown) return session.fail(shown.error());
  const std::string id = std::to_string(next->id.value());
  const auto document = [&]() -> Result<Json> {
    const Result<Json> review = shown_review_document(records, *shown);
    if (!review) return std::unexpected(review.error());
    return Json::object({{"reviews", Json::array({*review})}});
  };
  const auto text = [&] {
    return review_screen(records, *shown, session.style(), session.times(), person,
                         output_lines_max);
  };
  const int code = session.present({.document = document, .text = text, .id = [&] { return id; }});
  session.say("decide: pawl review approve " + id + " | edit " + id +
              (shown->stage().takes_changes() ? " | changes " + id + " --note TEXT" : "") +
              " | reject " + id + " --reason TEXT");
  return code;
}

/// One person at a terminal decides one review after the other.
class Sitting {
 public:
  Sitting(Session& session, Store& store, std::string person, JobId job)
      : session_(session), store_(store), person_(std::move(person)), job_(job) {}

  int run() {
    for (;;) {
      const Result<std::optional<Review>> next =
          next_open(store_.records(), job_, last_, person_, store_.now());
      if (!next) return session_.fail(next.error());
      if (!*next) {
        session_.print(decided_ == 0 && last_ == ReviewId{}
                           ? std::string("no reviews are waiting\n")
                           : "no more reviews; " + counted(decided_, "decision") + " made\n");
        return exit_done;
      }
      last_ = (*next)->id;
      const Result<Job> claimed = store_.act(
          ClaimReview{.review = last_, .by = person_, .until = store_.now() + claim_lasts});
      // Somebody else claimed it first.
      if (!claimed && claimed.error().code == ErrorCode::conflict) continue;
      if (!claimed) return session_.fail(claimed.error());
      const std::optional<int> ended = decide_one();
      if (ended) return *ended;
    }
  }

 private:
  /// The exit code, or none to continue with the next review.
  std::optional<int> decide_one() {
    const Result<ShownReview> shown = load_review(store_.records(), last_);
    if (!shown) return session_.fail(shown.error());
    session_.print("\n" + review_screen(store_.records(), *shown, session_.style(),
                                        session_.times(), person_, output_lines_max));
    for (;;) {
      const int key = ask_for_key(shown->stage());
      session_.print("\n");
      switch (key) {
        case 'a':
          if (answered(*shown, {.outcome = ReviewOutcome::approve}, "approved")) return {};
          break;
        case 'e':
          if (edited(*shown)) return {};
          break;
        case 'c':
          if (!shown->stage().takes_changes()) {
            session_.print("cannot request changes: the stage has no `changes_rerun`\n");
            break;
          }
          if (noted(*shown, ReviewOutcome::request_changes, "what should change? ",
                    "sent back with your note")) {
            return {};
          }
          break;
        case 'r':
          if (noted(*shown, ReviewOutcome::reject, "why is it rejected? ", "rejected")) return {};
          break;
        case 'd': {
          const Result<std::string> diff =
              attempts_diff(store_.records(), *shown, session_.style());
          if (!diff) return session_.fail(diff.error());
          session_.print(*diff);
          break;
        }
        case 's':
          release();
          return {};
        case 'q':
        case control_d:
          release();
          return exit_done;
        case control_c:
        case -1:
          release();
          return exit_interrupted;
        case '?':
        default:
          session_.print(of_keys(shown->stage(), &Key::meaning, "\n") + "\n");
          break;
      }
    }
  }

  /// Shows the keys, and returns the first one pressed after that.
  int ask_for_key(const StageDefinition& stage) {
    session_.streams().out->flush();
    KeyReader reader;
    reader.forget_typed_ahead();
    session_.print(session_.style().paint(Paint::cyan, of_keys(stage, &Key::prompt, "  ")) + " ");
    session_.streams().out->flush();
    return reader.read();
  }

  /// Whether the review is decided, here or by somebody else.
  bool answered(const ShownReview& shown, Answer given, const std::string& words) {
    given.reviewer = person_;
    return reported(give_answer(store_, shown, std::move(given)), words);
  }

  bool reported(const Result<ShownReview>& after, const std::string& words) {
    if (after) {
      discard_drafts(session_, last_);
      ++decided_;
      session_.print("review " + std::to_string(last_.value()) + " " + words + "\n");
      return true;
    }
    session_.fail(after.error());
    return after.error().code == ErrorCode::conflict;
  }

  bool noted(const ShownReview& shown, ReviewOutcome outcome, const std::string& question,
             const std::string& words) {
    session_.print(question);
    session_.streams().out->flush();
    const std::optional<std::string> typed = read_line();
    if (!typed) return false;  // the next key is Ctrl-C
    const std::string& note = *typed;
    const bool was_escaped = note.find('\x1b') != std::string::npos;
    if (note.empty() || was_escaped) {
      session_.print(was_escaped ? "not decided\n" : "not decided: the note is empty\n");
      return false;
    }
    return answered(shown, {.outcome = outcome, .note = note}, words);
  }

  bool edited(const ShownReview& shown) {
    const Result<ShownReview> after =
        edit_review(session_, store_, shown, {.answer = {.reviewer = person_}});
    return reported(after, "approved with your edits");
  }

  void release() {
    // A claim that cannot be released expires by itself.
    (void)store_.act(ReleaseReview{.review = last_, .by = person_});
  }

  Session& session_;
  Store& store_;
  std::string person_;
  JobId job_;
  ReviewId last_;
  std::int64_t decided_ = 0;
};

int review_next(Session& session, const ReviewNextOptions& options) {
  const Result<std::string> person = Session::person(options.as);
  if (!person) return session.fail(person.error());
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
  if (sits_here) return Sitting(session, **store, *person, job).run();
  Records& records = (*store)->records();
  const Result<std::optional<Review>> next = next_open(records, job, {}, *person, (*store)->now());
  if (!next) return session.fail(next.error());
  return show_only(session, records, *next, *person);
}

}  // namespace

CommandEntry review_next_command() {
  return command("review next", "pawl review next",
                 "Show the review that has waited longest. On a terminal: decide with a "
                 "key, then see the next.",
                 &review_next, [](ReviewNextOptions& it) -> Words {
                   return {option("--job", &it.job, "JOB", "Only reviews of this job"),
                           person_option(it.as)};
                 });
}

}  // namespace pawl::cli
