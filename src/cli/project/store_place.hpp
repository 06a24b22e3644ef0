#pragma once

/// Where a store is: a SQLite file, or a schema of a PostgreSQL database.

#include <filesystem>
#include <memory>
#include <string>

#include "files/file_lock.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

struct StorePlace {
  std::filesystem::path file;  ///< empty: it is a database
  std::string url;             ///< may contain a password: never shown

  [[nodiscard]] bool is_file() const { return url.empty(); }
};

/// The store that `--store` names: an address, or a file relative to the working directory.
[[nodiscard]] Result<StorePlace> read_store_place(const std::string& named);

/// Whether the process of a worker is known to have died. Only a store in a file knows.
[[nodiscard]] bool is_known_dead(const StorePlace& place, WorkerId worker);

struct OpenStore {
  bool create = false;  ///< creates the store if there is none
  bool migrate = true;
  bool trust_owner = false;           ///< use a file that others can write to
  files::LockPatience patience = {};  ///< for the locks of a file
};
[[nodiscard]] Result<std::shared_ptr<Store>> open_store(const StorePlace& place, OpenStore how);

/// Where the workers of this machine track their running commands: beside a store file; for a
/// database, in the project, else in the user's state directory. Two stores never share one.
/// `refused` if the user has no state directory, because a shared directory is not safe.
[[nodiscard]] Result<std::filesystem::path> run_directory_of(const StorePlace& place,
                                                             const std::filesystem::path& project);

}  // namespace pawl::cli
