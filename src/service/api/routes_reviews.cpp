/// The table of the routes of reviews.

#include <limits>

#include "pawl/core/review_rules.hpp"
#include "service/api/review_handlers.hpp"

namespace pawl::service {
namespace {

constexpr std::size_t edits_max = std::size_t{16} << 20U;
constexpr std::int64_t attempts_max = std::numeric_limits<AttemptNumber>::max();

std::vector<std::string_view> outcomes() {
  return {"approve", "approve_with_edits", "request_changes", "reject"};
}

std::vector<Field> inbox_query() {
  return {
      {.name = "status",
       .about = "Reviews that are `open`, unless it is given; `answered`: by a person.",
       .words = {"open", "answered", "closed", "superseded", "all"}},
      {.name = "assigned_to",
       .kind = FieldKind::texts,
       .about = "Those that are assigned to one of these names or groups: `me,group:editors`. `me` "
                "includes the groups of the caller.",
       .length_max = 20},
      {.name = "open_to_all",
       .kind = FieldKind::flag,
       .about = "With `assigned_to`: also those that are assigned to nobody. True with `me`, else "
                "false, unless it is given."},
      {.name = "claimed_by", .about = "Only what this person has claimed now; `me` is the caller."},
      {.name = "unclaimed", .kind = FieldKind::flag, .about = "Only what nobody has claimed now."},
      {.name = "overdue", .kind = FieldKind::flag, .about = "Only what is overdue."},
      {.name = "job", .kind = FieldKind::integer, .about = "Only those of this job.", .min = 1},
      {.name = "stage", .about = "Only those of stages with this name."},
      {.name = "workflow", .about = "Only those of workflows with this name."},
      {.name = "reason",
       .about = "Only those that were opened for this reason.",
       .words = {"policy", "uncertain", "exhausted", "blocked", "requested"}},
  };
}

/// A route about one review that answers with its document.
Route act(std::string_view path, Handle handle, std::string_view operation,
          std::string_view summary, std::vector<Field> body = {}) {
  return {.method = "POST",
          .path = path,
          .access = Access::needs(Right::decide),
          .handle = handle,
          .operation = operation,
          .tag = "reviews",
          .summary = summary,
          .body = std::move(body),
          .schema = "Review"};
}

Route reading(std::string_view path, Handle handle, std::string_view operation,
              std::string_view summary, std::string_view schema) {
  return {.method = "GET",
          .path = path,
          .access = Access::needs(Right::see),
          .handle = handle,
          .operation = operation,
          .tag = "reviews",
          .summary = summary,
          .schema = schema};
}

Field attempt_field(std::string_view name, std::string_view about) {
  return {.name = name, .kind = FieldKind::integer, .about = about, .min = 1, .max = attempts_max};
}

std::vector<Field> answer_body() {
  return {
      {.name = "outcome",
       .about = "What is decided. `request_changes` runs the stage again with the note as its "
                "feedback; `reject` is "
                "final.",
       .is_required = true,
       .words = outcomes()},
      {.name = "digest",
       .about =
           "Of the review that was shown. If it does not fit any more, nothing is recorded: 409 "
           "with `changed`.",
       .is_required = true,
       .length_max = 256},
      attempt_field("attempt_number",
                    "The attempt that is approved or edited: what others approved, else the newest "
                    "shown, unless it is given."),
      {.name = "edits",
       .kind = FieldKind::any,
       .about = "The whole changed output, for `approve_with_edits`."},
      {.name = "note", .about = "Required to request changes and to reject."},
      {.name = "grace_s",
       .kind = FieldKind::integer,
       .about = "For so many seconds the answer can be taken back; then it takes effect.",
       .min = 0,
       .max = std::chrono::duration_cast<std::chrono::seconds>(answer_delay_max).count()},
  };
}

std::vector<Field> claim_body() {
  return {{.name = "for_s",
           .kind = FieldKind::integer,
           .about = "How long the claim lasts: 600, unless it is given.",
           .min = 1,
           .max = std::chrono::duration_cast<std::chrono::seconds>(claim_max).count()},
          {.name = "steal",
           .kind = FieldKind::flag,
           .about = "Takes over the claim of somebody else. Needs the right `assign`."}};
}

std::vector<Field> assign_body() {
  return {{.name = "to",
           .kind = FieldKind::texts,
           .about = "People and groups (`group:editors`); an empty list: everybody.",
           .is_required = true,
           .length_max = 100},
          {.name = "note", .about = "For those who get it, and for the record."}};
}

void add_reading(std::vector<Route>& routes) {
  routes.push_back(
      {.method = "GET",
       .path = "/api/v1/reviews",
       .access = Access::needs(Right::see),
       .handle = list_reviews,
       .operation = "listReviews",
       .tag = "reviews",
       .summary = "Open reviews by due time; others by number. A page may have fewer rows than its "
                  "limit and still have a `next`.",
       .query = inbox_query(),
       .kind = ReplyKind::list,
       .schema = "ReviewRow",
       .rows = "reviews",
       .columns = {
           "review",         "workflow",        "job",        "stage",         "item",
           "child",          "reason",          "why",        "status",        "due_at",
           "overdue",        "assigned",        "claimed_by", "claimed_until", "attempt_number",
           "attempt_count",  "gates_passed",    "cost_usd",   "opened_at",     "closed_at",
           "answer.outcome", "answer.reviewer", "answer.note"}});
  Route next = reading("/api/v1/reviews/next", next_review, "nextReview",
                       "The first open review that the caller may answer and nobody else has "
                       "claimed. It is not claimed by this.",
                       "NextReview");
  next.access = Access::needs(Right::decide);
  next.query = {
      {.name = "job", .kind = FieldKind::integer, .about = "Only those of this job.", .min = 1},
      {.name = "after",
       .kind = FieldKind::integer,
       .about = "The number of the review after which to look.",
       .min = 1}};
  routes.push_back(std::move(next));
  routes.push_back(reading("/api/v1/reviews/{review}", show_review, "showReview",
                           "A review with its criteria, attempts, input, output and answers.",
                           "Review"));
  routes.push_back(reading("/api/v1/reviews/{review}/attempts/{attempt}/output",
                           show_output_of_review, "showReviewOutput",
                           "The whole output of an attempt.", "ReviewOutput"));
  Route diff =
      reading("/api/v1/reviews/{review}/diff", compare_outputs_of_review, "compareReviewOutputs",
              "The outputs of two attempts line by line, or the edits beside the output "
              "that they replace.",
              "ReviewDiff");
  diff.query = {
      attempt_field("from", "The older attempt: the one before, unless it is given."),
      attempt_field("to", "The newer attempt: the one under review, unless it is given."),
      {.name = "edits",
       .kind = FieldKind::flag,
       .about = "Compares the edits that are proposed or were approved with the output."}};
  routes.push_back(std::move(diff));
}

void add_edits(std::vector<Route>& routes) {
  Route check =
      act("/api/v1/reviews/{review}/check", check_edits_of_review, "checkReviewEdits",
          "What is wrong with edits, and what the gates that run no command say about "
          "them. Nothing is stored.",
          {{.name = "edits",
            .kind = FieldKind::any,
            .about = "The whole changed output.",
            .is_required = true},
           attempt_field("attempt_number",
                         "The attempt whose output is edited: the newest shown, unless it "
                         "is given.")});
  check.body_max = edits_max;
  check.schema = "EditCheck";
  routes.push_back(std::move(check));
  routes.push_back({.method = "POST",
                    .path = "/api/v1/reviews/{review}/files",
                    .access = Access::needs(Right::decide),
                    .handle = upload_file_of_review,
                    .operation = "uploadReviewFile",
                    .tag = "reviews",
                    .summary = "Upload a file of at most 16 MiB for the edits of a review. It is "
                               "remembered for a day.",
                    .query = {{.name = "name",
                               .about = "The name of the file, without a path.",
                               .is_required = true,
                               .length_max = 255}},
                    .status = 201,
                    .schema = "ReviewFile",
                    .body_max = edits_max,
                    .takes_bytes = true});
}

}  // namespace

std::vector<Route> review_routes() {
  std::vector<Route> routes;
  add_reading(routes);
  routes.push_back(act("/api/v1/reviews/{review}/claim", claim_review, "claimReview",
                       "Claim a review, so that nobody else can answer it; or claim it for longer.",
                       claim_body()));
  routes.push_back(act("/api/v1/reviews/{review}/release", release_review, "releaseReview",
                       "Release a claimed review."));
  Route assign = act("/api/v1/reviews/{review}/assign", assign_review, "assignReview",
                     "Hand a review over. A reviewer hands over what is assigned to them, an "
                     "operator anything.",
                     assign_body());
  assign.schema = "AssignedReview";
  routes.push_back(std::move(assign));
  Route answer = act("/api/v1/reviews/{review}/answer", answer_review, "answerReview",
                     "Answer a review. The same answer by the same person again changes nothing.",
                     answer_body());
  answer.body_max = edits_max;
  routes.push_back(std::move(answer));
  routes.push_back(act("/api/v1/reviews/{review}/undo", undo_answer, "undoReviewAnswer",
                       "Take your answer back, as long as it has not decided the review."));
  add_edits(routes);
  return routes;
}

}  // namespace pawl::service
