#pragma once

/// The names of what lies beside the database.

#include <array>
#include <filesystem>
#include <string_view>

namespace pawl::sqlite {

/// `<database><suffix>`; the name of the database is taken as it is, dots and spaces included.
[[nodiscard]] inline std::filesystem::path beside(std::filesystem::path database,
                                                  std::string_view suffix) {
  database += suffix;
  return database;
}

/// What a store consists of: the database, what SQLite keeps beside it, and what we do.
inline constexpr std::array<std::string_view, 8> store_suffixes{
    "", "-wal", "-shm", "-journal", ".next", ".writer", ".blobs", ".workers"};

}  // namespace pawl::sqlite
