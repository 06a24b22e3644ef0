#pragma once

/// Submits a checked workflow file as a job: for the command line and for the service.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pawl/actions/items.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::actions {

/// What is submitted.
struct Submission {
  std::filesystem::path path;       ///< of the workflow file, absolute
  std::filesystem::path directory;  ///< of the file: the base of its paths; commands run there
  WorkflowFile file;
  ItemsSpec items;  ///< those of the file, or others
  Json params;
  Json files = {};  ///< see `compared_files`
  std::string key;
  bool adopt = false;
  std::uint32_t parallel = 0;
  std::int32_t priority = 0;
  Actor by = {};  ///< who submits it
};

/// An unfinished job of this workflow, if there is one.
[[nodiscard]] Result<std::optional<Job>> unfinished_job(Records& records,
                                                        const std::string& workflow);

/// The digests of the files that the commands name, for adoption: `work_files`, continuing the
/// newest job of the same workflow in the same directory.
[[nodiscard]] Result<Json> compared_files(Records& records, const Submission& submission);

/// The items, each with a digest for adoption that includes the files of the submission.
[[nodiscard]] ItemSource items_of(const Submission& submission);

/// The items that are read before anything is submitted: all, or the first hundred thousand.
struct FirstItems {
  std::vector<NewItem> items;
  bool more = false;
  ItemSource rest;  ///< if `more`
};
[[nodiscard]] Result<FirstItems> read_first_items(const Submission& submission);

/// What is odd about the items: there are none, or some have the id of an earlier one. The texts
/// are not escaped.
[[nodiscard]] std::vector<std::string> item_warnings(const ItemsSpec& source,
                                                     const std::vector<NewItem>& items);

/// The value as the items of a list have to be written to be read as it is: references in its texts
/// are escaped.
[[nodiscard]] Json without_references(const Json& value);

/// A job and how it was begun.
struct Begun {
  Job job;
  bool was_known = false;  ///< the key is known: nothing was added
};
/// Submits the job with its first items, in one transaction, calls `on_begun`, and adds the other
/// items. If these cannot be read or added, cancels the job. Without an engine, which would
/// register a worker, the job goes directly to the store.
[[nodiscard]] Result<Begun> submit_job(Store& store, Engine* engine, const Submission& submission,
                                       FirstItems first,
                                       const std::function<void(const Begun&)>& on_begun = {});

/// After a crash during a submission: reads the items again, adds the missing ones, and closes the
/// submission.
[[nodiscard]] Status finish_submission(Engine& engine, const Job& job, const Actor& by);

}  // namespace pawl::actions
