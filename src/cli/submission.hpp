#pragma once

/// From a checked workflow file to a job in the store.

#include <filesystem>
#include <string>
#include <vector>

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

/// --items: "-" is stdin, an existing file is JSON lines, anything else a glob. `invalid` for what
/// is neither there nor a pattern: a misspelt name is not an empty list.
[[nodiscard]] Result<ItemsSpec> items_named(const std::string& text, const ItemsSpec& of_file,
                                            const std::filesystem::path& project);

/// The items as they are before anything is submitted: all of them, or the first hundred thousand.
struct FirstItems {
  std::vector<NewItem> items;
  bool more = false;
  ItemSource rest;  ///< where `more`
};
[[nodiscard]] Result<FirstItems> read_first_items(const Submission& submission);

/// Items whose id another one has before them: each is an item of its own, as "a#2".
struct EqualIds {
  std::int64_t count = 0;
  std::string first;  ///< the id that two have
};
[[nodiscard]] EqualIds equal_ids(const std::vector<NewItem>& items);

/// The job with its first items, in one transaction. With a known key nothing is added, and it is
/// the job of the first submission.
struct Begun {
  Job job;
  bool was_known = false;
};
[[nodiscard]] Result<Begun> begin_job(Store& store, const Submission& submission,
                                      const FirstItems& first);

/// Adds what was not among the first items. An error there cancels the job.
[[nodiscard]] Result<Job> add_the_rest(Store& store, const Submission& submission, const Job& job,
                                       const FirstItems& first);

/// After a crash in the middle of a submission: reads the job's source again, adds what is missing,
/// closes it.
[[nodiscard]] Status finish_submission(Store& store, const Job& job);

/// The text of a label of a job ("file", "project"); empty where there is none.
[[nodiscard]] std::string label(const Job& job, std::string_view name);

}  // namespace pawl::cli
