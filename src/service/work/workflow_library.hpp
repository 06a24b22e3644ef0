#pragma once

/// The workflow files that the service may submit: those in the directories that the settings list.
///
/// Threads: every function may be called from any thread at the same time.

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::service {

/// One file of the library.
struct LibraryFile {
  std::string name;  ///< of the workflow; of a file with faults: its file name without the ending
  std::filesystem::path path;
  std::shared_ptr<const WorkflowFile> file;  ///< null: it has faults
  std::vector<Diagnostic> diagnostics;       ///< faults and warnings
};

class WorkflowLibrary {
 public:
  /// Reads the files `*.yaml` and `*.yml` of these directories, without those below. A file that
  /// others could have written has a fault, unless `trust_owner`; a directory that cannot be read
  /// is listed like a file with a fault.
  explicit WorkflowLibrary(std::vector<std::filesystem::path> directories,
                           bool trust_owner = false);

  /// Reads the directories again; these replace the ones before. Nobody sees a part of the files.
  void reload(std::vector<std::filesystem::path> directories);

  /// By name, and files of one name by path.
  [[nodiscard]] std::vector<std::shared_ptr<const LibraryFile>> all() const;
  /// `not_found`, naming the nearest; `conflict` if two files have this workflow. A file with
  /// faults is found only if no other file has its name.
  [[nodiscard]] Result<std::shared_ptr<const LibraryFile>> find(const std::string& name) const;

  /// Reads one file as it is now; the library stays as it is.
  [[nodiscard]] LibraryFile read_again(const LibraryFile& file) const;
  /// `refused` if others could have changed the file, or its directory, where its commands are.
  [[nodiscard]] Status check_owner(const std::filesystem::path& path) const;

 private:
  using Files = std::vector<std::shared_ptr<const LibraryFile>>;
  [[nodiscard]] Files read(const std::vector<std::filesystem::path>& directories) const;
  [[nodiscard]] LibraryFile read_file(const std::filesystem::path& path) const;

  const bool trust_owner_;
  mutable std::mutex mutex_;
  Files files_;  ///< guarded by mutex_
};

}  // namespace pawl::service
