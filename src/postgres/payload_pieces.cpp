#include "postgres/payload_pieces.hpp"

#include "pawl/codec/digest.hpp"
#include "postgres/faults.hpp"

namespace pawl::postgres {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

constexpr char select_is_there[] = "SELECT 1 FROM payloads WHERE sha256 = ?1";
constexpr char select_size[] = "SELECT size FROM payloads WHERE sha256 = ?1";
constexpr char select_piece[] =
    "SELECT bytes FROM payload_pieces WHERE sha256 = ?1 AND number = ?2";
// Two processes that store the same bytes at once write the same rows; the second waits for the
// first.
constexpr char insert_payload[] =
    "INSERT INTO payloads (sha256, size) VALUES ($1, $2) ON CONFLICT DO NOTHING";
constexpr char insert_piece[] =
    "INSERT INTO payload_pieces (sha256, number, bytes) VALUES ($1, $2, $3) "
    "ON CONFLICT DO NOTHING";

void write_piece(Connection& connection, std::string_view sha256, std::int64_t number,
                 std::string_view bytes) {
  connection.post(insert_piece, Parameters::of(sha256, number).add_bytes(bytes));
  // Wait after each piece, so that only one is in flight whatever the total size.
  connection.await_posted();
}

}  // namespace

Result<std::string> PayloadPieces::keep(std::string_view bytes) {
  return guarded(address_, [&]() -> Result<std::string> {
    std::string sha256 = sha256_hex(bytes);
    readers_.write([&](Connection& connection) {
      if (connection.prepared(select_is_there).query(sha256).next()) return;
      for (std::size_t at = 0, number = 0; at < bytes.size(); at += piece_bytes, ++number) {
        write_piece(connection, sha256, static_cast<std::int64_t>(number),
                    bytes.substr(at, piece_bytes));
      }
      connection.post(insert_payload, Parameters::of(sha256, bytes.size()));
    });
    return sha256;
  });
}

/// Reads the source twice: the name is known only after the last byte, but must be written before
/// the first piece. A source that changes in between is refused.
Result<KeptFile> PayloadPieces::keep_stream(const ByteSource& source) {
  Sha256 digest;
  KeptFile kept;
  const Status measured = source([&](std::string_view piece) -> Status {
    digest.update(piece);
    kept.size += static_cast<std::int64_t>(piece.size());
    return {};
  });
  if (!measured) return std::unexpected(measured.error());
  kept.sha256 = digest.finish_hex();
  return guarded(address_, [&]() -> Result<KeptFile> {
    readers_.write([&](Connection& connection) {
      if (connection.prepared(select_is_there).query(kept.sha256).next()) return;
      std::string piece;
      std::int64_t number = 0;
      Sha256 again;
      const Status copied = source([&](std::string_view bytes) -> Status {
        again.update(bytes);
        piece += bytes;
        while (piece.size() >= piece_bytes) {
          write_piece(connection, kept.sha256, number++,
                      std::string_view(piece).substr(0, piece_bytes));
          piece.erase(0, piece_bytes);
        }
        return {};
      });
      if (!copied) throw Fault(copied.error());
      if (!piece.empty()) write_piece(connection, kept.sha256, number, piece);
      if (again.finish_hex() != kept.sha256) {
        throw Fault(ErrorCode::invalid, "the file changed while it was copied",
                    "finish writing the file before handing it in");
      }
      connection.post(insert_payload, Parameters::of(kept.sha256, kept.size));
    });
    return kept;
  });
}

Status PayloadPieces::each_piece(std::string_view sha256, const Take& take) {
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::invalid, "'" + std::string(sha256) + "' is not a SHA-256 in hex");
  }
  bool is_there = false;
  Status taken;
  Sha256 digest;
  for (std::int64_t number = 0;; ++number) {
    bool is_last = false;
    const std::optional<Error> failed = readers_.read([&](sql::Session& session) {
      if (number == 0) is_there = session.prepared(select_is_there).query(sha256).next();
      sql::Cursor row = session.prepared(select_piece).query(sha256, number);
      is_last = !row.next();
      if (is_last) return;
      digest.update(row.view(0));
      taken = take(row.view(0));
    });
    if (failed) return std::unexpected(*failed);
    if (!taken) return taken;
    if (!is_there) {
      return fail(ErrorCode::not_found,
                  "no payload " + std::string(sha256) + " at " + address_.shown);
    }
    if (is_last) break;
  }
  if (digest.finish_hex() == sha256) return {};
  return fail(ErrorCode::corrupt,
              "the payload " + std::string(sha256) + " at " + address_.shown + " has changed",
              "restore it from a backup");
}

Result<std::int64_t> PayloadPieces::size_of(std::string_view sha256) {
  if (!is_sha256_hex(sha256)) {
    return fail(ErrorCode::invalid, "'" + std::string(sha256) + "' is not a SHA-256 in hex");
  }
  std::optional<std::int64_t> size;
  const std::optional<Error> failed = readers_.read([&](sql::Session& session) {
    sql::Cursor row = session.prepared(select_size).query(sha256);
    if (row.next()) size = row.integer(0);
  });
  if (failed) return std::unexpected(*failed);
  if (size) return *size;
  return fail(ErrorCode::not_found, "no payload " + std::string(sha256) + " at " + address_.shown);
}

/// The part of one piece: the caller asks again for what follows.
Result<std::string> PayloadPieces::range_of(std::string_view sha256, std::int64_t from,
                                            std::size_t bytes_max) {
  const Result<std::int64_t> size = size_of(sha256);
  if (!size) return std::unexpected(size.error());
  if (from >= *size) return std::string();
  constexpr auto whole = static_cast<std::int64_t>(piece_bytes);
  const auto begin = static_cast<std::size_t>(from % whole);
  std::string bytes;
  const std::optional<Error> failed = readers_.read([&](sql::Session& session) {
    sql::Cursor row = session.prepared(select_piece).query(sha256, from / whole);
    if (row.next() && row.view(0).size() > begin) bytes = row.view(0).substr(begin, bytes_max);
  });
  if (failed) return std::unexpected(*failed);
  if (!bytes.empty()) return bytes;
  return fail(ErrorCode::corrupt,
              "the payload " + std::string(sha256) + " at " + address_.shown + " is not complete",
              "restore it from a backup");
}

Result<std::string> PayloadPieces::read(std::string_view sha256) {
  std::string bytes;
  const Status taken = each_piece(sha256, [&](std::string_view piece) -> Status {
    bytes += piece;
    return {};
  });
  if (!taken) return std::unexpected(taken.error());
  return bytes;
}

Result<std::filesystem::path> PayloadPieces::path_of(std::string_view sha256) {
  const std::lock_guard lock(mutex_);
  return folder_.file(
      sha256, [&](const store::PayloadFolder::Take& take) { return each_piece(sha256, take); });
}

}  // namespace pawl::postgres
