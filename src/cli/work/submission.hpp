#pragma once

/// Submits a checked workflow file as a job.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/project/workflow_source.hpp"
#include "cli/session.hpp"
#include "files/descriptor.hpp"
#include "files/file_lock.hpp"
#include "pawl/actions/items.hpp"
#include "pawl/runtime/engine.hpp"

namespace pawl::cli {

/// What `run` submits.
struct Submission {
  WorkflowSource source;
  WorkflowFile file;
  ItemsSpec items;  ///< from the file, or from --items
  Json params;
  Json files = {};  ///< see `compared_files`
  std::string key;
  bool adopt = false;
  std::uint32_t parallel = 0;
  Actor by = {};  ///< who submits it
};

/// --items: "-" is stdin, an existing file is JSON lines, anything else is a glob. `invalid` if it
/// neither exists nor is a pattern: a misspelt name is not an empty list. Paths are relative to
/// `directory`, that of the workflow file.
[[nodiscard]] Result<ItemsSpec> items_named(const std::string& text, const ItemsSpec& of_file,
                                            const std::filesystem::path& directory);

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

/// Items with the id of an earlier item. Each becomes a separate item, such as "a#2".
struct EqualIds {
  std::int64_t count = 0;
  std::string first;  ///< the first duplicate id
};
[[nodiscard]] EqualIds equal_ids(const std::vector<NewItem>& items);

/// A lock for submissions on this machine. A process holds it from the check for an unfinished job
/// until the new job is in the store. If several processes start at once, one submits and the
/// others find its job.
///
/// The kernel releases the lock when its process ends, in whatever way.
class SubmissionTurn {
 public:
  /// Waits for the lock, which is a file beside the run directory.
  /// `refused` if the file cannot be created. The file is never deleted: otherwise one process
  /// could hold the deleted file while another creates a new one. `unavailable`, naming the holder,
  /// if the lock is not free in time.
  [[nodiscard]] static Result<SubmissionTurn> wait_for(const std::filesystem::path& run_directory,
                                                       const files::LockPatience& patience);

 private:
  explicit SubmissionTurn(files::Descriptor file) : file_(std::move(file)) {}

  files::Descriptor file_;  ///< holds the lock for as long as it is open
};

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
                                       const std::function<void(const Begun&)>& on_begun);

/// After a crash during a submission: reads the items again, adds the missing ones, and closes the
/// submission.
[[nodiscard]] Status finish_submission(Engine& engine, const Job& job, const Actor& by);

}  // namespace pawl::cli
