#pragma once

/// Payloads in the database, in pieces of one mebibyte: every machine can read them, they are
/// backed up with the rest, and none is held in memory as a whole unless that is requested.
///
/// If a program needs a file, the pieces are written to a temporary directory of this process.
/// Threads: any.

#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "pawl/store/store.hpp"
#include "postgres/readers.hpp"
#include "sql/read_ports.hpp"
#include "store/payloads/payload_folder.hpp"

namespace pawl::postgres {

class PayloadPieces final : public sql::Payloads {
 public:
  /// `readers` must outlive this object.
  PayloadPieces(Address address, Readers& readers)
      : address_(std::move(address)), readers_(readers) {}

  [[nodiscard]] Result<std::string> keep(std::string_view bytes);
  [[nodiscard]] Result<KeptFile> keep_stream(const ByteSource& source);

  Result<std::string> read(std::string_view sha256) override;
  Status each_piece(std::string_view sha256, const Take& take) override;
  Result<std::int64_t> size_of(std::string_view sha256) override;
  Result<std::string> range_of(std::string_view sha256, std::int64_t from,
                               std::size_t bytes_max) override;
  Result<std::filesystem::path> path_of(std::string_view sha256) override;

 private:
  Address address_;
  Readers& readers_;
  std::mutex mutex_;
  store::PayloadFolder folder_;  ///< guarded by mutex_
};

}  // namespace pawl::postgres
