#include "pawl/workflow/named_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "pawl/workflow/action.hpp"
#include "workflow/scripts.hpp"

namespace pawl {

using namespace workflow;

namespace {

/// Collects the files of one stage.
class FilesOfStage {
 public:
  FilesOfStage(const StageDefinition& stage, const ActionSpec& action)
      : stage_(stage.name), directory_(action.dir) {
    add_words(action.argv);
    for (const GateSpec& gate : action.gates) add_gate(gate);
  }
  [[nodiscard]] std::vector<NamedFile>& files() { return files_; }

 private:
  void add_gate(const GateSpec& gate) {
    add_words(gate.argv);
    for (const GateSpec& part : gate.parts) add_gate(part);
  }

  void add_words(const std::vector<std::string>& argv) {
    for (std::size_t i = 0; i < argv.size(); ++i) {
      const bool is_script = is_script_word(argv, i);
      if (is_script || names_file(argv[i])) add(argv[i], is_script);
    }
  }

  void add(const std::string& word, bool is_script) {
    std::string path = (directory_ / word).lexically_normal();
    const auto known = std::ranges::find(files_, path, &NamedFile::path);
    if (known == files_.end()) {
      files_.push_back({.stage = stage_, .path = std::move(path), .is_script = is_script});
    } else {
      known->is_script |= is_script;
    }
  }

  const std::string& stage_;
  const std::filesystem::path directory_;
  std::vector<NamedFile> files_;
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
