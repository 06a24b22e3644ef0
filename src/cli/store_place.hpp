#pragma once

/// Where a store is: a SQLite file, or a schema of a PostgreSQL database.

#include <filesystem>
#include <memory>
#include <string>

#include "pawl/core/result.hpp"
#include "pawl/store/store.hpp"
#include "store/file_lock.hpp"

namespace pawl::cli {

struct StorePlace {
  std::filesystem::path file;  ///< empty: it is a database
  std::string url;             ///< may hold a password: never shown

  [[nodiscard]] bool is_file() const { return url.empty(); }
};

/// What `--store` names: an address, or a file as seen from the working directory.
[[nodiscard]] Result<StorePlace> read_store_place(const std::string& named);

struct OpenStore {
  bool create = false;  ///< makes the store where there is none
  bool migrate = true;
  bool trust_owner = false;    ///< a file is used although others could write to it
  LockPatience patience = {};  ///< with the locks of a file
};
[[nodiscard]] Result<std::shared_ptr<Store>> open_store(const StorePlace& place, OpenStore how);

/// Where the processes that work on the store leave their marks, on this machine: beside a file;
/// for a database in the project, else in the user's state directory. Two stores never share one.
/// `refused` where the user has no such directory: one that is shared with others will not do.
[[nodiscard]] Result<std::filesystem::path> run_directory_of(const StorePlace& place,
                                                             const std::filesystem::path& project);

}  // namespace pawl::cli
