#pragma once

/// For commands that take several ids. Each id succeeds or fails on its own.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

/// The ids, with "-" replaced by the lines of stdin, as lists print them with --quiet. An id
/// contains no raw newline (`id_part`), so a line is one id. Empty lines are skipped.
[[nodiscard]] std::vector<std::string> read_ids(Session& session,
                                                const std::vector<std::string>& ids);

/// The same for numbers. `what` says what they identify: "review". `invalid` names every text that
/// is not a number, or reports that none were given.
[[nodiscard]] Result<std::vector<std::string>> read_numbers(Session& session,
                                                            const std::vector<std::string>& ids,
                                                            const std::string& what);
[[nodiscard]] std::int64_t number_of(const std::string& id);

/// The result for one id: a JSON document, the same in words, and the id to print with --quiet
/// (empty: the id as given).
struct Done {
  Json document;
  std::string words;
  std::string id = {};
};

/// Processes each id and reports the results: one line each on stdout, or one document
/// {"items":[{…,"ok":true,"error":null}]}, with `array` in place of "items". Each error is also on
/// stderr. An id that failed has only its id beside "ok" and "error": {"review":18}, {"job":3} or
/// {"id":"1/ada"}. Returns the worst exit code: failure before wrong usage before conflict.
int do_each(Session& session, const std::vector<std::string>& ids,
            const std::function<Result<Done>(const std::string& id)>& act,
            const std::string& array = "items");

}  // namespace pawl::cli
