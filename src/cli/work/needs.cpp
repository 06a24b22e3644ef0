#include "cli/work/needs.hpp"

#include "actions/missing_needs.hpp"
#include "cli/output/job_view.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {

namespace {

using Kind = MissingNeed::Kind;

/// Whether the stage has ended for all items.
bool has_ended(const Workflow& workflow, const std::string& name, const Job* job) {
  if (job == nullptr || job->submission_open) return false;
  const StageIndex stage = *workflow.require_stage(name);
  const bool is_job_wide = workflow.stage(stage).scope == Scope::all;
  const std::int64_t adopted = job->items.adopted + job->items.adopted_rejected;
  const std::int64_t all = is_job_wide ? 1 : job->items.total - adopted;
  return job->stages[at(stage)].ended() >= all;
}

}  // namespace

std::string in_words(const MissingNeed& need) { return printable(actions::in_words(need)); }

Status check_needs(Session& session, const Workflow& workflow,
                   const std::filesystem::path& directory, const Job* job) {
  std::string missing;
  bool lacks_secret = false;
  bool lacks_script = false;
  for (const MissingNeed& need : missing_needs(workflow, directory)) {
    if (has_ended(workflow, need.stage, job)) continue;
    const StageIndex stage = *workflow.require_stage(need.stage);
    const std::string text = "stage '" + printable(need.stage) + "': " + in_words(need);
    // An earlier stage may make the script.
    const bool is_later = need.kind == Kind::script && !workflow.plan(stage).needs.empty();
    if (need.kind == Kind::program || is_later) {
      session.say("warning: " + text);
      continue;
    }
    lacks_secret |= need.kind == Kind::secret;
    lacks_script |= need.kind == Kind::script;
    missing += (missing.empty() ? "" : "; ") + text;
  }
  if (missing.empty()) return {};
  std::string help;
  if (lacks_secret) help = "set the variable where pawl runs";
  if (lacks_script) help += (help.empty() ? "" : " and ") + std::string("put the script in place");
  help += job == nullptr ? ", or submit the job with --detach and let a worker that has what is "
                           "missing run it"
                         : ", or run `pawl work` where it is";
  return pawl::fail(ErrorCode::refused, missing, help);
}

LeftStages left_stages(const Workflow& workflow, const Job& job) {
  LeftStages left;
  for (const MissingNeed& need : missing_needs(workflow, views::label(job, "project"))) {
    if (need.kind != Kind::program) left.emplace(need.stage, in_words(need));
  }
  return left;
}

bool is_left_to_others(const Job& job, const Workflow& workflow,
                       const std::function<bool(const std::string& stage)>& runs) {
  if (job.submission_open) return false;
  bool lacks_one = false;
  for (std::size_t i = 0; i < job.stages.size(); ++i) {
    if (!runs(workflow.stage(static_cast<StageIndex>(i)).name)) {
      lacks_one = true;
      continue;
    }
    for (const StateKind kind :
         {StateKind::ready, StateKind::running, StateKind::retry_scheduled, StateKind::expanded}) {
      if (job.stages[i][kind] + job.children[i][kind] > 0) return false;
    }
  }
  return lacks_one;
}

}  // namespace pawl::cli
