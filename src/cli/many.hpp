#pragma once

/// Commands that take several ids: one after the other, each with its own answer. One that fails
/// does not keep the others from being done.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

/// The ids, with "-" replaced by the lines of stdin: what lists print with --quiet. An id has no
/// raw newline (`id_part`), so a line is one id. Empty lines are passed over.
[[nodiscard]] std::vector<std::string> read_ids(Session& session,
                                                const std::vector<std::string>& ids);

/// The same of things that are called by numbers. `invalid` names every text that is none, and that
/// nothing was named at all; `what` is what the numbers are of: "review".
[[nodiscard]] Result<std::vector<std::string>> read_numbers(Session& session,
                                                            const std::vector<std::string>& ids,
                                                            const std::string& what);
[[nodiscard]] std::int64_t number_of(const std::string& id);

/// What was done to one id: a document for JSON, the same in words, and the id as it is printed
/// with --quiet; empty: as it was given.
struct Done {
  Json document;
  std::string words;
  std::string id = {};
};

/// Does each and reports: a line each on stdout, errors on stderr, or one document
/// {"items":[{…,"ok":true,"error":null}]}, with `list` in place of "items". The exit code is the
/// worst of all: that it did not work, then wrong usage, then a conflict.
int do_each(Session& session, const std::vector<std::string>& ids,
            const std::function<Result<Done>(const std::string& id)>& act,
            const std::string& list = "items");

}  // namespace pawl::cli
