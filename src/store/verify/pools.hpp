#pragma once

/// I14: a pool is as full as tasks run in it.

#include "store/verify/log.hpp"

namespace pawl::store {

/// Judged only when nothing at all happened in the store while it was looked at; otherwise the
/// result says that it was not.
[[nodiscard]] Status check_pools(Records& records, const VerifyOptions& options, LogReading& log,
                                 Verification& into);

}  // namespace pawl::store
