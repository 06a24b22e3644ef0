#pragma once

/// What may be done to a job that came from another store: nothing before it is whole, and nothing
/// that lets it go on before it is accepted (I18).

#include <string>
#include <vector>

#include "store/ledger/books.hpp"

namespace pawl::store {

/// Checks both rules for an act.
[[nodiscard]] Status check_trust(Rows& rows, const Act& act);
/// Checks both rules for new items of a job.
[[nodiscard]] Status check_trust(Rows& rows, JobId job);

/// Accepts an untrusted job. `by` is recorded with it.
void accept(Books& books, Job& job, const std::string& by, std::vector<Event>& events);

}  // namespace pawl::store
