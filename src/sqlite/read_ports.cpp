#include "sqlite/read_ports.hpp"

#include <system_error>

#include "files/regular_file.hpp"
#include "sqlite/faults.hpp"

namespace pawl::sqlite {

std::optional<Error> PooledReads::read(const std::function<void(sql::Session&)>& body) {
  Status done = guarded(path_, [&]() -> Status {
    return readers_.read([&](Connection& connection) -> Status {
      const Transaction snapshot(connection, Transaction::Kind::read);
      body(connection);
      return {};
    });
  });
  if (done) return std::nullopt;
  return std::move(done.error());
}

Result<std::vector<std::string>> PooledReads::damage(bool thorough) {
  return guarded(path_, [&]() -> Result<std::vector<std::string>> {
    return readers_.read([&](Connection& connection) {
      std::vector<std::string> found;
      Cursor row =
          connection.prepared(thorough ? "PRAGMA integrity_check" : "PRAGMA quick_check").query();
      while (row.next()) {
        if (row.view(0) != "ok") found.push_back(row.text(0));
      }
      return found;
    });
  });
}

Result<std::string> PayloadReads::read(std::string_view sha256) {
  return guarded(path_, [&]() -> Result<std::string> { return files_.read(sha256); });
}

Status PayloadReads::each_piece(std::string_view sha256, const Take& take) {
  const Result<std::filesystem::path> path = path_of(sha256);
  if (!path) return std::unexpected(path.error());
  return files::read_regular_file(*path, take);
}

Result<std::int64_t> PayloadReads::size_of(std::string_view sha256) {
  const Result<std::filesystem::path> path = path_of(sha256);
  if (!path) return std::unexpected(path.error());
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(*path, error);
  if (!error) return static_cast<std::int64_t>(size);
  return fail(ErrorCode::unavailable, "cannot read '" + path->string() + "': " + error.message());
}

Result<std::string> PayloadReads::range_of(std::string_view sha256, std::int64_t from,
                                           std::size_t bytes_max) {
  return guarded(path_,
                 [&]() -> Result<std::string> { return files_.range_of(sha256, from, bytes_max); });
}

Result<std::filesystem::path> PayloadReads::path_of(std::string_view sha256) {
  return guarded(path_, [&]() -> Result<std::filesystem::path> {
    return std::filesystem::absolute(files_.find(sha256));
  });
}

}  // namespace pawl::sqlite
