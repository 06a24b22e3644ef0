#include "workflow/scripts.hpp"

#include "workflow/command_words.hpp"

namespace pawl::workflow {
namespace {

/// Checks the mode bits of the file, not the rights of this user: root may execute anything.
void warn_if_not_executable(Faults& faults, const Place& place, const std::string& path,
                            const std::filesystem::path& directory) {
  using std::filesystem::perms;
  std::error_code failed;
  const auto status = std::filesystem::status(directory / path, failed);
  const perms anybody = perms::owner_exec | perms::group_exec | perms::others_exec;
  const bool can_run = is_regular_file(status) && (status.permissions() & anybody) != perms::none;
  if (failed || can_run) return;
  if (!is_regular_file(status)) {
    faults.warn("W002", place, in_quotes(path) + " is not a file",
                "name the program or script to run");
    return;
  }
  faults.warn(
      "W002", place, in_quotes(path) + " is not executable",
      "make it executable with chmod +x, or name the program that runs it: [sh, " + path + "]");
}

}  // namespace

void warn_of_missing_directory(Faults& faults, const Place& place, const std::string& directory,
                               const std::filesystem::path& project) {
  std::error_code ignored;
  if (directory.empty() || directory.find('\0') != std::string::npos) return;
  if (std::filesystem::is_directory(project / directory, ignored)) return;
  const bool is_file = std::filesystem::exists(project / directory, ignored);
  faults.warn("W003", place,
              is_file ? in_quotes(directory) + " is not a directory"
                      : "there is no directory " + in_quotes(directory) + " yet",
              "the path is relative to the workflow file");
}

void warn_of_missing_script(Faults& faults, const YamlNode& command,
                            const std::vector<std::string>& argv,
                            const std::filesystem::path& directory) {
  if (argv.empty() || argv.size() != command.list.size()) return;
  // A missing directory has a warning of its own.
  std::error_code failed;
  if (!directory.empty() && !std::filesystem::is_directory(directory, failed)) return;
  const auto look_for = [&](std::size_t place, bool is_program) {
    const std::string& path = argv[place];
    std::error_code ignored;
    if (std::filesystem::exists(directory / path, ignored)) {
      if (is_program) warn_if_not_executable(faults, command.list[place].place, path, directory);
      return;
    }
    faults.warn("W001", command.list[place].place, "there is no file " + in_quotes(path) + " yet",
                "paths are relative to the workflow file, or to the stage's `dir`");
  };
  for (const ScriptWord& word : script_words(argv)) look_for(word.place, word.is_program);
}

}  // namespace pawl::workflow
