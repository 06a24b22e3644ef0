#include "pawl/version.hpp"

#include "cli/commands/commands.hpp"
#include "cli/session.hpp"

namespace pawl::cli {
namespace {

int show_version(Session& session) {
  return session.present({.document = [] { return Json::object({{"version", version}}); },
                          .text = [] { return "pawl " + std::string(version) + "\n"; }});
}

}  // namespace

CommandEntry version_command() {
  return command("version", "pawl version --json", "Print the version.", &show_version);
}

}  // namespace pawl::cli
