#include <functional>
#include <set>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/input/id_list.hpp"
#include "cli/output/listing.hpp"
#include "cli/output/review_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct ReviewListOptions {
  std::optional<std::int64_t> job;
  std::string status = "open";  ///< or "answered" (by a person), or "all"
  std::uint32_t limit = 100;
  std::int64_t after = 0;
};

struct ReviewShowOptions {
  std::int64_t review = 0;
};

struct ReviewClaimOptions {
  std::vector<std::string> reviews;  ///< "-": read from stdin
  std::string as;
  std::string lasting = "10m";
};

constexpr std::uint32_t page_size = 500;

std::string claim_of(const Review& review, const Times& times) {
  const bool holds = !review.claimed_by.empty() && review.claimed_until > times.now;
  return holds ? review.claimed_by + ", " + times.of(review.claimed_until) : std::string();
}

/// What a review is about.
struct Subject {
  std::string key;  ///< of the item; empty: a job-wide stage
  std::string stage;
  std::string child;  ///< the name of the fan-out child; empty: it is none

  [[nodiscard]] std::string task_name() const {
    return child.empty() ? stage : stage + "[" + child + "]";
  }
};

Result<Subject> subject_of(Records& records, const Review& review) {
  const Result<Job> job = records.job(review.job);
  if (!job) return std::unexpected(job.error());
  const Result<Workflow> workflow = records.workflow(job->workflow_hash);
  if (!workflow) return std::unexpected(workflow.error());
  const Result<Task> task = records.task(review.task);
  if (!task) return std::unexpected(task.error());
  Subject subject{.key = {},
                  .stage = workflow->stage(stage_of(review.task)).name,
                  .child = task->child ? task->child->key : std::string()};
  if (!review.item) return subject;
  const Result<Item> item = records.item(review.item);
  if (!item) return std::unexpected(item.error());
  subject.key = item->key;
  return subject;
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
  if (!shows_answers) {
    columns.push_back({"CLAIMED"});
    return columns;
  }
  columns.push_back({"ANSWER"});
  columns.push_back({"BY", Table::Align::left, 30});
  columns.push_back({"WHEN"});
  columns.push_back({"NOTE", Table::Align::left, 50});
  return columns;
}

/// What was answered, by whom, when, and the note. A review without an answer shows its status.
std::vector<std::string> answer_cells(const Review& review, const Times& times) {
  if (!is_answered(review)) return {std::string(name_of(review.status)), "", "", ""};
  const bool is_closed = review.closed_at != no_time;
  return {std::string(name_of(review.answer->outcome)), review.answer->reviewer,
          is_closed ? times.of(review.closed_at) : "not effective yet", review.answer->note};
}

/// Applies the operation to each named review.
int change_each(Session& session, const ReviewClaimOptions& options, const std::string& words,
                const std::function<Act(const Store&, ReviewId, const std::string&)>& act) {
  const Result<std::vector<std::string>> reviews = read_numbers(session, options.reviews, "review");
  if (!reviews) return session.fail(reviews.error());
  const Result<std::string> by = Session::person(options.as);
  if (!by) return session.fail(by.error());
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  return do_each(
      session, *reviews,
      [&](const std::string& id) -> Result<Done> {
        const ReviewId review{number_of(id)};
        const Result<Job> done = (*store)->act(act(**store, review, *by));
        if (!done) return std::unexpected(done.error());
        const Result<ShownReview> shown = load_review((*store)->records(), review);
        if (!shown) return std::unexpected(shown.error());
        return Done{.document = views::short_review_document(*shown),
                    .words = "review " + id + " " + words};
      },
      "reviews");
}

int review_list(Session& session, const ReviewListOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  if (const Status there = require_job(records, options.job); !there) {
    return session.fail(there.error());
  }
  const Times times = session.times();
  const bool shows_answers = options.status != "open";
  Listing list(
      session,
      {.array = "reviews", .columns = review_columns(shows_answers), .limit = options.limit});
  // An answer is effective at once as a rule, which closes the review.
  const bool wants_answered = options.status == "answered";
  const ReviewFilter filter{
      .job = JobId{options.job.value_or(0)},
      .status = wants_answered ? std::nullopt : from_name<ReviewStatus>(options.status),
      .after = ReviewId{options.after},
      .limit = page_size};
  std::set<JobId> untrusted;
  std::int64_t last = 0;
  const Status read = each_row(records, filter, [&](const Review& review) -> Result<bool> {
    if (wants_answered && !is_answered(review)) return true;
    const Result<bool> asked = is_asked(records, review);
    if (!asked) return asked;
    if (review.status == ReviewStatus::open && !*asked) {
      const Result<Job> job = records.job(review.job);
      if (job && job->trust == Trust::untrusted) untrusted.insert(job->id);
      return true;
    }
    const auto document = [&]() -> Result<Json> {
      const Result<Subject> subject = subject_of(records, review);
      if (!subject) return std::unexpected(subject.error());
      return review_document(review, subject->key, subject->stage, subject->child);
    };
    const auto cells = [&]() -> Result<Listing::Cells> {
      const Result<Subject> subject = subject_of(records, review);
      if (!subject) return std::unexpected(subject.error());
      Listing::Cells row{std::to_string(review.id.value()),
                         std::to_string(review.job.value()),
                         id_part(subject->key),
                         subject->task_name(),
                         std::string(name_of(review.reason)),
                         std::to_string(review.attempt),
                         times.of(review.opened_at)};
      if (!shows_answers) {
        row.emplace_back(claim_of(review, times));
        return row;
      }
      for (std::string& cell : answer_cells(review, times)) row.emplace_back(std::move(cell));
      return row;
    };
    const auto id = [&] { return std::to_string(review.id.value()); };
    const bool added = list.add({.document = document, .id = id, .cells = cells});
    if (added) last = review.id.value();
    return added;
  });
  if (!read) return session.fail(read.error());
  std::vector<std::string> hints;
  if (!list.is_empty() && !shows_answers) hints.emplace_back("decide: pawl review next");
  for (const JobId job : untrusted) {
    const std::string number = std::to_string(job.value());
    std::string hint = "reviews of job " + number;
    hint += " are not listed: it was imported and is not trusted; accept it: pawl job trust ";
    hints.push_back(hint + number);
  }
  return list.finish({.none = "no matching reviews",
                      .hints = std::move(hints),
                      .next = list.is_cut() ? Json(last) : Json()});
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
    const std::string viewer = Session::person("").value_or("");
    return review_text(review_page(records, *shown, session.style(), session.times(), viewer),
                       session.style(), 0);
  };
  return session.present({.document = document, .text = text});
}

int review_claim(Session& session, const ReviewClaimOptions& options) {
  const Result<Duration> lasting = parse_duration(options.lasting);
  if (!lasting) return session.fail(lasting.error());
  if (*lasting <= Duration::zero()) {
    return session.fail_usage(
        "--for must be longer than 0s, not '" + printable(options.lasting) + "'",
        "pass a duration such as --for 10m; to release a claim: "
        "pawl review release REVIEW");
  }
  const Result<std::string> by = Session::person(options.as);
  if (!by) return session.fail(by.error());
  return change_each(
      session, options, "is claimed by " + printable(*by) + " for " + in_words(*lasting),
      [&](const Store& store, ReviewId review, const std::string& person) {
        return ClaimReview{.review = review, .by = person, .until = store.now() + *lasting};
      });
}

int review_release(Session& session, const ReviewClaimOptions& options) {
  return change_each(session, options, "is released",
                     [](const Store&, ReviewId review, const std::string& person) {
                       return ReleaseReview{.review = review, .by = person};
                     });
}

}  // namespace

CommandEntry review_list_command() {
  return command(
      "review list", "pawl review list", "List open reviews, oldest first.", &review_list,
      [](ReviewListOptions& it) -> Words {
        return {
            option("--job", &it.job, "JOB", "Only reviews of this job"),
            choice("--status", &it.status, {"open", "answered", "closed", "superseded", "all"},
                   "Only reviews in this status; default: open"),
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

CommandEntry review_claim_command() {
  return command(
      "review claim", "pawl review claim 318 --for 30m",
      "Claim a review, so that nobody else can answer it.", &review_claim,
      [](ReviewClaimOptions& it) -> Words {
        return {reviews_argument(it.reviews),
                option("--for", &it.lasting, "TIME", "How long the claim lasts; default: 10m"),
                person_option(it.as)};
      });
}

CommandEntry review_release_command() {
  return command("review release", "pawl review release 318", "Release a claimed review.",
                 &review_release, [](ReviewClaimOptions& it) -> Words {
                   return {reviews_argument(it.reviews), person_option(it.as)};
                 });
}

}  // namespace pawl::cli
