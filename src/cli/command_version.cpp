#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "pawl/version.hpp"

namespace pawl::cli {
namespace {

constexpr std::string_view exit_codes =
    R"(Exit codes

    0  done as asked
    1  it did not work; the message is on stderr, with --json as {"error":{"code","message","help"}}
    2  wrong usage, or the workflow file is invalid; nothing ran
    3  conflict: somebody else decided, claimed or changed it first
    4  not signed in or not allowed
   10  run, resume, work --drain, job wait: the job failed (there are dead letters)
   11  ... nothing is left to do but wait for people
   12  ... paused by a budget or by an operator
   13  ... cancelled
  130  interrupted; the state is safe, and the command that goes on was printed

Of 10 to 13 the first that applies is told, in this order: 13, 12, 11, 10. A job never makes the
code 1. Lists and `show` exit with 0 whatever the state of what they show.
)";

}  // namespace

int show_version(Session& session) {
  if (session.globals().wants_json()) {
    session.print(Json::object({{"version", version}}));
  } else {
    session.print("pawl " + std::string(version) + "\n");
  }
  return exit_done;
}

int help_topic(Session& session, const HelpOptions& options) {
  if (options.topic == "exit-codes") {
    session.print(exit_codes);
    return exit_done;
  }
  return session.fail_usage("there is no help on '" + printable(options.topic) + "'",
                            "topics are the commands of pawl --help, and exit-codes");
}

}  // namespace pawl::cli
