#include "cli/input/review_sitting.hpp"

#include <array>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "cli/input/key_reader.hpp"
#include "cli/input/note.hpp"
#include "cli/input/opener.hpp"
#include "cli/input/pager.hpp"
#include "cli/input/recent_answers.hpp"
#include "cli/input/review_edit.hpp"
#include "cli/output/review_view.hpp"
#include "cli/output/rows.hpp"
#include "views/open_reviews.hpp"

namespace pawl::cli {

using views::count_open_reviews;
using views::counted_reviews_max;
using views::next_open_review;
using views::place_of;

namespace {

constexpr int control_c = 3;
constexpr int control_d = 4;

/// When a key is offered.
enum class Offered : std::uint8_t { always, with_changes, with_files, with_undo };

/// A key with its prompt and its help line.
struct Key {
  std::string_view prompt;
  std::string_view meaning;
  Offered offered = Offered::always;
};
constexpr std::array keys{
    Key{"[a]pprove", "a  approve the content that is shown"},
    Key{"[e]dit in $EDITOR", "e  change that content in your editor, then approve it"},
    Key{"[c]hanges", "c  request another attempt; your note becomes its feedback",
        Offered::with_changes},
    Key{"[r]eject", "r  reject for good"},
    Key{"[d]iff", "d  compare the two newest outputs"},
    Key{"[s]kip", "s  leave it for later, or for others"},
    Key{"[v]iew", "v  view everything, page by page or in $PAGER"},
    Key{"[o]pen", "o  open a file with $PAWL_OPENER or xdg-open", Offered::with_files},
    Key{"[u]ndo", "u  take your last decision back, as long as it has not taken effect",
        Offered::with_undo},
    Key{"[?]", "?  show this help"},
    Key{"[q]uit", "q  stop reviewing"},
};

/// One person, and the reviews that the person has seen and decided.
class Sitting {
 public:
  Sitting(Session& session, Store& store, Actor actor, Reviewer reviewer, JobId job,
          Duration undo_for)
      : session_(session),
        store_(store),
        actor_(std::move(actor)),
        reviewer_(std::move(reviewer)),
        job_(job),
        answers_(store, actor_, undo_for),
        opener_(session, store.records()) {}

  int run() {
    if (const Status applied = answers_.apply_left(); !applied) {
      return session_.fail(applied.error());
    }
    for (;;) {
      if (const Status applied = answers_.apply_due(); !applied) {
        return session_.fail(applied.error());
      }
      const Result<std::optional<Review>> next =
          next_open_review(store_.records(), job_, last_, reviewer_, store_.now());
      if (!next) return session_.fail(next.error());
      if (!*next) {
        session_.print(decided_ == 0 && !last_.review
                           ? std::string("no reviews are waiting for you\n")
                           : "no more reviews; " + made_in_words() + "\n");
        if (const std::optional<int> ended = wait_for_effect()) return *ended;
        continue;
      }
      last_ = place_of(**next);
      const Result<Job> claimed =
          store_.act(ClaimReview{.review = last_.review,
                                 .by = actor_.name,
                                 .until = store_.now() + review_claim_lasts},
                     actor_);
      // Somebody else claimed it first.
      if (!claimed && claimed.error().code == ErrorCode::conflict) continue;
      if (!claimed) return session_.fail(claimed.error());
      ++seen_;
      const std::optional<int> ended = decide_one();
      if (ended) return *ended;
    }
  }

 private:
  /// The exit code, or none to continue with the next review.
  std::optional<int> decide_one() {
    const Result<ShownReview> shown =
        load_review_with_input(session_, store_.records(), last_.review);
    if (!shown) return session_.fail(shown.error());
    const Result<std::string> position = position_in_words();
    if (!position) return session_.fail(position.error());
    files_ = files_of(*shown);
    print_fitted(*shown, *position);
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
          if (noted(*shown, ReviewOutcome::request_changes, "what should change?",
                    "sent back with your note")) {
            return {};
          }
          break;
        case 'r':
          if (noted(*shown, ReviewOutcome::reject, "why is it rejected?", "rejected")) return {};
          break;
        case 'd': {
          const Result<std::string> diff =
              attempts_diff(store_.records(), *shown, session_.style());
          if (!diff) return session_.fail(diff.error());
          if (!show_paged(session_, *diff)) return interrupted();
          break;
        }
        case 'v':
          if (!show_paged(session_, review_text(page_of(*shown, *position), session_.style(), 0))) {
            return interrupted();
          }
          break;
        case 'o':
          opener_.open_one_of(files_);
          break;
        case 'u':
          if (undone()) return {};
          break;
        case 's':
          release();
          return {};
        case 'q':
        case control_d:
          release();
          return wait_for_effect();
        case control_c:
        case -1:
          return interrupted();
        case '?':
        default:
          session_.print(of_keys(shown->stage(), &Key::meaning, "\n") + "\n");
          break;
      }
    }
  }

  int interrupted() {
    release();
    return exit_interrupted;
  }

  /// "2 decisions made", and how many approvals that others have to follow.
  [[nodiscard]] std::string made_in_words() const {
    std::string text = counted(decided_, "decision") + " made";
    if (approved_ > 0) text += ", " + counted(approved_, "approval") + " given";
    return text;
  }

  /// "3 of 24"
  Result<std::string> position_in_words() {
    const Result<std::int64_t> left =
        count_open_reviews(store_.records(), job_, last_, reviewer_, store_.now());
    if (!left) return std::unexpected(left.error());
    const bool is_more = *left >= counted_reviews_max;
    return with_separators(seen_) + " of " + (is_more ? "more than " : "") +
           with_separators(is_more ? counted_reviews_max : seen_ + *left);
  }

  ReviewPage page_of(const ShownReview& shown, const std::string& position) {
    return review_page(store_.records(), shown, session_.style(), session_.times(), actor_.name,
                       position);
  }

  /// The review with its question below it, in the rows of the terminal.
  void print_fitted(const ShownReview& shown, const std::string& position) {
    TerminalSize size = terminal_size(STDOUT_FILENO);
    const std::size_t prompt =
        rows_of(of_keys(shown.stage(), &Key::prompt, "  "), size.columns - 1).size();
    const std::size_t taken = prompt + 1;  // an empty row above
    size.rows = size.rows > taken ? size.rows - taken : 1;
    session_.print("\n" + fitted_review(page_of(shown, position), session_.style(), size));
  }

  [[nodiscard]] bool is_offered(const Key& key, const StageDefinition& stage) const {
    switch (key.offered) {
      case Offered::always:
        return true;
      case Offered::with_changes:
        return stage.takes_changes();
      case Offered::with_files:
        return !files_.empty();
      case Offered::with_undo:
        return answers_.can_undo();
    }
    return true;
  }

  /// The prompts or help lines of the keys that are offered.
  [[nodiscard]] std::string of_keys(const StageDefinition& stage, std::string_view Key::* part,
                                    std::string_view between) const {
    std::string out;
    for (const Key& key : keys) {
      if (!is_offered(key, stage)) continue;
      out += (out.empty() ? "" : std::string(between)) + std::string(key.*part);
    }
    return out;
  }

  /// Shows the keys, and returns the first one pressed after that.
  int ask_for_key(const StageDefinition& stage) {
    session_.streams().out->flush();
    KeyReader reader;
    reader.forget_typed_ahead();
    const std::size_t columns = terminal_size(STDOUT_FILENO).columns;
    std::string prompt;
    for (const std::string& row : rows_of(of_keys(stage, &Key::prompt, "  "), columns - 1)) {
      prompt += (prompt.empty() ? "" : "\n") + row;
    }
    session_.print(session_.style().paint(Paint::cyan, prompt) + " ");
    session_.streams().out->flush();
    // The last answer takes effect while the person reads the next review.
    while (answers_.can_undo()) {
      if (const std::optional<int> key = reader.read(answers_.left())) return *key;
    }
    if (const Status applied = answers_.apply_due(); !applied) session_.fail(applied.error());
    return reader.read();
  }

  /// Whether the review is decided, here or by somebody else.
  bool answered(const ShownReview& shown, Answer given, const std::string& words) {
    given.effective_at = answers_.effective_at();
    return reported(shown, give_answer(store_, shown, std::move(given), actor_), words);
  }

  bool reported(const ShownReview& before, const Result<ShownReview>& after,
                const std::string& words) {
    if (after) {
      discard_drafts(session_, last_.review);
      ++(after->review.status == ReviewStatus::open ? approved_ : decided_);
      const bool can_undo = answers_.add(after->review, seen_) && answers_.can_undo();
      session_.print(answer_given_in_words(before, *after, words) +
                     (can_undo ? "; u takes it back" : "") + "\n");
      return true;
    }
    session_.fail(after.error());
    return after.error().code == ErrorCode::conflict;
  }

  bool noted(const ShownReview& shown, ReviewOutcome outcome, const std::string& question,
             const std::string& words) {
    const std::optional<std::string> note =
        ask_note(session_, last_.review, question, shown.stage().review_rules.reasons);
    return note && answered(shown, {.outcome = outcome, .note = *note}, words);
  }

  bool edited(const ShownReview& shown) {
    const EditRequest request{.actor = actor_, .answer = {}, .undo_for = answers_.undo_for()};
    return reported(shown, edit_review(session_, store_, shown, request),
                    "approved with your edits");
  }

  /// Takes the last answer back. Its review is shown next, and after it the one that is shown now.
  bool undone() {
    if (!answers_.can_undo()) {
      if (const Status applied = answers_.apply_due(); !applied) session_.fail(applied.error());
      session_.print("nothing to take back: your answers have taken effect\n");
      return false;
    }
    const Result<RecentAnswers::Given> taken = answers_.undo();
    if (!taken) {
      session_.fail(taken.error());
      return false;
    }
    const ReviewId review = taken->review.review;
    if (last_.review != review) release();
    session_.print("review " + std::to_string(review.value()) + " is open again\n");
    --decided_;
    // It is the next one that is found.
    seen_ = taken->position - 1;
    last_ = {taken->review.due_at, ReviewId{review.value() - 1}};
    return true;
  }

  /// Before the end, lets the last answers take effect. None if the person takes one back.
  std::optional<int> wait_for_effect() {
    if (answers_.can_undo()) {
      session_.print("your answer to review " + std::to_string(answers_.last().value()) +
                     " takes effect in " +
                     in_words(std::chrono::ceil<std::chrono::seconds>(answers_.left())) +
                     "; u takes it back\n");
      session_.streams().out->flush();
    }
    KeyReader reader;
    while (answers_.can_undo()) {
      const std::optional<int> key = reader.read(answers_.left());
      if (!key) continue;
      if (*key == control_c || *key < 0) return exit_interrupted;
      if (*key == 'u' && undone()) return std::nullopt;
    }
    if (const Status applied = answers_.apply_due(); !applied) {
      return session_.fail(applied.error());
    }
    return exit_done;
  }

  void release() {
    // A claim that cannot be released expires by itself.
    (void)store_.act(ReleaseReview{.review = last_.review, .by = actor_.name}, actor_);
  }

  Session& session_;
  Store& store_;
  const Actor actor_;
  const Reviewer reviewer_;
  JobId job_;
  ReviewPlace last_;               ///< of the review that was shown last
  std::vector<ReviewFile> files_;  ///< of the review that is shown
  RecentAnswers answers_;
  FileOpener opener_;
  std::int64_t seen_ = 0;
  std::int64_t decided_ = 0;   ///< without those that were taken back
  std::int64_t approved_ = 0;  ///< reviews that need other approvals, too
};

}  // namespace

int sit_at_reviews(Session& session, Store& store, const Actor& actor, const Reviewer& reviewer,
                   JobId job, Duration undo_for) {
  return Sitting(session, store, actor, reviewer, job, undo_for).run();
}

}  // namespace pawl::cli
