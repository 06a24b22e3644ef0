#pragma once

/// Files that a command hands in: `file` outputs and artifacts.
///
/// A path comes from outside, so it is not trusted. Only a regular file in an allowed place is
/// accepted, after all links are resolved. The bytes that are copied are those of the file that was
/// checked, whatever happens to its name meanwhile.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "actions/file_values.hpp"
#include "files/descriptor.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/store.hpp"
#include "store/patience.hpp"

namespace pawl::actions {

/// Where the files of an attempt may be. An attempt may also hand in the files that it was given.
struct FilePlaces {
  std::filesystem::path scratch;     ///< $PAWL_DIR, where relative paths start
  std::filesystem::path project;     ///< empty: only the scratch directory is allowed
  const FileLinks* given = nullptr;  ///< the files that the attempt was given
};

/// How much one attempt may hand in.
struct FileQuota {
  std::int64_t bytes_max = 0;  ///< all files together
  std::size_t files_max = 0;
};

/// A regular file in an allowed place.
class HandedIn {
 public:
  /// `invalid` names the path and where it must be. Never blocks, and never opens a device.
  [[nodiscard]] static Result<HandedIn> open(const FilePlaces& places, const std::string& path);

  /// The size when the file was opened.
  [[nodiscard]] std::int64_t size() const { return size_; }
  /// The name of the file itself, after links are resolved.
  [[nodiscard]] std::string name() const { return real_path_.filename().string(); }
  /// Its bytes. `invalid` beyond `bytes_max`; `unavailable` if a stop is requested.
  [[nodiscard]] ByteSource bytes(std::int64_t bytes_max, std::stop_token stop) const;

 private:
  std::shared_ptr<const files::Descriptor> file_;
  std::filesystem::path real_path_;
  std::int64_t size_ = 0;
};

/// Stores the files that one attempt hands in, within its quota.
class FileKeeper {
 public:
  FileKeeper(Store& store, FilePlaces places, FileQuota quota, store::Patience patience)
      : store_(store), places_(std::move(places)), quota_(quota), patience_(std::move(patience)) {}

  /// `invalid` if the files are too many or too large together. Call it before the first file is
  /// stored, so that nothing is stored in that case. Ignores paths that cannot be accepted.
  [[nodiscard]] Status check_quota(std::span<const std::string> paths) const;

  struct Kept {
    KeptFile file;
    std::string name;  ///< the last part of the path
  };
  /// The inner error means that this path cannot be accepted; the outer one that the store could
  /// not store it or the quota is used up.
  [[nodiscard]] Result<Result<Kept>> keep(const std::string& path);

  [[nodiscard]] Store& store() { return store_; }

 private:
  Store& store_;
  FilePlaces places_;
  FileQuota quota_;
  store::Patience patience_;
  std::int64_t bytes_kept_ = 0;
};

}  // namespace pawl::actions
