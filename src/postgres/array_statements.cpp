#include "postgres/array_statements.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace pawl::postgres {

namespace {

/// The text columns of all tables.
constexpr std::array<std::string_view, 30> text_columns{"feedback",
                                                        "child_key",
                                                        "child_data",
                                                        "decider",
                                                        "decision_reason",
                                                        "verdict_reason",
                                                        "error",
                                                        "summary",
                                                        "artifacts",
                                                        "output",
                                                        "key",
                                                        "category",
                                                        "data",
                                                        "data_sha256",
                                                        "digest",
                                                        "claimed_by",
                                                        "answer",
                                                        "pool",
                                                        "name",
                                                        "assigned",
                                                        "assignee",
                                                        "actor",
                                                        "address",
                                                        "act",
                                                        "target",
                                                        "details",
                                                        "note",
                                                        "digest_before",
                                                        "digest_after",
                                                        "origin"};

std::vector<std::string_view> split(std::string_view columns) {
  std::vector<std::string_view> names;
  while (!columns.empty()) {
    const std::size_t end = std::min(columns.find(','), columns.size());
    names.push_back(columns.substr(0, end));
    columns.remove_prefix(std::min(end + 1, columns.size()));
    while (columns.starts_with(' ')) columns.remove_prefix(1);
  }
  return names;
}

bool is_text(std::string_view column) {
  return std::ranges::find(text_columns, column) != text_columns.end();
}

/// unnest($1::bigint[], $2::text[], …) AS u (columns)
std::string arrays_of(std::string_view columns) {
  std::string text = "unnest(";
  int place = 0;
  for (const std::string_view name : split(columns)) {
    if (place > 0) text += ", ";
    text += "$" + std::to_string(++place) + (is_text(name) ? "::text[]" : "::bigint[]");
  }
  return text + ") AS u (" + std::string(columns) + ")";
}

std::string assignments(std::string_view columns) {
  std::string text;
  for (const std::string_view name : split(columns)) {
    if (!text.empty()) text += ", ";
    text += std::string(name) + " = u." + std::string(name);
  }
  return text;
}

}  // namespace

std::string kinds_of(std::string_view columns) {
  std::string kinds;
  for (const std::string_view name : split(columns)) kinds += is_text(name) ? 't' : 'n';
  return kinds;
}

std::string insert_rows(std::string_view table, std::string_view columns) {
  return "INSERT INTO " + std::string(table) + " (" + std::string(columns) + ") SELECT * FROM " +
         arrays_of(columns);
}

std::string update_rows(std::string_view table, std::string_view keys, std::string_view changing) {
  std::string matches;
  for (const std::string_view key : split(keys)) {
    if (!matches.empty()) matches += " AND ";
    matches += "t." + std::string(key) + " = u." + std::string(key);
  }
  return "UPDATE " + std::string(table) + " AS t SET " + assignments(changing) + " FROM " +
         arrays_of(std::string(keys) + ", " + std::string(changing)) + " WHERE " + matches;
}

std::string compare_and_set_rows(std::string_view table, std::string_view changing) {
  const std::string arrays = "id, expected, " + std::string(changing);
  const std::string count = "$" + std::to_string(split(arrays).size() + 1);
  return "WITH changed AS (UPDATE " + std::string(table) + " AS t SET " + assignments(changing) +
         " FROM " + arrays_of(arrays) +
         " WHERE t.id = u.id AND t.version = u.expected RETURNING 1) "
         "SELECT 1 / (count(*) = " +
         count + "::bigint)::int FROM changed";
}

}  // namespace pawl::postgres
