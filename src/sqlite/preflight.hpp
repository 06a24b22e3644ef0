#pragma once

/// Looks at the place of a database before anything is opened or made there.

#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/store/sqlite.hpp"
#include "store/file_lock.hpp"

namespace pawl::sqlite {

/// Throws the `Fault` that says why no database can be used or made at this path: a directory, a
/// file that is no database, an empty one where a store should be, a missing or read-only
/// directory, a network file system, one that other users could write to. Changes nothing.
void check_place(const SqliteOptions& options);

/// How long locks of this store are waited for.
[[nodiscard]] inline LockPatience patience_of(const SqliteOptions& options) {
  return {.timeout = options.lock_timeout, .is_interrupted = options.is_interrupted};
}

/// The name of a network file system by the number of its kind (statfs) and, for FUSE, by the type
/// of the mount; empty for a local one.
[[nodiscard]] std::string network_file_system(std::uint32_t kind, std::string_view mount_type);

}  // namespace pawl::sqlite
