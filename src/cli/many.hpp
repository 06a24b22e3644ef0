#pragma once

/// Commands that take several ids: one after the other, each with its own answer. One that fails
/// does not keep the others from being done.

#include <functional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

/// The ids, with "-" replaced by the lines of stdin. Empty lines are passed over.
[[nodiscard]] std::vector<std::string> read_ids(Session& session,
                                                const std::vector<std::string>& ids);

/// What was done to one id: a document for JSON, and the same in words.
struct Done {
  Json document;
  std::string words;
};

/// Does each and reports: a line each on stdout, errors on stderr, or one document
/// {"items":[{…,"ok":true,"error":null}]}. The exit code is the first error's.
int do_each(Session& session, const std::vector<std::string>& ids,
            const std::function<Result<Done>(const std::string& id)>& act);

}  // namespace pawl::cli
