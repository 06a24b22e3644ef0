#pragma once

/// The files that the commands of a workflow may name: scripts that they execute, and other words.
///
/// A word of `run` or `sh` (of a stage or a gate) may name a file if it is literal and relative: it
/// has no reference and no expansion, and does not begin with a slash or a dash. Words that a
/// command visibly writes to (redirections, `-o FILE`) are left out. Whether the file exists is for
/// the caller to find out. JSON Schemas are not listed: they are part of the workflow itself.

#include <string>
#include <vector>

#include "pawl/core/workflow.hpp"

namespace pawl {

struct NamedFile {
  std::string stage;
  /// Relative to the directory of the workflow file, normalised; may lead out of it ("../x").
  /// Absolute only if the stage's `dir` is.
  std::string path;
  /// Executed by `run`: the program itself, or the script that an interpreter such as python3 is
  /// given first. The stage cannot run without it. A script of an interpreter needs no slash:
  /// `[python3, train.py]`.
  bool is_script = false;
  friend bool operator==(const NamedFile&, const NamedFile&) = default;
};

/// Scripts first, then the other words, command by command; each path once.
[[nodiscard]] std::vector<NamedFile> named_files(const StageDefinition& stage);
/// Those of all stages.
[[nodiscard]] std::vector<NamedFile> named_files(const Workflow& workflow);

}  // namespace pawl
