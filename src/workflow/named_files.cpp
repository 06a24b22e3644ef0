#include "pawl/workflow/named_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "pawl/workflow/action.hpp"
#include "workflow/command_words.hpp"

namespace pawl {

using namespace workflow;

namespace {

/// Collects the files of one stage.
class FilesOfStage {
 public:
  FilesOfStage(const StageDefinition& stage, const ActionSpec& action)
      : stage_(stage.name), directory_(action.dir) {
    add_command(action.argv);
    for (const std::string& path : paths_in_shell(action.script)) add(path, false);
    for (const GateSpec& gate : action.gates) add_gate(gate);
  }
  [[nodiscard]] std::vector<NamedFile>& files() { return files_; }

 private:
  void add_gate(const GateSpec& gate) {
    add_command(gate.argv);
    for (const GateSpec& part : gate.parts) add_gate(part);
  }

  void add_command(const std::vector<std::string>& argv) {
    for (const ScriptWord& word : script_words(argv)) add(argv[word.place], true);
    for (const std::string& path : argument_paths(argv)) add(path, false);
  }

  void add(const std::string& word, bool is_script) {
    std::string path = (directory_ / word).lexically_normal();
    const auto [known, is_new] = places_.try_emplace(path, files_.size());
    if (is_new) {
      files_.push_back({.stage = stage_, .path = std::move(path), .is_script = is_script});
    } else {
      files_[known->second].is_script |= is_script;
    }
  }

  const std::string& stage_;
  const std::filesystem::path directory_;
  std::vector<NamedFile> files_;
  std::map<std::string, std::size_t> places_;  ///< of the paths in files_
};

}  // namespace

std::vector<NamedFile> named_files(const StageDefinition& stage) {
  if (stage.handler != command_handler) return {};
  const Result<ActionSpec> action = action_from(stage.params);
  if (!action) return {};
  return std::move(FilesOfStage(stage, *action).files());
}

std::vector<NamedFile> named_files(const Workflow& workflow) {
  std::vector<NamedFile> all;
  for (const StageDefinition& stage : workflow.definition().stages) {
    std::ranges::move(named_files(stage), std::back_inserter(all));
  }
  return all;
}

}  // namespace pawl
