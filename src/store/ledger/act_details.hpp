#pragma once

/// What an act sets, in words for the audit trail.

#include <string>

#include "pawl/store/acts.hpp"
#include "store/ledger/rows.hpp"

namespace pawl::store {

/// "approve", "to anna, ben", "item 'scan-7', stage 'draft'"; empty: the name of the act and its
/// subject say it all. REQUIRES: the act has not been carried out yet.
[[nodiscard]] std::string details_of(Rows& rows, const Act& act);

}  // namespace pawl::store
