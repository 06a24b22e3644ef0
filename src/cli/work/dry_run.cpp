#include "cli/work/dry_run.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "cli/output/render.hpp"
#include "pawl/actions/work_files.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl::cli {

namespace {

/// The jobs of this workflow from which items may be adopted, newest first.
Result<std::vector<Job>> earlier_jobs(Records& records, const std::string& workflow) {
  std::vector<Job> all;
  JobFilter filter{.ended = std::nullopt, .workflow_name = workflow, .before = {}};
  for (;;) {
    const auto page = records.jobs(filter);
    if (!page) return std::unexpected(page.error());
    std::ranges::copy_if(*page, std::back_inserter(all),
                         [](const Job& job) { return is_trusted(job.trust); });
    if (page->size() < filter.limit) return all;
    filter.before = page->back().id;
  }
}

/// Which files of the workflow are not as they were for this job: "convert.py changed". Empty if
/// all are the same.
std::string changed_since(const Job& job, const Submission& submission) {
  const Json before = field(job.labels, "files").json().value_or(Json());
  std::string names;
  for (const std::string& name : changed_files(before, submission.files)) {
    names += (names.empty() ? "" : " and ") + printable(name);
  }
  if (names.empty()) return {};
  return names + (before.is_null() ? " was not compared before" : " changed");
}

/// Why an item must run; empty if an earlier job has finished it.
std::string reason_for(Records& records, const std::vector<Job>& jobs, const NewItem& item,
                       const Submission& submission) {
  std::string reason = "new";
  bool is_newest = true;
  for (const Job& job : jobs) {
    const Result<Item> known = records.item(job.id, item.key);
    if (!known) continue;
    const bool same_work = job.workflow_hash == submission.file.workflow.hash() &&
                           canonical(job.params) == canonical(submission.params);
    const bool same_data = known->data_sha256 == item.data_sha256;
    const bool is_finished =
        known->state == ItemState::succeeded || known->state == ItemState::rejected;
    if (same_work && same_data && is_finished) return {};
    if (!std::exchange(is_newest, false)) continue;
    const bool is_file = submission.items.kind == ItemsSpec::Kind::glob;
    if (job.workflow_hash != submission.file.workflow.hash()) {
      reason = "because the workflow changed";
    } else if (!same_work) {
      reason = "because the params changed";
    } else if (const std::string changed = changed_since(job, submission); !changed.empty()) {
      reason = "because " + changed;
    } else if (!same_data) {
      reason = is_file ? "because the file changed (sha256)" : "because the data changed";
    } else {
      reason = known->state == ItemState::failed      ? "because it failed before"
               : known->state == ItemState::cancelled ? "because it was cancelled before"
                                                      : "because it was not finished before";
    }
  }
  return reason;
}

std::string reasons_in_words(const Plan& plan) {
  std::string out;
  for (const auto& [reason, count] : plan.to_run) {
    if (!out.empty()) out += ", ";
    out += with_separators(count) + " " + reason;
  }
  return out;
}

/// What a stage would do with the items that run.
std::string stage_in_words(const Plan& plan, const Workflow& workflow, StageIndex index) {
  const StageDefinition& stage = workflow.stage(index);
  const std::string number = with_separators(plan.running());
  if (stage.scope == Scope::all) return "1 run, when every item has ended";
  if (stage.is_human()) return number + " wait for people";
  const std::string at_most = stage.conditional ? "up to " : "";
  if (stage.needs.empty()) return at_most + number + " run: " + reasons_in_words(plan);
  return at_most + number + " run after those";
}

}  // namespace

Result<Plan> plan_run(Records& records, const Submission& submission, bool fresh) {
  const auto jobs = earlier_jobs(records, submission.file.workflow.name());
  if (!jobs) return std::unexpected(jobs.error());
  const ItemSource source = items_of(submission);
  Plan plan;
  for (bool more = true; more;) {
    std::vector<NewItem> page;
    const Result<bool> read = source(page);
    if (!read) return std::unexpected(read.error());
    more = *read;
    for (const NewItem& item : page) {
      ++plan.total;
      std::string reason = fresh               ? "because of --fresh"
                           : !submission.adopt ? "because items without `id:` always run"
                                               : reason_for(records, *jobs, item, submission);
      if (reason.empty()) {
        ++plan.finished;
      } else {
        ++plan.to_run[reason];
      }
    }
  }
  return plan;
}

std::string plan_text(const Plan& plan, const Workflow& workflow) {
  std::string out = counted(plan.total, "item") + ": " + with_separators(plan.finished) +
                    " finished (skip), " + with_separators(plan.running()) + " to run\n";
  if (plan.running() == 0) return out + "nothing was run.\n";
  std::size_t width = 0;
  for (const StageDefinition& stage : workflow.definition().stages) {
    width = std::max(width, display_width(printable(stage.name)));
  }
  for (const StageIndex index : workflow.topological_order()) {
    const std::string name = printable(workflow.stage(index).name);
    out += "  " + name + std::string(width - display_width(name) + 2, ' ') +
           stage_in_words(plan, workflow, index) + "\n";
  }
  return out + "nothing was run.\n";
}

Json plan_document(const Plan& plan, const Workflow& workflow) {
  std::vector<std::pair<std::string, Json>> reasons;
  for (const auto& [reason, count] : plan.to_run) reasons.emplace_back(reason, count);
  std::vector<Json> stages;
  for (const StageIndex index : workflow.topological_order()) {
    const StageDefinition& stage = workflow.stage(index);
    stages.push_back(
        Json::object({{"stage", stage.name},
                      {"run", stage.scope == Scope::all ? std::int64_t{1} : plan.running()},
                      {"why", plan.running() == 0 && stage.scope != Scope::all
                                  ? std::string{}
                                  : stage_in_words(plan, workflow, index)}}));
  }
  return Json::object({{"dry_run", true},
                       {"items", Json::object({{"total", plan.total},
                                               {"finished", plan.finished},
                                               {"to_run", plan.running()}})},
                       {"reasons", Json::object(reasons)},
                       {"stages", Json::array(stages)}});
}

}  // namespace pawl::cli
