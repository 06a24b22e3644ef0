/// `pawl init [DIR]`: something that runs, in ten lines.

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include <sys/stat.h>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "pawl/workflow/file.hpp"
#include "store/private_files.hpp"

namespace pawl::cli {

namespace {

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
  return pawl::fail(ErrorCode::unavailable, "'" + path.string() + "' cannot be written");
}

/// Whatever the umask, others must not write to a project: it would be refused afterwards.
Status make_project_directory(const std::filesystem::path& path) {
  constexpr mode_t mode = 0755;
  std::error_code ignored;
  if (path.empty() || std::filesystem::is_directory(path, ignored)) return {};
  if (const Status parent = make_project_directory(path.parent_path()); !parent) return parent;
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  return pawl::fail(ErrorCode::unavailable, "'" + path.string() + "' cannot be made: " +
                                                std::generic_category().message(errno));
}

/// Below `.pawl`: for this user alone.
Status write_private(const std::filesystem::path& path, std::string_view text) {
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (make_private_file(path).is_open()) return write_new(path, text);
  return pawl::fail(ErrorCode::unavailable, "'" + path.string() + "' cannot be written");
}

}  // namespace

int init(Session& session, const InitOptions& options) {
  const std::filesystem::path directory =
      options.dir.empty() ? session.directory() : session.directory() / options.dir;
  const std::array files = {NewFile{"hello.yaml", hello}, NewFile{".gitignore", ".pawl/\n"}};
  for (const NewFile& file : files) {
    if (std::filesystem::exists(directory / file.name) && file.name != ".gitignore") {
      return session.fail({.code = ErrorCode::conflict,
                           .message = "there is a " + std::string(file.name) + " already in '" +
                                      directory.string() + "'",
                           .help = "name another directory: pawl init DIR"});
    }
  }
  if (const Status made = make_project_directory(directory); !made) {
    return session.fail(made.error());
  }
  if (const Status safe = session.check_owner(directory); !safe) return session.fail(safe.error());
  if (const Status made = make_private_directories(directory / ".pawl"); !made) {
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
  if (session.globals().wants_json()) {
    std::vector<Json> names(written.begin(), written.end());
    session.print(Json::object({{"directory", directory.string()}, {"files", Json::array(names)}}));
    return exit_done;
  }
  for (const std::string& name : written) session.print("made " + name + "\n");
  session.say("now:  " + (options.dir.empty() ? std::string{} : "cd " + options.dir + " && ") +
              "pawl run hello.yaml");
  return exit_done;
}

}  // namespace pawl::cli
