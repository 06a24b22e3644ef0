#include "workflow/scripts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace pawl {
namespace {

using namespace std::string_view_literals;

constexpr std::array interpreters{"sh"sv,   "bash"sv, "dash"sv, "zsh"sv, "python"sv,  "python3"sv,
                                  "node"sv, "ruby"sv, "perl"sv, "lua"sv, "Rscript"sv, "php"sv};

bool is_interpreter(const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  return std::ranges::find(interpreters, name) != interpreters.end();
}

bool is_plain_relative(const std::string& path) {
  return !path.empty() && path.front() != '/' && path.front() != '-' &&
         path.find("${") == std::string::npos && path.find('\0') == std::string::npos;
}

}  // namespace

void warn_of_missing_script(Faults& faults, const YamlNode& command,
                            const std::vector<std::string>& argv,
                            const std::filesystem::path& directory) {
  if (argv.empty() || argv.size() != command.list.size()) return;
  const auto look_for = [&](std::size_t place) {
    const std::string& path = argv[place];
    std::error_code ignored;
    if (std::filesystem::exists(directory / path, ignored)) return;
    faults.warn("W001", command.list[place].place, "there is no file " + in_quotes(path) + " yet",
                "paths are relative to the project, or to the stage's `dir`");
  };
  if (is_plain_relative(argv[0]) && argv[0].find('/') != std::string::npos) look_for(0);
  const bool names_script = argv.size() > 1 && is_interpreter(argv[0]) &&
                            is_plain_relative(argv[1]) &&
                            argv[1].find_first_of("/.") != std::string::npos;
  if (names_script) look_for(1);
}

}  // namespace pawl
