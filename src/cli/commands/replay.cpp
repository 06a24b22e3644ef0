/// `pawl replay JOB --workflow FILE`: reports what the file would have decided about a recorded
/// job.

#include "pawl/store/replay.hpp"

#include "cli/commands/commands.hpp"
#include "cli/project/workflow_source.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct ReplayJobOptions {
  std::int64_t job = 0;
  std::string workflow;  ///< a file
};

int replay(Session& session, const ReplayJobOptions& options) {
  const Result<WorkflowSource> source = read_workflow_source(session, options.workflow);
  if (!source) {
    session.fail(source.error());
    return exit_usage;
  }
  const std::optional<WorkflowFile> file = load_or_show(session, *source);
  if (!file) return exit_usage;
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<Replay> replayed =
      pawl::replay((*store)->records(), JobId{options.job}, file->workflow);
  if (!replayed) return session.fail(replayed.error());
  session.present({.document = [&] { return replay_document(*replayed); },
                   .text = [&] { return printable_lines(text_of(*replayed)); }});
  session.say("gates were not asked again: their recorded verdicts count");
  return replayed->same() ? exit_done : exit_failed;
}

}  // namespace

CommandEntry replay_command() {
  return command(
      "replay", "pawl replay 41 --workflow new.yaml",
      "Report what a changed workflow would have decided about a recorded job.", &replay,
      [](ReplayJobOptions& it) -> Words {
        return {
            argument(&it.job, "JOB", "The recorded job"),
            required_option("--workflow", &it.workflow, "FILE", "The changed workflow file"),
        };
      });
}

}  // namespace pawl::cli
