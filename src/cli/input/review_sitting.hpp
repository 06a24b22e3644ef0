#pragma once

/// One person at a terminal decides one review after the other, each with a key.

#include <chrono>

#include "cli/session.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/store/store.hpp"
#include "views/open_reviews.hpp"

namespace pawl::cli {

using views::Reviewer;

/// How long the review that is shown is claimed for the person.
inline constexpr Duration review_claim_lasts = std::chrono::minutes(10);

/// Shows the reviews of the job, or of all jobs if it is 0, until none is left or the person stops.
/// An answer can be taken back for `undo_for`, which is at most `answer_delay_max`. Returns the
/// exit code. REQUIRES: a terminal, and a `StopSignals` that was created before the store was
/// opened.
[[nodiscard]] int sit_at_reviews(Session& session, Store& store, const Actor& actor,
                                 const Reviewer& reviewer, JobId job, Duration undo_for);

}  // namespace pawl::cli
