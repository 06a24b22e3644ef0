#pragma once

/// What the shared reads need, on SQLite's read connections and payload files.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/read_ports.hpp"
#include "sqlite/payload_files.hpp"
#include "sqlite/reader_pool.hpp"

namespace pawl::sqlite {

/// Each read borrows a connection and returns it: a long read would make the write-ahead log grow.
class PooledReads final : public sql::ReadDoor {
 public:
  /// `readers` must outlive this object.
  PooledReads(std::filesystem::path database, ReaderPool& readers)
      : path_(std::move(database)), readers_(readers) {}

  std::optional<Error> read(const std::function<void(sql::Session&)>& body) override;
  Result<std::vector<std::string>> damage(bool thorough) override;

 private:
  std::filesystem::path path_;
  ReaderPool& readers_;
};

class PayloadReads final : public sql::Payloads {
 public:
  /// `files` must outlive this object.
  PayloadReads(std::filesystem::path database, const PayloadFiles& files)
      : path_(std::move(database)), files_(files) {}

  Result<std::string> read(std::string_view sha256) override;
  Status each_piece(std::string_view sha256, const Take& take) override;
  Result<std::int64_t> size_of(std::string_view sha256) override;
  Result<std::string> range_of(std::string_view sha256, std::int64_t from,
                               std::size_t bytes_max) override;
  Result<std::filesystem::path> path_of(std::string_view sha256) override;

 private:
  std::filesystem::path path_;
  const PayloadFiles& files_;
};

}  // namespace pawl::sqlite
