#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "pawl/version.hpp"

namespace pawl::cli {
namespace {

constexpr std::string_view exit_codes =
    R"(Exit codes

    0  success
    1  failure; the message is on stderr, with --json as {"error":{"code","message","help"}}
    2  wrong usage, or the workflow file is invalid; nothing ran
    3  conflict: somebody else decided, claimed or changed it first
    4  not signed in or not allowed
   10  run, resume, work --drain, job wait: the job failed (it has dead letters)
   11  ... the job waits only for reviewers
   12  ... a budget or an operator paused the job
   13  ... the job was cancelled
  130  interrupted; the state is safe, and pawl printed the command that continues

If several of 10 to 13 apply, the first one in the order 13, 12, 11, 10 is returned. The state of a
job never results in code 1. Lists and `show` return 0 for a job in any state.
)";

}  // namespace

int show_version(Session& session) {
  return session.present({.document = [] { return Json::object({{"version", version}}); },
                          .text = [] { return "pawl " + std::string(version) + "\n"; }});
}

int help_topic(Session& session, const HelpOptions& options) {
  if (options.topic == "exit-codes") {
    session.print(exit_codes);
    return exit_done;
  }
  return session.fail_usage("no such help topic: '" + printable(options.topic) + "'",
                            "the topics are exit-codes and the commands of pawl --help");
}

}  // namespace pawl::cli
