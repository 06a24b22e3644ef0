#pragma once

/// The names of what lies beside the database.

#include <filesystem>
#include <string_view>

namespace pawl::sqlite {

/// `<database><suffix>`; the name of the database is taken as it is, dots and spaces included.
[[nodiscard]] inline std::filesystem::path beside(std::filesystem::path database,
                                                  std::string_view suffix) {
  database += suffix;
  return database;
}

}  // namespace pawl::sqlite
