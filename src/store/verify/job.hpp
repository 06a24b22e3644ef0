#pragma once

/// One job: its rows, held against each other and against what the log says about it.

#include "store/verify/log.hpp"
#include "store/verify/payloads.hpp"

namespace pawl::store {

/// Reads the job until it has not changed underneath: its row is the same before and after, and
/// the log, which is read on behind it, tells of nothing new. A job that never holds still is
/// named in the result and not judged.
[[nodiscard]] Status verify_job(Records& records, const VerifyOptions& options, JobId id,
                                LogReading& log, PayloadCheck& payloads, Verification& into);

}  // namespace pawl::store
