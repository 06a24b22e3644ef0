/// The inbox: the reviews that wait for people, and those that were answered.

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/record_lookup.hpp"
#include "service/api/review_handlers.hpp"
#include "views/open_reviews.hpp"
#include "views/review_reader.hpp"

namespace pawl::service {
namespace {

using views::Reviewer;
using views::ReviewPlace;
using views::ReviewReader;
using views::ShownReview;

/// A page ends after so many reviews that were looked at, whether they were wanted or not.
constexpr std::uint32_t looked_at_max = 5'000;
constexpr std::uint32_t page_size_max = 500;

/// Which reviews are wanted, as far as the store cannot look them up.
struct Wanted {
  std::string stage;
  std::string workflow;
  std::optional<ReviewReason> reason;
  bool unclaimed = false;
  bool claimed = false;   ///< by a claim that has not run out
  bool answered = false;  ///< by a person, and the answer counts

  /// Whether the store can look them up, and count them.
  [[nodiscard]] bool is_any() const {
    return stage.empty() && workflow.empty() && !reason && !unclaimed && !claimed && !answered;
  }

  [[nodiscard]] Result<bool> includes(ReviewReader& reader, const Review& review,
                                      Timestamp now) const {
    if (reason && review.reason != *reason) return false;
    const bool is_claimed = is_claimed_by_other(review, {}, now);
    if ((unclaimed && is_claimed) || (claimed && !is_claimed)) return false;
    const bool is_answered = review.answer && review.status != ReviewStatus::superseded;
    if (answered && !is_answered) return false;
    if (stage.empty() && workflow.empty()) return true;
    const Result<const ReviewReader::Asker*> asker = reader.asker_of(review);
    if (!asker) return std::unexpected(asker.error());
    return (stage.empty() || (*asker)->stage(review).name == stage) &&
           (workflow.empty() || (*asker)->workflow.name() == workflow);
  }
};

/// A row, or nothing if its item has been deleted meanwhile.
Status add_row(ReviewReader& reader, const Review& review, PageRows& rows) {
  const Result<ShownReview> shown = reader.read(review);
  if (!shown && shown.error().code != ErrorCode::not_found) return std::unexpected(shown.error());
  if (shown) rows.add(views::short_review_document(*shown));
  return {};
}

/// "1700000000000000-12": when the review is due, in microseconds, and its number.
std::string cursor_of(const ReviewPlace& place) {
  return std::to_string(place.due_at.time_since_epoch().count()) + "-" +
         std::to_string(place.review.value());
}

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return is_number && number >= 0 ? std::optional(number) : std::nullopt;
}

std::unexpected<Error> no_cursor() {
  return fail(ErrorCode::invalid, "'after' is not the cursor of this list",
              "pass `next` of the page before, with the same filters");
}

Result<ReviewPlace> place_in(const std::string& cursor) {
  if (cursor.empty()) return ReviewPlace{};
  const std::size_t dash = cursor.find('-');
  if (dash == std::string::npos) return no_cursor();
  const auto due = number_in(std::string_view(cursor).substr(0, dash));
  const auto review = number_in(std::string_view(cursor).substr(dash + 1));
  if (!due || !review || *review == 0) return no_cursor();
  return ReviewPlace{.due_at = Timestamp(Duration(*due)), .review = ReviewId{*review}};
}

/// Reviews that wait for an answer, those that are due first.
class Inbox {
 public:
  Inbox(Store& store, InboxFilter filter, Wanted wanted)
      : store_(store), filter_(std::move(filter)), wanted_(std::move(wanted)) {}

  [[nodiscard]] Result<Page> page(const std::string& after, std::uint32_t limit) const {
    const Result<ReviewPlace> begin = place_in(after);
    if (!begin) return std::unexpected(begin.error());
    InboxFilter filter = filter_;
    filter.after_due = begin->due_at;
    filter.after = begin->review;
    filter.limit = std::min(limit + 1, page_size_max);
    ReviewReader reader(store_.records(), store_.now());
    PageRows rows(limit);
    std::optional<std::string> next;
    ReviewPlace last;
    std::uint32_t looked_at = 0;
    const auto see = [&](const Review& review) -> Result<bool> {
      if (rows.is_full() || looked_at == looked_at_max) {
        next = cursor_of(last);
        return false;
      }
      ++looked_at;
      last = views::place_of(review);
      const Result<bool> is_wanted = includes(reader, review);
      if (!is_wanted) return is_wanted;
      if (!*is_wanted) return true;
      if (const Status added = add_row(reader, review, rows); !added) {
        return std::unexpected(added.error());
      }
      return true;
    };
    if (const Status read = each_row(store_.records(), filter, see); !read) {
      return std::unexpected(read.error());
    }
    return std::move(rows).page(std::move(next));
  }

  /// The same reviews that the pages have, counted.
  [[nodiscard]] Result<Tally> total() const {
    InboxFilter filter = filter_;
    filter.limit = tally_max + 1;
    const Result<std::vector<Review>> rows = store_.records().inbox(filter);
    if (!rows) return std::unexpected(rows.error());
    ReviewReader reader(store_.records(), store_.now());
    Tally tally;
    for (const Review& review : *rows) {
      const Result<bool> is_wanted = includes(reader, review);
      if (!is_wanted) return std::unexpected(is_wanted.error());
      if (*is_wanted) ++tally.count;
    }
    tally.is_more = rows->size() > tally_max;
    tally.count = std::min<std::int64_t>(tally.count, tally_max);
    return tally;
  }

 private:
  [[nodiscard]] Result<bool> includes(ReviewReader& reader, const Review& review) const {
    const Result<bool> asked = reader.is_asked(review);
    if (!asked || !*asked) return asked;
    return wanted_.includes(reader, review, store_.now());
  }

  Store& store_;
  InboxFilter filter_;
  Wanted wanted_;
};

/// Reviews of any status, in the order of their numbers.
Result<Page> page_of_all(Store& store, ReviewFilter filter, const Wanted& wanted,
                         const std::string& after, std::uint32_t limit) {
  if (!after.empty()) {
    const std::optional<std::int64_t> last = number_in(after);
    if (!last) return no_cursor();
    filter.after = ReviewId{*last};
  }
  filter.limit = std::min(limit + 1, page_size_max);
  ReviewReader reader(store.records(), store.now());
  PageRows rows(limit);
  std::optional<std::string> next;
  ReviewId last;
  std::uint32_t looked_at = 0;
  const auto see = [&](const Review& review) -> Result<bool> {
    if (rows.is_full() || looked_at == looked_at_max) {
      next = std::to_string(last.value());
      return false;
    }
    ++looked_at;
    last = review.id;
    const Result<bool> is_wanted = wanted.includes(reader, review, store.now());
    if (!is_wanted) return is_wanted;
    if (!*is_wanted) return true;
    if (const Status added = add_row(reader, review, rows); !added) {
      return std::unexpected(added.error());
    }
    return true;
  };
  if (const Status read = each_row(store.records(), filter, see); !read) {
    return std::unexpected(read.error());
  }
  return std::move(rows).page(std::move(next));
}

/// `me` as the name, and the groups of the caller.
Result<std::vector<std::string>> assignees_in(Call& call) {
  std::vector<std::string> names;
  for (const std::string& name : call.query.texts("assigned_to")) {
    if (name != "me") {
      names.push_back(name);
      continue;
    }
    const Result<Reviewer> reviewer = views::reviewer_of(call.store(), call.actor());
    if (!reviewer) return std::unexpected(reviewer.error());
    std::ranges::copy(reviewer->addresses(), std::back_inserter(names));
  }
  return names;
}

bool has_me(const Call& call) {
  const std::vector<std::string> names = call.query.texts("assigned_to");
  return std::ranges::find(names, "me") != names.end();
}

Wanted wanted_by(const Call& call) {
  Wanted wanted{.stage = call.query.text("stage"),
                .workflow = call.query.text("workflow"),
                .unclaimed = call.query.flag("unclaimed"),
                .claimed = call.query.has("claimed_by"),
                .answered = call.query.text("status") == "answered"};
  if (call.query.has("reason")) wanted.reason = from_name<ReviewReason>(call.query.text("reason"));
  return wanted;
}

Result<InboxFilter> inbox_wanted_by(Call& call) {
  Result<std::vector<std::string>> assignees = assignees_in(call);
  if (!assignees) return std::unexpected(std::move(assignees.error()));
  if (call.query.has("assigned_to") && assignees->empty()) {
    return fail(ErrorCode::invalid, "parameter 'assigned_to' names nobody",
                "name people and groups: me,anna,group:editors");
  }
  InboxFilter filter{
      .assigned_to = std::move(*assignees),
      .open_to_all = call.query.has("open_to_all") ? call.query.flag("open_to_all") : has_me(call),
      .job = JobId{call.query.integer("job")}};
  filter.claimed_by = call.query.text("claimed_by");
  if (filter.claimed_by == "me") filter.claimed_by = call.actor().name;
  if (call.query.flag("overdue")) filter.overdue_at = call.store().now();
  return filter;
}

/// `invalid` if the query selects by what only open reviews have.
Status check_only_of_open(const Call& call, const std::string& status) {
  std::string names;
  for (const char* name : {"assigned_to", "open_to_all", "claimed_by", "unclaimed", "overdue"}) {
    if (call.query.has(name)) names += (names.empty() ? "" : ", ") + std::string(name);
  }
  if (names.empty()) return {};
  return fail(ErrorCode::invalid,
              names +
                  ": only open reviews are selected by this, not those of "
                  "status " +
                  status,
              "leave out `status`");
}

}  // namespace

Result<Reply> list_reviews(Call& call) {
  Store& store = call.store();
  const JobId job{call.query.integer("job")};
  if (job) {
    if (const Result<Job> there = store.records().job(job); !there) {
      return std::unexpected(there.error());
    }
  }
  const std::string status = call.query.has("status") ? call.query.text("status") : "open";
  const Wanted wanted = wanted_by(call);
  List list;
  if (status == "open") {
    Result<InboxFilter> filter = inbox_wanted_by(call);
    if (!filter) return std::unexpected(std::move(filter.error()));
    const Inbox inbox(store, std::move(*filter), wanted);
    list.page = [inbox](const std::string& after, std::uint32_t limit) {
      return inbox.page(after, limit);
    };
    if (wanted.is_any()) list.total = [inbox] { return inbox.total(); };
  } else {
    if (const Status good = check_only_of_open(call, status); !good) {
      return std::unexpected(good.error());
    }
    const ReviewFilter filter{
        .job = job, .status = from_name<ReviewStatus>(wanted.answered ? std::string() : status)};
    list.page = [&store, filter, wanted](const std::string& after, std::uint32_t limit) {
      return page_of_all(store, filter, wanted, after, limit);
    };
  }
  if (!list.total) list.members.emplace_back("total", Json());
  return list;
}

Result<Reply> next_review(Call& call) {
  Store& store = call.store();
  const JobId job{call.query.integer("job")};
  const Result<Reviewer> reviewer = views::reviewer_of(store, call.actor());
  if (!reviewer) return std::unexpected(reviewer.error());
  ReviewPlace after;
  if (call.query.has("after")) {
    const Result<Review> last = store.records().review(ReviewId{call.query.integer("after")});
    if (!last) return std::unexpected(last.error());
    after = views::place_of(*last);
  }
  const Timestamp now = store.now();
  const Result<std::optional<Review>> next =
      views::next_open_review(store.records(), job, after, *reviewer, now);
  if (!next) return std::unexpected(next.error());
  const Result<std::int64_t> waiting =
      views::count_open_reviews(store.records(), job, {}, *reviewer, now);
  if (!waiting) return std::unexpected(waiting.error());
  Json shown;
  if (*next) {
    Result<Json> document = review_as_it_is(store, (*next)->id);
    if (!document) return std::unexpected(std::move(document.error()));
    shown = std::move(*document);
  }
  const Tally tally{.count = *waiting, .is_more = *waiting >= views::counted_reviews_max};
  return Document{Json::object({{"review", shown}, {"waiting", tally_document(tally)}})};
}

}  // namespace pawl::service
