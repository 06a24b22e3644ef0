#include "workflow/scripts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace pawl::workflow {
namespace {

using namespace std::string_view_literals;

constexpr std::array interpreters{"sh"sv,   "bash"sv, "dash"sv, "zsh"sv, "python"sv,  "python3"sv,
                                  "node"sv, "ruby"sv, "perl"sv, "lua"sv, "Rscript"sv, "php"sv};

bool is_interpreter(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  return std::ranges::find(interpreters, name) != interpreters.end();
}

/// Whether the word after this option is code or a module, and not a script: `-c` of a shell (also
/// `-ec`) and of Python, `-m` of Python, `-e` of the others.
bool takes_code(const std::string& program, const std::string& option) {
  const std::string name = std::filesystem::path(program).filename();
  if (name.ends_with("sh")) return !option.starts_with("--") && option.contains('c');
  if (name.starts_with("python")) return option == "-c" || option == "-m";
  return option == "-e" || option == "-r" || option == "-p" || option.starts_with("--eval");
}

constexpr std::size_t path_bytes_max = 4096;

bool is_plain_relative(const std::string& path) {
  return !path.empty() && path.size() < path_bytes_max && path.front() != '/' &&
         path.front() != '-' && path.find("${") == std::string::npos &&
         path.find("://") == std::string::npos && path.find('\0') == std::string::npos;
}

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

bool names_file(const std::string& word) {
  return is_plain_relative(word) && word.find('/') != std::string::npos;
}

bool is_script_word(const std::vector<std::string>& argv, std::size_t place) {
  if (place == 0) return names_file(argv[0]);
  if (!is_interpreter(argv[0])) return false;
  for (std::size_t i = 1; i < place; ++i) {
    if (!argv[i].starts_with('-') || takes_code(argv[0], argv[i])) return false;
  }
  return is_plain_relative(argv[place]) && argv[place].find_first_of("/.") != std::string::npos;
}

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
  if (is_script_word(argv, 0)) look_for(0, true);
  if (argv.size() > 1 && is_script_word(argv, 1)) look_for(1, false);
}

}  // namespace pawl::workflow
