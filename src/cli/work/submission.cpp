#include "cli/work/submission.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cli/input/address.hpp"
#include "files/private_files.hpp"
#include "pawl/actions/work_files.hpp"
#include "pawl/codec/json.hpp"
#include "views/jobs.hpp"

namespace pawl::cli {

namespace {

constexpr std::size_t held_items_max = 100'000;

}  // namespace

Result<ItemsSpec> items_named(const std::string& text, const ItemsSpec& of_file,
                              const std::filesystem::path& directory) {
  ItemsSpec items = of_file;
  items.list.clear();
  items.argv.clear();
  items.source = text == "-" ? "/dev/stdin" : text;
  const std::filesystem::path path = directory / items.source;
  std::error_code ignored;
  const bool is_file = text == "-" || std::filesystem::is_regular_file(path, ignored);
  const bool is_lines = text == "-" || text.ends_with(".jsonl") || text.ends_with(".ndjson") ||
                        text.ends_with(".txt");
  items.kind = is_file && (is_lines || of_file.kind == ItemsSpec::Kind::file)
                   ? ItemsSpec::Kind::file
                   : ItemsSpec::Kind::glob;
  items.keyed_by_path = items.kind == ItemsSpec::Kind::glob && items.id.empty();
  const bool is_pattern =
      text.find_first_of("*?[\\") != std::string::npos || text.find("${") != std::string::npos;
  if (is_file || is_pattern) return items;
  if (std::filesystem::is_directory(path, ignored)) {
    return pawl::fail(ErrorCode::invalid, "--items: '" + printable(text) + "' is a directory",
                      "pass a pattern, such as --items '" + printable((path / "*").string()) + "'");
  }
  return pawl::fail(
      ErrorCode::invalid,
      "--items: no such file in " + printable(directory.string()) + ": '" + printable(text) + "'",
      "pass a path relative to the workflow file, a pattern with *, ? or [, or - for stdin");
}

Result<Json> compared_files(Records& records, const Submission& submission) {
  const Workflow& workflow = submission.file.workflow;
  const std::string project = submission.source.directory.string();
  JobFilter filter{.ended = std::nullopt, .workflow_name = workflow.name(), .before = {}};
  for (;;) {
    const auto page = records.jobs(filter);
    if (!page) return std::unexpected(page.error());
    for (const Job& job : *page) {
      if (job.workflow_hash != workflow.hash() || !is_trusted(job.trust)) continue;
      const auto files = field(job.labels, "files").json();
      if (!files || views::label(job, "project") != project) continue;
      return work_files(workflow, submission.source.directory, *files);
    }
    if (page->size() < filter.limit) break;
    filter.before = page->back().id;
  }
  return work_files(workflow, submission.source.directory, Json());
}

ItemSource items_of(const Submission& submission) {
  return compared_with_files(
      read_items(submission.items, submission.params, submission.source.directory),
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

EqualIds equal_ids(const std::vector<NewItem>& items) {
  EqualIds equal;
  std::unordered_set<std::string_view> seen;
  for (const NewItem& item : items) {
    if (seen.insert(item.key).second) continue;
    if (equal.count++ == 0) equal.first = item.key;
  }
  return equal;
}

namespace {

/// What is needed to resume the job, and to compare a later one with it.
Json labels_of(const Submission& submission) {
  std::vector<std::pair<std::string, Json>> labels{
      {"project", submission.source.directory.string()},
      {"file", submission.source.path.string()},
      {"items", describe(submission.items)}};
  if (!submission.files.is_null()) labels.emplace_back("files", submission.files);
  return Json::object(labels);
}

}  // namespace

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
      .by = submission.by,
      .adopt = submission.adopt,
      .on_submitted =
          [&](const Submitted& submitted) {
            begun = Begun{.job = submitted.job, .was_known = submitted.was_known};
            on_begun(*begun);
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
    return pawl::fail(ErrorCode::refused,
                      "the items of job " + number +
                          " came from standard input, which ended before all were read",
                      "cancel it (pawl job cancel " + number + ") and run it again");
  }
  return engine.resume_submission(
      job.id,
      compared_with_files(read_items(*items, job.params, views::label(job, "project")),
                          field(job.labels, "files").json().value_or(Json())),
      by);
}

Result<SubmissionTurn> SubmissionTurn::wait_for(const std::filesystem::path& run_directory,
                                                const files::LockPatience& patience) {
  const std::filesystem::path path = run_directory.string() + "-submission.lock";
  const auto refused = [&](const std::string& why) {
    return pawl::fail(ErrorCode::refused, "cannot lock '" + path.string() + "': " + why,
                      "the lock prevents two submissions at once; make that directory writable");
  };
  if (const Status made = files::make_private_directories(path.parent_path()); !made) {
    return refused(made.error().message);
  }
  files::Descriptor file = files::open_private_file(path);
  if (!file.is_open()) return refused(std::generic_category().message(errno));
  const Result<files::LockWait> waited = files::take_lock(path, file, patience);
  if (!waited) return refused(waited.error().message);
  if (*waited == files::LockWait::taken) return SubmissionTurn(std::move(file));
  return std::unexpected(files::lock_error(path, *waited, patience, files::lock_holders(path)));
}

}  // namespace pawl::cli
