#pragma once

/// The escapes of addresses: "%2F" and, in a query, "+".

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::service {

/// The text without its escapes. None if an escape is malformed.
[[nodiscard]] std::optional<std::string> without_escapes(std::string_view text);

/// The parameters of a query, in order. A name or a value with a malformed escape is none.
using QueryPart = std::pair<std::optional<std::string>, std::optional<std::string>>;
[[nodiscard]] std::vector<QueryPart> query_parts(std::string_view query);

/// The text as a part of a path or a query.
[[nodiscard]] std::string with_escapes(std::string_view text);

}  // namespace pawl::service
