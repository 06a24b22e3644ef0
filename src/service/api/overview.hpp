#pragma once

/// The first page of the dashboard, and the search, each in a few cheap reads.

#include <string>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "service/access/gatekeeper.hpp"
#include "service/backend.hpp"

namespace pawl::service {

/// What needs a person: reviews, dead letters, jobs that need attention; and who works.
[[nodiscard]] Result<Json> overview_document(const Backend& backend, const Caller& caller);

/// {"hits":[…]}: the job and the review with this number, then items whose keys begin with the
/// text, of the newest 20 jobs. At most 20.
[[nodiscard]] Result<Json> search_document(Records& records, const std::string& text);

}  // namespace pawl::service
