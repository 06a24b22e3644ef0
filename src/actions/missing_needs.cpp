#include "actions/missing_needs.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include "actions/command.hpp"
#include "actions/command_lookup.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/action.hpp"
#include "pawl/workflow/named_files.hpp"

namespace pawl {

bool actions::is_missing(const std::filesystem::path& path) {
  std::error_code failed;
  return std::filesystem::status(path, failed).type() == std::filesystem::file_type::not_found;
}

std::string actions::in_words(const MissingNeed& need) {
  switch (need.kind) {
    case MissingNeed::Kind::secret:
      return "the secret " + need.name + " is not set here";
    case MissingNeed::Kind::script:
      return "the script '" + need.name + "' does not exist here";
    case MissingNeed::Kind::program:
      return "the program '" + need.name + "' is not in PATH here";
  }
  return {};
}

std::function<bool(const Json&)> actions::check_of_scripts(const StageDefinition& stage) {
  std::vector<NamedFile> files = named_files(stage);
  std::erase_if(files, [](const NamedFile& file) { return !file.is_script; });
  if (files.empty()) return {};
  return [files = std::move(files)](const Json& job_labels) {
    const std::filesystem::path directory = field(job_labels, "project").string().value_or("");
    return std::ranges::none_of(
        files, [&](const NamedFile& file) { return is_missing(directory / file.path); });
  };
}

using namespace actions;

namespace {

using Environment = std::function<const char*(const char*)>;

bool is_set(const std::string& name, const Environment& environment) {
  const char* const value = environment ? environment(name.c_str()) : std::getenv(name.c_str());
  return value != nullptr && *value != '\0';
}

/// The program of a command, if it has to be looked for in PATH and is not there.
std::optional<std::string> missing_program(const ActionSpec& action,
                                           const std::vector<std::string>& argv,
                                           const std::string& path,
                                           const std::filesystem::path& directory) {
  if (argv.empty() || argv[0].find('/') != std::string::npos) return std::nullopt;
  if (argv[0].find("${") != std::string::npos) return std::nullopt;
  const auto own =
      std::ranges::find(action.env, "PATH", &std::pair<std::string, std::string>::first);
  const std::string& searched = own == action.env.end() ? path : own->second;
  if (searched.find("${") != std::string::npos) return std::nullopt;
  const auto found = find_command(argv[0], {"PATH=" + searched}, directory);
  const bool is_unknown = !found && found.error().fault == StartFault::command_not_found;
  return is_unknown ? std::optional(argv[0]) : std::nullopt;
}

void each_command(const std::vector<GateSpec>& gates,
                  const std::function<void(const std::vector<std::string>&)>& visit) {
  for (const GateSpec& gate : gates) {
    if (!gate.argv.empty()) visit(gate.argv);
    each_command(gate.parts, visit);
  }
}

}  // namespace

std::vector<MissingNeed> missing_needs(const Workflow& workflow,
                                       const std::filesystem::path& directory,
                                       const Environment& environment) {
  std::vector<MissingNeed> missing;
  for (const StageDefinition& stage : workflow.definition().stages) {
    std::ranges::move(missing_needs(stage, directory, environment), std::back_inserter(missing));
  }
  return missing;
}

std::vector<MissingNeed> missing_needs(const StageDefinition& stage,
                                       const std::filesystem::path& directory,
                                       const Environment& environment) {
  std::vector<MissingNeed> missing;
  if (stage.handler != command_handler) return missing;
  const Result<ActionSpec> action = action_from(stage.params);
  if (!action) return missing;
  const auto add = [&](MissingNeed::Kind kind, const std::string& name) {
    const MissingNeed need{.stage = stage.name, .kind = kind, .name = name};
    if (std::ranges::find(missing, need) == missing.end()) missing.push_back(need);
  };
  for (const std::string& name : action->secrets) {
    if (!is_set(name, environment)) add(MissingNeed::Kind::secret, name);
  }
  for (const NamedFile& file : named_files(stage)) {
    if (file.is_script && is_missing(directory / file.path)) {
      add(MissingNeed::Kind::script, file.path);
    }
  }
  const char* const path = environment ? environment("PATH") : std::getenv("PATH");
  const auto look_for_program = [&](const std::vector<std::string>& argv) {
    const auto program = missing_program(*action, argv, path == nullptr ? usual_path : path,
                                         directory / action->dir);
    if (program) add(MissingNeed::Kind::program, *program);
  };
  look_for_program(action->argv);
  each_command(action->gates, look_for_program);
  return missing;
}

std::vector<MissingSecret> missing_secrets(const Workflow& workflow,
                                           const Environment& environment) {
  std::vector<MissingSecret> missing;
  for (const StageDefinition& stage : workflow.definition().stages) {
    if (stage.handler != command_handler) continue;
    const Result<ActionSpec> action = action_from(stage.params);
    if (!action) continue;
    for (const std::string& name : action->secrets) {
      if (!is_set(name, environment)) missing.push_back({stage.name, name});
    }
  }
  return missing;
}

}  // namespace pawl
