#include <set>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/listing.hpp"
#include "cli/output/review_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/views/documents.hpp"
#include "views/open_reviews.hpp"
#include "views/review_reader.hpp"
#include "views/votes.hpp"

namespace pawl::cli {
namespace {

struct ReviewListOptions {
  std::optional<std::int64_t> job;
  std::string status = "open";  ///< or "answered" (by a person), or "all"
  bool mine = false;
  std::string group;
  bool overdue = false;
  bool claimed = false;
  std::string as;
  std::uint32_t limit = 100;
  std::int64_t after = 0;
};

struct ReviewShowOptions {
  std::int64_t review = 0;
};

constexpr std::uint32_t page_size = 500;

std::string claim_of(const Review& review, const Times& times) {
  const bool holds = !review.claimed_by.empty() && review.claimed_until > times.now;
  return holds ? review.claimed_by + ", " + times.of(review.claimed_until) : std::string();
}

/// Whether a person has answered, and the answer counts.
bool is_answered(const Review& review) {
  return review.answer && review.status != ReviewStatus::superseded;
}

std::vector<Table::Column> review_columns(bool shows_answers) {
  std::vector<Table::Column> columns{{"REVIEW", Table::Align::right},
                                     {"JOB", Table::Align::right},
                                     {"ITEM", Table::Align::left, 50},
                                     {"STAGE", Table::Align::left, 40},
                                     {"REASON"},
                                     {"ATTEMPT", Table::Align::right},
                                     {"ASKED"}};
  const std::vector<Table::Column> of_answers{{"APPROVALS", Table::Align::left, 0, true},
                                              {"ANSWER"},
                                              {"BY", Table::Align::left, 30},
                                              {"WHEN"},
                                              {"NOTE", Table::Align::left, 50}};
  const std::vector<Table::Column> of_open{{"APPROVALS", Table::Align::left, 0, true},
                                           {"DUE"},
                                           {"ASSIGNED", Table::Align::left, 40},
                                           {"CLAIMED"}};
  const auto& more = shows_answers ? of_answers : of_open;
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

/// "1 of 2"; empty if one approval is enough.
std::string approvals_cell(const views::Votes& votes) {
  if (votes.needed == 1) return {};
  return std::to_string(votes.approvals.size()) + " of " + std::to_string(votes.needed);
}

/// The approvals, by when, to whom it is assigned, and who is at it.
Listing::Cells open_cells(const Review& review, const views::Votes& votes, const Times& times) {
  std::string assigned;
  for (const std::string& name : review.assigned) {
    assigned += (assigned.empty() ? "" : ", ") + name;
  }
  return {
      approvals_cell(votes),
      {times.of(review.due_at), views::is_overdue(review, times.now) ? Paint::red : Paint::plain},
      assigned,
      claim_of(review, times)};
}

/// What was answered, by whom, when, and the note. A review without an answer shows its status.
Listing::Cells answer_cells(const Review& review, const views::Votes& votes, const Times& times) {
  const std::string approvals = approvals_cell(votes);
  if (!is_answered(review)) return {approvals, std::string(name_of(review.status)), "", "", ""};
  const bool is_closed = review.closed_at != no_time;
  return {approvals, views::outcome_in_words(review, votes, *review.answer),
          review.answer->reviewer, is_closed ? times.of(review.closed_at) : "not effective yet",
          review.answer->note};
}

/// Adds reviews to a list.
class ReviewRows {
 public:
  ReviewRows(Records& records, Listing& list, const Times& times, bool shows_answers)
      : reader_(records, times.now), list_(list), times_(times), shows_answers_(shows_answers) {}

  /// False if the list is full. Leaves out open reviews that need no answer.
  Result<bool> add(const Review& review) {
    const Result<bool> asked = reader_.is_asked(review);
    if (!asked) return asked;
    if (review.status == ReviewStatus::open && !*asked) {
      const auto asker = reader_.asker_of(review);
      if (asker && (*asker)->job.trust == Trust::untrusted) untrusted_.insert(review.job);
      return true;
    }
    const bool is_added = list_.add({.document = [&] { return document_of(review); },
                                     .id = [&] { return std::to_string(review.id.value()); },
                                     .cells = [&] { return cells_of(review); }});
    if (is_added) last_ = review.id.value();
    return is_added;
  }

  [[nodiscard]] const std::set<JobId>& untrusted() const { return untrusted_; }
  /// The number of the last review in the list.
  [[nodiscard]] std::int64_t last() const { return last_; }

 private:
  Result<Json> document_of(const Review& review) {
    const Result<ShownReview> shown = reader_.read(review);
    if (!shown) return std::unexpected(shown.error());
    return views::short_review_document(*shown);
  }

  Result<Listing::Cells> cells_of(const Review& review) {
    const Result<ShownReview> shown = reader_.read(review);
    if (!shown) return std::unexpected(shown.error());
    Listing::Cells row{std::to_string(review.id.value()),   std::to_string(review.job.value()),
                       id_part(shown->item_key()),          shown->task_name(),
                       std::string(name_of(review.reason)), std::to_string(review.attempt),
                       times_.of(review.opened_at)};
    const Listing::Cells more = shows_answers_ ? answer_cells(review, shown->votes, times_)
                                               : open_cells(review, shown->votes, times_);
    row.insert(row.end(), more.begin(), more.end());
    return row;
  }

  views::ReviewReader reader_;
  Listing& list_;
  const Times& times_;
  const bool shows_answers_;
  std::set<JobId> untrusted_;
  std::int64_t last_ = 0;
};

/// The open reviews that the options select, after the named one.
Result<InboxFilter> inbox_of(Store& store, const ReviewListOptions& options) {
  InboxFilter inbox{.job = JobId{options.job.value_or(0)}, .limit = page_size};
  const Actor actor = Session::actor(options.as);
  if (options.mine) {
    const Result<views::Reviewer> reviewer = views::reviewer_of(store, actor);
    if (!reviewer) return std::unexpected(reviewer.error());
    inbox.assigned_to = reviewer->addresses();
  }
  if (!options.group.empty()) {
    inbox.assigned_to = {std::string(group_prefix) + options.group};
    inbox.open_to_all = false;
  }
  if (options.claimed) inbox.claimed_by = actor.name;
  if (options.overdue) inbox.overdue_at = store.now();
  if (options.after > 0) {
    const Result<Review> last = store.records().review(ReviewId{options.after});
    if (!last) return std::unexpected(last.error());
    inbox.after_due = last->due_at;
    inbox.after = last->id;
  }
  return inbox;
}

std::vector<std::string> hints_of(const Listing& list, const ReviewRows& rows, bool is_open) {
  std::vector<std::string> hints;
  if (!list.is_empty() && is_open) hints.emplace_back("decide: pawl review next");
  for (const JobId job : rows.untrusted()) {
    const std::string number = std::to_string(job.value());
    std::string hint = "reviews of job " + number;
    hint += " are not listed: it was imported and is not trusted; accept it: pawl job trust ";
    hints.push_back(hint + number);
  }
  return hints;
}

int review_list(Session& session, const ReviewListOptions& options) {
  const bool is_open = options.status == "open";
  const bool is_selected =
      options.mine || !options.group.empty() || options.overdue || options.claimed;
  if (is_selected && !is_open) {
    return session.fail_usage(
        "--mine, --group, --overdue and --claimed select open reviews, not those with --status " +
            options.status,
        "omit --status");
  }
  if (options.mine && !options.group.empty()) {
    return session.fail_usage("--mine and --group exclude each other",
                              "--mine includes the reviews of your groups");
  }
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  if (const Status there = require_job(records, options.job); !there) {
    return session.fail(there.error());
  }
  const Times times = session.times();
  Listing list(session,
               {.array = "reviews", .columns = review_columns(!is_open), .limit = options.limit});
  ReviewRows rows(records, list, times, !is_open);
  Listing::Ending ending{.none = "no matching reviews"};
  const auto finish = [&](const Status& read) {
    if (!read) return session.fail(read.error());
    ending.hints = hints_of(list, rows, is_open);
    ending.next = list.is_cut() ? Json(rows.last()) : Json();
    return list.finish(ending);
  };
  if (is_open) {
    const Result<InboxFilter> inbox = inbox_of(**store, options);
    if (!inbox) return session.fail(inbox.error());
    ending.total = [&records, inbox = *inbox] { return records.count(inbox); };
    return finish(each_row(records, *inbox, [&](const Review& review) -> Result<bool> {
      const bool has_expired = options.claimed && review.claimed_until <= times.now;
      if (review.status != ReviewStatus::open || has_expired) return true;
      return rows.add(review);
    }));
  }
  // An answer is effective at once as a rule, which closes the review.
  const bool wants_answered = options.status == "answered";
  const ReviewFilter filter{
      .job = JobId{options.job.value_or(0)},
      .status = wants_answered ? std::nullopt : from_name<ReviewStatus>(options.status),
      .after = ReviewId{options.after},
      .limit = page_size};
  return finish(each_row(records, filter, [&](const Review& review) -> Result<bool> {
    if (wants_answered && !is_answered(review)) return true;
    return rows.add(review);
  }));
}

int review_show(Session& session, const ReviewShowOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<ShownReview> shown =
      load_review_with_input(session, records, ReviewId{options.review});
  if (!shown) return session.fail(shown.error());
  const auto document = [&]() -> Result<Json> {
    const Result<Json> review = shown_review_document(records, *shown);
    if (!review) return std::unexpected(review.error());
    return Json::object({{"reviews", Json::array({*review})}});
  };
  const auto text = [&] {
    const std::string viewer = Session::actor({}).name;
    return review_text(review_page(records, *shown, session.style(), session.times(), viewer),
                       session.style(), 0);
  };
  return session.present({.document = document, .text = text});
}

}  // namespace

CommandEntry review_list_command() {
  return command(
      "review list", "pawl review list --mine", "List open reviews, by due time.", &review_list,
      [](ReviewListOptions& it) -> Words {
        return {
            option("--job", &it.job, "JOB", "Only reviews of this job"),
            choice("--status", &it.status, {"open", "answered", "closed", "superseded", "all"},
                   "Only reviews in this status; default: open"),
            flag("--mine", it.mine,
                 "Only those that are assigned to you, to one of your groups or to nobody"),
            option("--group", &it.group, "NAME", "Only those that are assigned to this group"),
            flag("--overdue", it.overdue, "Only those whose due time has passed"),
            flag("--claimed", it.claimed, "Only those that you have claimed"),
            person_option(it.as),
            limit_option(it.limit),
            option("--after", &it.after, "REVIEW", "Continue the list after this review"),
        };
      });
}

CommandEntry review_show_command() {
  return command("review show", "pawl review show 318",
                 "Show a review with its criteria, attempts, input and output.", &review_show,
                 [](ReviewShowOptions& it) -> Words {
                   return {argument(&it.review, "REVIEW", "The review number")};
                 });
}

}  // namespace pawl::cli
