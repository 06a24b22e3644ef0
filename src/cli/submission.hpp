#pragma once

/// From a checked workflow file to a job in the store.

#include <filesystem>
#include <string>

#include "cli/session.hpp"
#include "cli/workflow_source.hpp"
#include "pawl/actions/items.hpp"

namespace pawl::cli {

/// What `run` submits.
struct Submission {
  WorkflowSource source;
  WorkflowFile file;
  ItemsSpec items;  ///< the file's, or what --items put in their place
  Json params;
  std::string key;
  bool adopt = false;
  std::uint32_t parallel = 0;
};

/// --items: "-" is stdin, an existing file is JSON lines, anything else a glob.
[[nodiscard]] ItemsSpec items_named(const std::string& text, const ItemsSpec& of_file,
                                    const std::filesystem::path& project);

/// Reads the items first, and submits only when all could be read; past a hundred thousand they are
/// streamed, and an error among the later ones cancels the job.
[[nodiscard]] Result<Job> submit(Store& store, const Submission& submission);

/// After a crash in the middle of a submission: reads the job's source again, adds what is missing,
/// closes it.
[[nodiscard]] Status finish_submission(Store& store, const Job& job);

/// The text of a label of a job ("file", "project"); empty where there is none.
[[nodiscard]] std::string label(const Job& job, std::string_view name);

}  // namespace pawl::cli
