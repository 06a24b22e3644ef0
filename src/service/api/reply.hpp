#pragma once

/// What a route answers.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/records.hpp"
#include "service/http/message.hpp"

namespace pawl::service {

struct Document {
  Json json;
};

/// Some rows of a list, and where the next ones begin.
struct Page {
  std::vector<Json> rows;
  std::optional<std::string> next = std::nullopt;  ///< the cursor; none: this is the last page
};

/// The columns of a list that depend on its records.
struct Table {
  std::vector<std::string> headings;
  std::function<std::vector<std::string>(const Json& row)> cells;
};

/// A list, read page by page. What it refers to must live as long as it: it may be read after the
/// handler has returned.
struct List {
  /// At most `limit` rows after the cursor; empty: from the beginning. `invalid` for a cursor that
  /// the list never gave.
  std::function<Result<Page>(const std::string& after, std::uint32_t limit)> page;
  std::function<Result<Tally>()> total = {};               ///< none: the list is not counted
  std::vector<std::pair<std::string, Json>> members = {};  ///< beside the rows, in JSON only
  std::optional<Table> table = std::nullopt;  ///< as CSV; none: the columns of the route
};

/// Nothing to say (204).
struct Nothing {};

using Reply = std::variant<Document, List, Nothing, Response>;

/// The rows a page has if the request does not say it, and the most that it may have.
inline constexpr std::uint32_t page_rows = 100;
inline constexpr std::uint32_t page_rows_max = 1'000;

/// {"error":{"code","message","help"}}, with the status that the table of codes has for it.
[[nodiscard]] Response error_response(const Error& error);
/// The same for an error that only HTTP has: "not_signed_in", "too_large".
[[nodiscard]] Response error_response(unsigned status, std::string_view code,
                                      std::string_view message, std::string_view help = {});
[[nodiscard]] unsigned status_of(ErrorCode code);

[[nodiscard]] Response json_response(unsigned status, const Json& document);

}  // namespace pawl::service
