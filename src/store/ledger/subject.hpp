#pragma once

/// What an act is about.

#include <string>
#include <variant>

#include "pawl/store/acts.hpp"
#include "store/ledger/rows.hpp"

namespace pawl::store {

using Subject = std::variant<JobId, ItemId, TaskId, ReviewId>;

[[nodiscard]] Subject subject_of(const Act& act);
/// "review 12"
[[nodiscard]] std::string text_of(const Subject& subject);
/// The job of the subject; none: there is no such record.
[[nodiscard]] JobId job_of(Rows& rows, const Subject& subject);
/// The digest of what operators and reviewers can change about the subject; empty: there is no such
/// record.
[[nodiscard]] std::string state_digest(Rows& rows, const Subject& subject);
/// The note or the reason that the act gives.
[[nodiscard]] std::string reason_of(const Act& act);

}  // namespace pawl::store
