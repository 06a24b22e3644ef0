#include "actions/submission.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "pawl/actions/work_files.hpp"
#include "pawl/codec/json.hpp"
#include "text/numbers.hpp"

namespace pawl::actions {
namespace {

constexpr std::size_t held_items_max = 100'000;

std::string project_of(const Job& job) {
  return field(job.labels, "project").string().value_or("");
}

/// The source of the items in words.
std::string in_words(const ItemsSpec& items) {
  switch (items.kind) {
    case ItemsSpec::Kind::glob:
      return "the glob '" + items.source + "'";
    case ItemsSpec::Kind::file:
      return "the file '" + items.source + "'";
    case ItemsSpec::Kind::run:
      return "the command '" + (items.argv.empty() ? std::string() : items.argv.front()) + "'";
    case ItemsSpec::Kind::list:
    case ItemsSpec::Kind::one:
      break;
  }
  return "the list";
}

/// What is needed to resume the job, and to compare a later one with it.
Json labels_of(const Submission& submission) {
  std::vector<std::pair<std::string, Json>> labels{{"project", submission.directory.string()},
                                                   {"file", submission.path.string()},
                                                   {"items", describe(submission.items)}};
  if (!submission.files.is_null()) labels.emplace_back("files", submission.files);
  return Json::object(labels);
}

}  // namespace

Result<std::optional<Job>> unfinished_job(Records& records, const std::string& workflow) {
  const auto jobs =
      records.jobs({.ended = false, .workflow_name = workflow, .before = {}, .limit = 1});
  if (!jobs) return std::unexpected(jobs.error());
  return jobs->empty() ? std::nullopt : std::optional(jobs->front());
}

Result<Json> compared_files(Records& records, const Submission& submission) {
  const Workflow& workflow = submission.file.workflow;
  const std::string project = submission.directory.string();
  JobFilter filter{.ended = std::nullopt, .workflow_name = workflow.name(), .before = {}};
  for (;;) {
    const auto page = records.jobs(filter);
    if (!page) return std::unexpected(page.error());
    for (const Job& job : *page) {
      if (job.workflow_hash != workflow.hash() || !is_trusted(job.trust)) continue;
      const auto files = field(job.labels, "files").json();
      if (!files || project_of(job) != project) continue;
      return work_files(workflow, submission.directory, *files);
    }
    if (page->size() < filter.limit) break;
    filter.before = page->back().id;
  }
  return work_files(workflow, submission.directory, Json());
}

ItemSource items_of(const Submission& submission) {
  return compared_with_files(read_items(submission.items, submission.params, submission.directory),
                             submission.files);
}

Result<FirstItems> read_first_items(const Submission& submission) {
  FirstItems first{.items = {}, .more = true, .rest = items_of(submission)};
  while (first.more && first.items.size() < held_items_max) {
    std::vector<NewItem> page;
    const Result<bool> read = first.rest(page);
    if (!read) return std::unexpected(read.error());
    first.more = *read;
    std::ranges::move(page, std::back_inserter(first.items));
  }
  return first;
}

std::vector<std::string> item_warnings(const ItemsSpec& source, const std::vector<NewItem>& items) {
  std::vector<std::string> warnings;
  if (items.empty()) warnings.push_back(in_words(source) + " produced no items");
  // Each becomes a separate item, such as "a#2".
  std::int64_t equal = 0;
  std::string first;
  std::unordered_set<std::string_view> seen;
  for (const NewItem& item : items) {
    if (seen.insert(item.key).second) continue;
    if (equal++ == 0) first = item.key;
  }
  if (equal > 0) {
    warnings.push_back(text::counted(equal, "item has", "items have") +
                       " a duplicate id; the first duplicate is '" + first +
                       "', which was renamed to '" + first + "#2'");
  }
  return warnings;
}

Json without_references(const Json& value) {
  if (!value.text().contains('$')) return value;
  if (is_array(value)) {
    std::vector<Json> all = elements(value);
    for (Json& one : all) one = without_references(one);
    return Json::array(all);
  }
  if (is_object(value)) {
    std::vector<std::pair<std::string, Json>> all = members(value);
    for (auto& [key, one] : all) one = without_references(one);
    return Json::object(all);
  }
  const Result<std::string> text = JsonView(value).string();
  if (!text) return value;
  std::string escaped;
  for (std::size_t at = 0; at < text->size(); ++at) {
    if (text->compare(at, 2, "${") == 0) escaped += '$';
    escaped += (*text)[at];
  }
  return escaped;
}

Result<Begun> submit_job(Store& store, Engine* engine, const Submission& submission,
                         FirstItems first, const std::function<void(const Begun&)>& on_begun) {
  std::optional<Begun> begun;
  const JobOptions options{
      .key = submission.key,
      .params = submission.params,
      .labels = labels_of(submission),
      .budget = submission.file.budget,
      .tolerate_failures = submission.file.tolerate_failures,
      .parallel = submission.parallel,
      .priority = submission.priority,
      .by = submission.by,
      .adopt = submission.adopt,
      .on_submitted =
          [&](const Submitted& submitted) {
            begun = Begun{.job = submitted.job, .was_known = submitted.was_known};
            if (on_begun) on_begun(*begun);
          },
  };
  const ItemSource pages = [&](std::vector<NewItem>& page) -> Result<bool> {
    if (begun) return first.rest(page);
    page = std::move(first.items);
    return first.more;
  };
  const Workflow& workflow = submission.file.workflow;
  const Result<JobId> submitted = engine != nullptr
                                      ? engine->submit(workflow, pages, options)
                                      : submit_to_store(store, workflow, pages, options);
  if (submitted && (begun->was_known || !first.more)) return *begun;
  if (submitted) {
    Result<Job> whole = store.records().job(*submitted);
    if (!whole) return std::unexpected(whole.error());
    return Begun{.job = std::move(*whole)};
  }
  Error error = submitted.error();
  if (begun) {
    const Result<Job> cancelled = store.act(CancelJob{.job = begun->job.id}, submission.by);
    error.message += "; job " + std::to_string(begun->job.id.value()) +
                     (cancelled ? " was cancelled" : " was started and could not be cancelled");
  }
  return std::unexpected(std::move(error));
}

Status finish_submission(Engine& engine, const Job& job, const Actor& by) {
  const std::string number = std::to_string(job.id.value());
  const auto described = field(job.labels, "items").json();
  const Result<ItemsSpec> items =
      described
          ? items_from(*described)
          : Result<ItemsSpec>(std::unexpected(Error{
                ErrorCode::refused,
                "job " + number + " was submitted by a program, which has not added all items",
                "run that program on this store"}));
  if (!items) return std::unexpected(items.error());
  if (items->kind == ItemsSpec::Kind::file && items->source == "/dev/stdin") {
    return fail(ErrorCode::refused,
                "the items of job " + number +
                    " came from standard input, which ended before all were read",
                "cancel it (pawl job cancel " + number + ") and run it again");
  }
  return engine.resume_submission(
      job.id,
      compared_with_files(read_items(*items, job.params, project_of(job)),
                          field(job.labels, "files").json().value_or(Json())),
      by);
}

}  // namespace pawl::actions
