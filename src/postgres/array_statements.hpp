#pragma once

/// Statements that write many rows at once, built from a list of columns. Their parameters are one
/// array for each column, in the order of the list.

#include <string>
#include <string_view>

namespace pawl::postgres {

/// One letter for each column: t for text, n for numbers (see ArrayRows).
[[nodiscard]] std::string kinds_of(std::string_view columns);

/// INSERT INTO table (columns) SELECT … FROM unnest(…)
[[nodiscard]] std::string insert_rows(std::string_view table, std::string_view columns);

/// UPDATE table SET the `changing` columns FROM unnest(…) where the `keys` columns are equal. The
/// arrays: keys, then changing.
[[nodiscard]] std::string update_rows(std::string_view table, std::string_view keys,
                                      std::string_view changing);

/// The same as compare-and-set: the row must have the version `expected`. The arrays: id, expected,
/// changing; then the number of rows. Fails with a division by zero unless every row was changed,
/// so that a commit sent along is not executed.
[[nodiscard]] std::string compare_and_set_rows(std::string_view table, std::string_view changing);

}  // namespace pawl::postgres
