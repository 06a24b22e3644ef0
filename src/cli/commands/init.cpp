/// `pawl init [DIR]`: creates a small workflow that runs.

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <sys/stat.h>

#include "cli/commands/commands.hpp"
#include "cli/session.hpp"
#include "files/private_files.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::cli {
namespace {

struct InitOptions {
  std::string dir;
};

constexpr std::string_view hello =
    R"yaml(# yaml-language-server: $schema=.pawl/workflow.v1.schema.json
version: 1
workflow: hello
items: [ada, grace, alan]
stages:
  greet:
    sh: echo "Hello, $NAME"
    env: { NAME: "${item}" }
  check:
    needs: [greet]
    review: { when: always }
)yaml";

struct NewFile {
  std::string_view name;
  std::string_view text;
};

Status write_new(const std::filesystem::path& path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return {};
  return pawl::fail(ErrorCode::unavailable, "cannot write '" + path.string() + "'");
}

/// Creates the directory without write permission for others, whatever the umask: pawl refuses a
/// project that others can write to.
Status make_project_directory(const std::filesystem::path& path) {
  constexpr mode_t mode = 0755;
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_directory(path, ignored)) return {};
  if (const Status parent = make_project_directory(path.parent_path()); !parent) return parent;
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  return pawl::fail(ErrorCode::unavailable, "cannot create '" + path.string() +
                                                "': " + std::generic_category().message(errno));
}

/// Writes a file below `.pawl`, which only this user can read.
Status write_private(const std::filesystem::path& path, std::string_view text) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (files::make_private_file(path).is_open()) return write_new(path, text);
  return pawl::fail(ErrorCode::unavailable, "cannot write '" + path.string() + "'");
}

int init(Session& session, const InitOptions& options) {
  const std::filesystem::path directory =
      options.dir.empty() ? session.directory() : session.directory() / options.dir;
  const std::array files = {NewFile{"hello.yaml", hello}, NewFile{".gitignore", ".pawl/\n"}};
  for (const NewFile& file : files) {
    if (std::filesystem::exists(directory / file.name) && file.name != ".gitignore") {
      return session.fail(
          {.code = ErrorCode::conflict,
           .message = std::string(file.name) + " already exists in '" + directory.string() + "'",
           .help = "choose another directory: pawl init DIR"});
    }
  }
  if (const Status made = make_project_directory(directory); !made) {
    return session.fail(made.error());
  }
  if (const Status safe = session.check_owner(directory); !safe) return session.fail(safe.error());
  if (const Status made = files::make_private_directories(directory / ".pawl"); !made) {
    return session.fail(made.error());
  }
  std::vector<std::string> written;
  for (const NewFile& file : files) {
    if (std::filesystem::exists(directory / file.name)) continue;
    if (const Status done = write_new(directory / file.name, file.text); !done) {
      return session.fail(done.error());
    }
    written.emplace_back(file.name);
  }
  const std::string schema_file = ".pawl/workflow.v1.schema.json";
  if (const Status done = write_private(directory / schema_file, workflow_schema()); !done) {
    return session.fail(done.error());
  }
  written.push_back(schema_file);
  const auto document = [&] {
    const std::vector<Json> names(written.begin(), written.end());
    return Json::object({{"directory", directory.string()}, {"files", Json::array(names)}});
  };
  const auto text = [&] {
    std::string lines;
    for (const std::string& name : written) lines += "created " + name + "\n";
    return lines;
  };
  session.present({.document = document, .text = text});
  session.say("next:  " + (options.dir.empty() ? std::string{} : "cd " + options.dir + " && ") +
              "pawl run hello.yaml");
  return exit_done;
}

}  // namespace

CommandEntry init_command() {
  return command(
      "init", "pawl init demo", "Create a small workflow that runs.", &init,
      [](InitOptions& it) -> Words {
        return {optional_argument(&it.dir, "DIR", "The directory; default: the current one")};
      });
}

}  // namespace pawl::cli
