#pragma once

/// Answers to reviews that wait for their moment.

#include "pawl/store/records.hpp"

namespace pawl::store {

/// Whether a reviewer of the job has given an answer that a sweep still has to make effective. Then
/// the job does not wait for people, although its counters say so.
[[nodiscard]] Result<bool> has_pending_answer(Records& records, JobId job);

}  // namespace pawl::store
