#pragma once

/// The files that the commands of a workflow name: scripts, and files given as arguments.
///
/// A word of `run` (of a stage or a gate) names a file if it is a literal, relative path: it has a
/// slash and no reference, and does not begin with a slash or a dash. Whether the file exists is
/// for the caller to find out. What a shell script (`sh`) uses is not known. JSON Schemas are not
/// listed: they are part of the workflow itself.

#include <string>
#include <vector>

#include "pawl/core/workflow.hpp"

namespace pawl {

struct NamedFile {
  std::string stage;
  /// Relative to the directory of the workflow file, normalised; may lead out of it ("../x").
  /// Absolute only if the stage's `dir` is.
  std::string path;
  /// The program itself, or the script that an interpreter such as python3 is given first: the
  /// stage cannot run without it. Such a script needs no slash: `[python3, train.py]`.
  bool is_script = false;
  friend bool operator==(const NamedFile&, const NamedFile&) = default;
};

/// In the order of the words; each path once.
[[nodiscard]] std::vector<NamedFile> named_files(const StageDefinition& stage);
/// Those of all stages.
[[nodiscard]] std::vector<NamedFile> named_files(const Workflow& workflow);

}  // namespace pawl
