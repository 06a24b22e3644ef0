/// Submits a job of a known workflow.
///
/// A request chooses a workflow of the library by its name and brings params and items, nothing
/// else: no file, no other source of items, no labels. Without items in the request, those of the
/// workflow file are taken, which the operator has written: a list, a glob, or a file. A command
/// that makes the items is not run: it would hold up the service for as long as it likes.

#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "actions/item_source.hpp"
#include "actions/limits.hpp"
#include "actions/missing_needs.hpp"
#include "actions/submission.hpp"
#include "actions/submission_turn.hpp"
#include "pawl/views/documents.hpp"
#include "service/api/job_handlers.hpp"
#include "service/api/record_lookup.hpp"
#include "service/work/workflow_library.hpp"
#include "views/job_errors.hpp"
#include "views/outputs.hpp"
#include "views/people_warnings.hpp"

namespace pawl::service {
namespace {

using actions::Begun;
using actions::FirstItems;
using actions::Submission;

/// How long a request waits for another submission.
constexpr auto turn_patience = std::chrono::seconds(5);

/// Collects everything that is wrong with a submission, to report it at once.
class Faults {
 public:
  void add(const Error& error) {
    message_ += (message_.empty() ? "" : "; ") + error.message;
    if (!error.help.empty()) help_ += (help_.empty() ? "" : "; ") + error.help;
  }
  [[nodiscard]] Status status() const {
    return message_.empty() ? Status{} : fail(ErrorCode::invalid, message_, help_);
  }

 private:
  std::string message_;
  std::string help_;
};

Result<Json> params_in(const Call& call, const WorkflowFile& file) {
  std::map<std::string, Json> given;
  for (auto& [name, value] : members(call.body.json("params").value_or(Json::object({})))) {
    if (!value.is_null()) given.emplace(name, std::move(value));
  }
  return bind_param_values(file.params, given);
}

/// The items of the request, else those of the file.
Result<ItemsSpec> items_in(const Call& call, const WorkflowFile& file) {
  const std::optional<Json> given = call.body.json("items");
  if (!given || given->is_null()) {
    if (file.items.kind != ItemsSpec::Kind::run) return file.items;
    return fail(ErrorCode::invalid,
                "the items of this workflow come from a command, which the service does not run",
                "send `items`, or submit it with `pawl run FILE --detach`");
  }
  if (!is_array(*given)) {
    return fail(ErrorCode::invalid, "member 'items' must be a list",
                "each element is one item: a string, or an object with its fields");
  }
  ItemsSpec items;
  items.kind = ItemsSpec::Kind::list;
  items.id = file.items.id;
  items.category = file.items.category;
  items.list = elements(*given);
  if (items.list.size() > inline_items_max) {
    return fail(
        ErrorCode::invalid,
        "member 'items' must have at most " + std::to_string(inline_items_max) + " elements",
        "put them in a file that the workflow names in `items:`");
  }
  // They are data: whatever looks like a reference in them stays as it is.
  for (Json& item : items.list) item = actions::without_references(item);
  return items;
}

Result<Budget> budget_in(const Call& call, const Budget& of_file) {
  const std::optional<Json> given = call.body.json("budget");
  if (!given) return of_file;
  static const Route form{.method = "POST",
                          .path = "",
                          .access = Access::needs(Right::submit),
                          .handle = &submit_job,
                          .body = budget_fields()};
  const Result<Fields> fields = read_body(form, given->text());
  if (!fields) {
    return fail(ErrorCode::invalid, "budget: " + fields.error().message, fields.error().help);
  }
  return actions::changed(of_file, budget_change_in(*fields));
}

/// Everything that the request says, checked.
Result<Submission> submission_in(const Call& call, const LibraryFile& file) {
  Submission submission{.path = file.path,
                        .directory = file.path.parent_path(),
                        .file = *file.file,
                        .items = {},
                        .params = {},
                        .key = call.body.text("key"),
                        .by = call.actor()};
  Faults faults;
  const auto take = [&faults](auto& into, auto result) {
    if (result) {
      into = std::move(*result);
    } else {
      faults.add(result.error());
    }
  };
  take(submission.params, params_in(call, *file.file));
  take(submission.items, items_in(call, *file.file));
  take(submission.file.budget, budget_in(call, file.file->budget));
  if (const Status good = faults.status(); !good) return std::unexpected(good.error());
  submission.adopt = !call.body.flag("fresh") && !submission.items.id.empty();
  submission.parallel =
      static_cast<std::uint32_t>(call.body.integer("parallel", file.file->parallel));
  submission.priority = static_cast<std::int32_t>(call.body.integer("priority"));
  return submission;
}

/// The library's file of the workflow, if it can be submitted.
Result<std::shared_ptr<const LibraryFile>> file_in(const Call& call) {
  const WorkflowLibrary& library = call.backend.workflows;
  Result<std::shared_ptr<const LibraryFile>> file = library.find(call.body.text("workflow"));
  if (!file) return file;
  if (!(*file)->file) {
    return fail(ErrorCode::refused, "the workflow '" + (*file)->name + "' has faults",
                "they are listed at /api/v1/workflows; mend them, and make the service reload its "
                "files");
  }
  // The file decides what runs, and commands are searched for in its directory.
  if (const Status safe = library.check_owner((*file)->path); !safe) {
    return std::unexpected(safe.error());
  }
  return file;
}

Status check_nothing_unfinished(Records& records, const std::string& workflow) {
  const Result<std::optional<Job>> other = actions::unfinished_job(records, workflow);
  if (!other) return std::unexpected(other.error());
  if (!*other) return {};
  return fail(ErrorCode::conflict,
              "job " + std::to_string((*other)->id.value()) + " of workflow '" + workflow +
                  "' is not finished",
              "send `new: true`, or a `key`, to start another job beside it");
}

/// Lets one submission of a process through at a time, and one of this machine.
class Turn {
 public:
  static Result<Turn> wait_for(const Daemon& daemon) {
    static std::mutex submitting;
    Turn turn;
    turn.own_ = std::unique_lock(submitting);
    if (daemon.run_directory.empty()) return turn;
    Result<actions::SubmissionTurn> machine =
        actions::SubmissionTurn::wait_for(daemon.run_directory, {.timeout = turn_patience});
    if (!machine) return std::unexpected(machine.error());
    turn.machine_ = std::move(*machine);
    return turn;
  }

 private:
  std::unique_lock<std::mutex> own_;
  std::optional<actions::SubmissionTurn> machine_;
};

/// What the submitter should know, although nothing forbids the job.
Result<std::vector<std::string>> warnings_about(const Call& call, const Submission& submission,
                                                const FirstItems& first) {
  Result<std::vector<std::string>> warnings =
      views::people_warnings(call.store(), submission.file, submission.by, {});
  if (!warnings) return warnings;
  std::ranges::move(actions::item_warnings(submission.items, first.items),
                    std::back_inserter(*warnings));
  // Other workers may have what this process lacks.
  if (!call.backend.daemon.works) return warnings;
  for (const MissingNeed& need : missing_needs(submission.file.workflow, submission.directory)) {
    warnings->push_back("stage '" + need.stage + "': " + actions::in_words(need));
  }
  return warnings;
}

struct SubmittedJob {
  Begun begun;
  std::vector<std::string> warnings;
};

/// A job that is known by its key can still be open: a process died while it submitted.
Result<SubmittedJob> known_job(Call& call, Begun begun) {
  if (begun.job.trust == Trust::untrusted) {
    return std::unexpected(views::not_trusted(begun.job));
  }
  if (begun.job.submission_open && !begun.job.has_ended()) {
    const Status finished =
        actions::finish_submission(call.backend.engine, begun.job, call.actor());
    if (!finished) return std::unexpected(finished.error());
    Result<Job> job = call.records().job(begun.job.id);
    if (!job) return std::unexpected(job.error());
    begun.job = std::move(*job);
  }
  return SubmittedJob{.begun = std::move(begun), .warnings = {}};
}

Result<SubmittedJob> submit(Call& call, Submission submission) {
  const std::string& workflow = submission.file.workflow.name();
  const bool may_be_beside = call.body.flag("new") || !submission.key.empty();
  // Checked before the items are read, which may take long, and again when it is this one's turn.
  if (!may_be_beside) {
    const Status free = check_nothing_unfinished(call.records(), workflow);
    if (!free) return std::unexpected(free.error());
  }
  const Status readable =
      actions::check_items_file(submission.items, submission.params, submission.directory);
  if (!readable) return std::unexpected(readable.error());
  Result<Json> files = actions::compared_files(call.records(), submission);
  if (!files) return std::unexpected(files.error());
  submission.files = std::move(*files);
  Result<FirstItems> first = actions::read_first_items(submission);
  if (!first) return std::unexpected(first.error());
  std::optional<Turn> turn;
  if (!may_be_beside) {
    Result<Turn> ours = Turn::wait_for(call.backend.daemon);
    if (!ours) return std::unexpected(ours.error());
    turn = std::move(*ours);
    const Status free = check_nothing_unfinished(call.records(), workflow);
    if (!free) return std::unexpected(free.error());
  }
  Result<std::vector<std::string>> warnings = warnings_about(call, submission, *first);
  if (!warnings) return std::unexpected(warnings.error());
  Result<Begun> begun =
      actions::submit_job(call.store(), &call.backend.engine, submission, std::move(*first),
                          [&turn](const Begun&) { turn.reset(); });
  if (!begun) return std::unexpected(begun.error());
  if (begun->was_known) return known_job(call, std::move(*begun));
  return SubmittedJob{.begun = std::move(*begun), .warnings = std::move(*warnings)};
}

}  // namespace

Result<Reply> submit_job(Call& call) {
  const Result<std::shared_ptr<const LibraryFile>> file = file_in(call);
  if (!file) return std::unexpected(file.error());
  Result<Submission> submission = submission_in(call, **file);
  if (!submission) return std::unexpected(submission.error());
  const Result<SubmittedJob> submitted = submit(call, std::move(*submission));
  if (!submitted) return std::unexpected(submitted.error());
  const Result<PinnedJob> whole = pinned(call.records(), submitted->begun.job);
  if (!whole) return std::unexpected(whole.error());
  const std::vector<Json> warnings(submitted->warnings.begin(), submitted->warnings.end());
  const Json document = views::with_member(job_document(whole->job, whole->workflow), "warnings",
                                           Json::array(warnings));
  return json_response(submitted->begun.was_known ? 200 : 201, document);
}

}  // namespace pawl::service
