#pragma once

/// Checks the place of a database before anything is opened or created there.

#include <cstdint>
#include <string>
#include <string_view>

#include "files/file_lock.hpp"
#include "pawl/store/sqlite.hpp"

namespace pawl::sqlite {

/// Throws a `Fault` that says why a database at this path cannot be used or created: a directory, a
/// file that is not a database, an empty file instead of a store, a missing or read-only directory,
/// a network file system, a place that other users could write to. Changes nothing.
void check_place(const SqliteOptions& options);

/// How long to wait for the locks of this store.
[[nodiscard]] inline files::LockPatience patience_of(const SqliteOptions& options) {
  return {.timeout = options.lock_timeout, .is_interrupted = options.is_interrupted};
}

/// The name of a network file system, found by its statfs type and, for FUSE, by the type of the
/// mount; empty for a local one.
[[nodiscard]] std::string network_file_system(std::uint32_t kind, std::string_view mount_type);

}  // namespace pawl::sqlite
