#pragma once

/// Where exceptions end: errors of SQLite and the file system become an `Error` that names the file
/// and says what to do.

#include <filesystem>
#include <string>
#include <type_traits>

#include "pawl/core/result.hpp"
#include "sql/fault.hpp"
#include "sqlite/db.hpp"

namespace pawl::sqlite {

using sql::Fault;

/// The meaning of a SQLite error for the user of the database at `path`.
[[nodiscard]] Error error_of(const DbError& error, const std::filesystem::path& path);

/// A failed system call on a file: "cannot write …: No space left on device".
[[nodiscard]] Fault system_fault(const std::string& doing, const std::filesystem::path& path,
                                 int error_number);

/// Runs `body`, which returns a Result, and turns exceptions into errors.
template <class Body>
auto guarded(const std::filesystem::path& path, Body&& body) -> std::invoke_result_t<Body> {
  try {
    return body();
  } catch (const DbError& error) {
    return std::unexpected(error_of(error, path));
  } catch (const Fault& fault) {
    return std::unexpected(fault.error);
  } catch (const std::filesystem::filesystem_error& error) {
    return std::unexpected(system_fault("use", error.path1(), error.code().value()).error);
  }
}

}  // namespace pawl::sqlite
