/// Dead letters: the list, groups of the same kind, what an act on many would do, and acts on one.

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/store/dead_letters.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/cursor.hpp"
#include "service/api/letter_selection.hpp"
#include "service/work/engine_store.hpp"
#include "views/dead_letters.hpp"

namespace pawl::service {
namespace {

/// A page of the list ends after so many letters that were read, selected or not.
constexpr std::uint32_t read_per_page_max = 1'000;
/// Groups are those of so many letters.
constexpr std::uint32_t read_for_groups_max = 100'000;
/// A preview looks at so many letters that are selected, among so many.
constexpr std::int64_t previewed_max = 10'000;
constexpr std::int64_t read_for_preview_max = 100'000;
constexpr std::size_t listed_max = 100;

/// The letters that a query selects.
Result<DeadLetterQuery> query_in(const Call& call) {
  const JobId job{call.query.integer("job")};
  if (job) {
    if (const Result<Job> there = call.records().job(job); !there) {
      return std::unexpected(there.error());
    }
  }
  const auto text =
      call.query.has("filter") ? std::optional(call.query.text("filter")) : std::nullopt;
  Result<std::optional<Filter>> filter = views::letter_filter(text, call.query.text("stage"));
  if (!filter) return std::unexpected(std::move(filter.error()));
  return DeadLetterQuery{.job = job,
                         .filter = std::move(*filter),
                         .include_discarded = call.query.flag("include_discarded")};
}

Result<Page> page_of_letters(Store& store, DeadLetterQuery query, const std::string& after,
                             std::uint32_t limit) {
  const Result<std::int64_t> last = number_of_cursor(after);
  if (!last) return std::unexpected(last.error());
  query.after = TaskId{*last};
  query.limit = limit;
  query.read_max = std::max(limit, read_per_page_max);
  const Result<DeadLetterPage> letters = list_dead_letters(store, query);
  if (!letters) return std::unexpected(letters.error());
  Page page;
  views::Superseding superseding(store.records());
  for (const DeadLetter& letter : letters->letters) {
    page.rows.push_back(
        views::letter_document(store.records(), letter, superseding.job_of(letter)));
  }
  if (letters->next) page.next = std::to_string(letters->next.value());
  return page;
}

Result<Reply> list_letters(Call& call) {
  Store& store = call.store();
  const Result<DeadLetterQuery> query = query_in(call);
  if (!query) return std::unexpected(query.error());
  List list{.page = [&store, query = *query](const std::string& after, std::uint32_t limit) {
    return page_of_letters(store, query, after, limit);
  }};
  if (query->filter) {
    list.members.emplace_back("total", Json());
    return list;
  }
  TaskFilter failed{.job = query->job, .state = StateKind::failed};
  if (!query->include_discarded) failed.discarded = false;
  list.total = [&store, failed] { return store.records().count(failed); };
  return list;
}

Result<Reply> list_groups(Call& call) {
  Result<DeadLetterQuery> query = query_in(call);
  if (!query) return std::unexpected(std::move(query.error()));
  query->read_max = read_for_groups_max;
  const Result<DeadLetterAnalysis> analysis =
      store::analyse_dead_letters(call.store(), *query, call.backend.letter_signatures);
  if (!analysis) return std::unexpected(analysis.error());
  std::vector<Json> groups;
  for (const DeadLetterGroup& group : analysis->groups) {
    groups.push_back(views::group_document(group));
  }
  return Document{Json::object({{"groups", Json::array(groups)},
                                {"letters", analysis->letters},
                                {"ungrouped", analysis->ungrouped},
                                {"is_cut", analysis->is_cut}})};
}

Result<Json> letter_as_it_is(Store& store, TaskId task) {
  const Result<DeadLetter> letter = show_dead_letter(store, task);
  if (!letter) return std::unexpected(letter.error());
  views::Superseding superseding(store.records());
  return views::letter_document(store.records(), *letter, superseding.job_of(*letter));
}

Result<Reply> show_letter(Call& call) {
  const Result<TaskId> task = call.id<TaskId>("task");
  if (!task) return std::unexpected(task.error());
  Result<Json> letter = letter_as_it_is(call.store(), *task);
  if (!letter) return std::unexpected(std::move(letter.error()));
  return Document{std::move(*letter)};
}

using Verb = Result<DeadLetterTally> (*)(Store&, const DeadLetterSelection&, const DeadLetterOrder&,
                                         const DeadLetterListener&);

/// Acts on one letter. Returns why it was refused, if it was.
Result<DeadLetterAnswer> act_on_letter(Call& call, TaskId task, Verb verb) {
  EngineStore store(call.backend.engine);
  const DeadLetterOrder order{
      .by = call.actor().name,
      .note = call.body.has("reason") ? call.body.text("reason") : call.body.text("note"),
      .actor = call.actor()};
  DeadLetterAnswer answer;
  const auto hear = [&](const DeadLetterAnswer& said) { answer = said; };
  const Result<DeadLetterTally> tally = verb(store, {.tasks = {task}}, order, hear);
  if (!tally) return std::unexpected(tally.error());
  if (answer.refusal) return std::unexpected(*std::move(answer.refusal));
  return answer;
}

Result<Reply> retry_letter(Call& call) {
  const Result<TaskId> task = call.id<TaskId>("task");
  if (!task) return std::unexpected(task.error());
  const Result<DeadLetterAnswer> done = act_on_letter(call, *task, &retry_dead_letters);
  if (!done) return std::unexpected(done.error());
  return Document{
      Json::object({{"task", done->task.value()}, {"job", done->job.value()}, {"retried", true}})};
}

Result<Reply> discard_letter(Call& call) {
  const Result<TaskId> task = call.id<TaskId>("task");
  if (!task) return std::unexpected(task.error());
  const Result<DeadLetterAnswer> done = act_on_letter(call, *task, &discard_dead_letters);
  if (!done) return std::unexpected(done.error());
  Result<Json> letter = letter_as_it_is(call.store(), *task);
  if (!letter) return std::unexpected(std::move(letter.error()));
  return Document{std::move(*letter)};
}

/// What a preview lists.
class Preview {
 public:
  explicit Preview(Records& records) : records_(records) {}

  void hear(const DeadLetterAnswer& answer) {
    ++heard_;
    std::vector<Json>& list = answer.refusal ? refusals_ : letters_;
    if (list.size() >= listed_max) return;
    const Json id(views::letter_id(records_, answer));
    if (answer.refusal) {
      list.push_back(
          Json::object({{"task", answer.task.value()},
                        {"id", id},
                        {"error", *field(failure_document(*answer.refusal), "error").json()}}));
      return;
    }
    list.push_back(Json::object({{"task", answer.task.value()},
                                 {"id", id},
                                 {"item", answer.item_key.empty() ? Json() : Json(answer.item_key)},
                                 {"stage", answer.stage},
                                 {"job", answer.job.value()}}));
  }
  /// Asked before each letter that is read.
  [[nodiscard]] bool goes_on() {
    is_cut_ = heard_ >= previewed_max || read_ >= read_for_preview_max;
    ++read_;
    return !is_cut_;
  }
  [[nodiscard]] Json document(const std::string& act, const DeadLetterTally& tally) const {
    return Json::object({{"act", act},
                         {"would", tally.done},
                         {"refused", tally.refused},
                         {"is_more", is_cut_},
                         {"letters", Json::array(letters_)},
                         {"refusals", Json::array(refusals_)}});
  }

 private:
  Records& records_;
  std::int64_t heard_ = 0;
  std::int64_t read_ = 0;
  bool is_cut_ = false;
  std::vector<Json> letters_;
  std::vector<Json> refusals_;
};

Verb verb_named(const std::string& act) {
  if (act == "retry") return &retry_dead_letters;
  return act == "discard" ? &discard_dead_letters : &purge_dead_letters;
}

Result<Reply> preview_act(Call& call) {
  const Result<DeadLetterSelection> selection = letters_selected_by(call.records(), call.body);
  if (!selection) return std::unexpected(selection.error());
  const std::string act = call.body.text("act");
  Preview preview(call.records());
  const DeadLetterOrder order{.by = call.actor().name,
                              .note = "only a preview",
                              .dry_run = true,
                              .actor = call.actor(),
                              .goes_on = [&] { return preview.goes_on(); }};
  const Result<DeadLetterTally> tally =
      verb_named(act)(call.store(), *selection, order,
                      [&](const DeadLetterAnswer& answer) { preview.hear(answer); });
  if (!tally) return std::unexpected(tally.error());
  return Document{preview.document(act, *tally)};
}

std::vector<Field> letter_query() {
  return {
      {.name = "job", .kind = FieldKind::integer, .about = "Only letters of this job.", .min = 1},
      {.name = "stage", .about = "Only letters of stages with this name."},
      {.name = "filter",
       .about = "Only letters that match, such as `error ~ \"timeout\" and age < 2d`.",
       .length_max = filter_length_max},
      {.name = "include_discarded",
       .kind = FieldKind::flag,
       .about = "Also letters that were marked as handled."}};
}

Route route_of_letter(std::string_view method, std::string_view path, Handle handle,
                      std::string_view operation, std::string_view summary,
                      std::string_view schema) {
  return {.method = method,
          .path = path,
          .access = Access::needs(method == "GET" ? Right::see : Right::operate),
          .handle = handle,
          .operation = operation,
          .tag = "dead-letters",
          .summary = summary,
          .schema = schema};
}

Route preview_route() {
  Route preview = route_of_letter(
      "POST", "/api/v1/dead-letters/preview", preview_act, "previewDeadLetters",
      "What an act on many letters would do. Nothing is changed.", "DeadLetterPreview");
  preview.body = {{.name = "act",
                   .about = "What would be done.",
                   .is_required = true,
                   .words = {"retry", "discard", "purge"}}};
  std::ranges::copy(letter_selection_fields(), std::back_inserter(preview.body));
  return preview;
}

}  // namespace

std::vector<Route> dead_letter_routes() {
  Route list = route_of_letter("GET", "/api/v1/dead-letters", list_letters, "listDeadLetters",
                               "Failed tasks that nobody has retried or discarded, oldest first. A "
                               "page may have fewer rows than its limit and still have a `next`.",
                               "DeadLetter");
  list.query = letter_query();
  list.kind = ReplyKind::list;
  list.rows = "dead_letters";
  list.columns = {"id",          "task",       "job",          "item",          "child",
                  "stage",       "category",   "cause",        "error",         "signature",
                  "error_class", "error_kind", "code",         "failure_count", "attempts",
                  "failed_at",   "discarded",  "superseded_by"};
  Route groups =
      route_of_letter("GET", "/api/v1/dead-letters/groups", list_groups, "groupDeadLetters",
                      "Letters that failed in the same way.", "DeadLetterGroups");
  groups.query = letter_query();
  Route retry =
      route_of_letter("POST", "/api/v1/dead-letters/{task}/retry", retry_letter, "retryDeadLetter",
                      "Run the task of a letter again.", "RetriedLetter");
  retry.body = {{.name = "note", .about = "Feedback for the next attempt."}};
  Route discard = route_of_letter("POST", "/api/v1/dead-letters/{task}/discard", discard_letter,
                                  "discardDeadLetter",
                                  "Mark a letter as handled. Its records stay.", "DeadLetter");
  discard.body = {{.name = "reason", .about = "Why the letter is discarded.", .is_required = true}};
  return {std::move(list),
          std::move(groups),
          route_of_letter("GET", "/api/v1/dead-letters/{task}", show_letter, "showDeadLetter",
                          "A letter with every failure.", "DeadLetter"),
          preview_route(),
          std::move(retry),
          std::move(discard)};
}

}  // namespace pawl::service
