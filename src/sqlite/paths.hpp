#pragma once

/// The names of the files beside the database.

#include <array>
#include <filesystem>
#include <string_view>

namespace pawl::sqlite {

/// `<database><suffix>`; the name of the database is used unchanged, with its dots and spaces.
[[nodiscard]] inline std::filesystem::path beside(std::filesystem::path database,
                                                  std::string_view suffix) {
  database += suffix;
  return database;
}

/// The files of a store: the database, SQLite's files beside it, and our own.
inline constexpr std::array<std::string_view, 8> store_suffixes{
    "", "-wal", "-shm", "-journal", ".next", ".writer", ".blobs", ".workers"};

}  // namespace pawl::sqlite
