#pragma once

/// Files that run a list of task specs: `handlers` says how each type of task is done, and
/// `items: { tasks: FILE }` names the list. Each task becomes a stage.

#include <filesystem>

#include "workflow/faults.hpp"
#include "workflow/yaml.hpp"

namespace pawl::workflow {

/// Whether the file is such a file, so that `expand_tasks` applies.
[[nodiscard]] bool has_tasks(const YamlNode& root);

/// Reads the list and adds `stages` to the file: for each task a copy of the handler of its type,
/// with `needs` from its `depends_on` and the spec as `in.task`. Values of the spec are data: a
/// reference in them has no effect. Returns false if it added faults and no stages.
[[nodiscard]] bool expand_tasks(Faults& faults, YamlNode& root,
                                const std::filesystem::path& project);

}  // namespace pawl::workflow
