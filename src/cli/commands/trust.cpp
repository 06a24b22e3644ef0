/// `pawl job trust JOB`: shows what an imported job would run, and accepts it.

#include "cli/commands/commands.hpp"
#include "cli/output/commands_view.hpp"
#include "cli/output/job_view.hpp"
#include "cli/session.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct JobTrustOptions {
  std::int64_t job = 0;
  std::string as;  ///< the person who accepts it; empty: the user
};

int job_trust(Session& session, const JobTrustOptions& options) {
  const Actor actor = Session::actor(options.as);
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Job> job = records.job(JobId{options.job});
  if (!job) return session.fail(job.error());
  const Result<Workflow> workflow = records.workflow(job->workflow_hash);
  if (!workflow) return session.fail(workflow.error());
  const bool asks = job->trust == Trust::untrusted;
  if (asks) {
    if (session.output() == OutputMode::text) session.print(commands_text(*job, *workflow));
    const Status agreed =
        session.confirm("Accept job " + std::to_string(options.job) +
                            "? Its commands may then run here with your permissions.",
                        "job " + std::to_string(options.job) + " was not accepted");
    if (!agreed) return session.fail(agreed.error());
  }
  const Result<Job> after = (*store)->act(TrustJob{.job = job->id, .by = actor.name}, actor);
  if (!after) return session.fail(after.error());
  const auto document = [&] {
    auto all = members(job_document(*after, *workflow));
    all.emplace_back("commands", commands_document(*after, *workflow));
    return Json::object(all);
  };
  const auto text = [&] { return job_headline(*after, session.style(), session.times()) + "\n"; };
  session.present(
      {.document = document, .text = text, .id = [&] { return std::to_string(options.job); }});
  if (state_of(*after) == JobState::paused) session.say(way_out_of_pause(*after));
  return exit_done;
}

}  // namespace

CommandEntry job_trust_command() {
  return command("job trust", "pawl job trust 41",
                 "Show every command that an imported job would run, and accept it.", &job_trust,
                 [](JobTrustOptions& it) -> Words {
                   return {argument(&it.job, "JOB", "The job number"), person_option(it.as)};
                 });
}

}  // namespace pawl::cli
