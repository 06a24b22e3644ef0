#include "actions/command_lookup.hpp"

#include <cerrno>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

namespace pawl::actions {

namespace {

enum class Kind { missing, not_executable, program };

Kind kind_of_file(const std::filesystem::path& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == EACCES ? Kind::not_executable : Kind::missing;
  }
  const bool is_program = S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0;
  return is_program ? Kind::program : Kind::not_executable;
}

std::string_view path_variable(const std::vector<std::string>& env) {
  for (const std::string& variable : env) {
    if (variable.starts_with("PATH=")) return std::string_view(variable).substr(5);
  }
  return {};
}

std::unexpected<StartRefusal> not_executable(const std::string& command,
                                             const std::filesystem::path& found) {
  const bool is_directory = std::filesystem::is_directory(found);
  return std::unexpected(StartRefusal{
      StartFault::not_executable, EACCES,
      "not executable: " + command +
          (is_directory ? " is a directory"
                        : " (" + found.string() + " is not executable; try chmod +x)")});
}

}  // namespace

std::expected<std::string, StartRefusal> program_to_try(const std::string& command,
                                                        const std::vector<std::string>& env,
                                                        const std::string& cwd) {
  if (command.starts_with('/')) return command;
  const bool names_its_file = command.find('/') != std::string::npos;
  if (names_its_file && cwd.starts_with('/')) {
    return (std::filesystem::path(cwd) / command).string();
  }
  return find_command(command, env, cwd);
}

std::expected<std::string, StartRefusal> find_command(const std::string& command,
                                                      const std::vector<std::string>& env,
                                                      const std::filesystem::path& cwd) {
  std::error_code ignored;
  const std::filesystem::path base = cwd.empty() ? std::filesystem::current_path(ignored) : cwd;
  if (!std::filesystem::is_directory(base, ignored)) {
    return std::unexpected(StartRefusal{StartFault::no_directory, ENOENT,
                                        "the working directory does not exist: " + base.string()});
  }
  if (command.empty()) {
    return std::unexpected(StartRefusal{StartFault::command_not_found, ENOENT,
                                        "command not found: its name is empty"});
  }
  if (command.find('/') != std::string::npos) {
    const std::filesystem::path path = base / command;
    switch (kind_of_file(path)) {
      case Kind::program:
        return path.string();
      case Kind::not_executable:
        return not_executable(command, path);
      case Kind::missing:
        return std::unexpected(StartRefusal{
            StartFault::command_not_found, ENOENT,
            "command not found: " + command + " (no such file: " + path.string() + ")"});
    }
  }
  const std::string_view searched = path_variable(env);
  std::filesystem::path forbidden;
  for (std::string_view rest = searched; !rest.empty();) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
    const std::filesystem::path path = base / folder / command;
    const Kind kind = kind_of_file(path);
    if (kind == Kind::program) return path.string();
    if (kind == Kind::not_executable && forbidden.empty() &&
        std::filesystem::is_regular_file(path, ignored)) {
      forbidden = path;
    }
  }
  if (!forbidden.empty()) return not_executable(command, forbidden);
  return std::unexpected(StartRefusal{
      StartFault::command_not_found, ENOENT,
      "command not found: " + command +
          (searched.empty() ? " (PATH is empty)" : " (looked in " + std::string(searched) + ")")});
}

StartRefusal start_refusal(int error, const std::string& command) {
  const std::string what = std::generic_category().message(error);
  switch (error) {
    case E2BIG:
      return {StartFault::too_long, error,
              "the arguments and the environment of " + command +
                  " are too long; pass large values with `in`"};
    case ENOENT:  // the file exists, so its interpreter is missing
      return {StartFault::command_not_found, error,
              "command not found: the interpreter in the first line of " + command};
    case EACCES:
    case EPERM:
    case ENOEXEC:
    case ELIBBAD:
    case ENOTDIR:
      return {StartFault::not_executable, error, "not executable: " + command + " (" + what + ")"};
    default:
      return {StartFault::other, error, "could not start " + command + ": " + what};
  }
}

}  // namespace pawl::actions
