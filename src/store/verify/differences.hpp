#pragma once

/// I1: reports each difference: which facts of a job only the log has, or only the rows have. Asked
/// for when their sums differ.

#include "store/verify/log.hpp"

namespace pawl::store {

/// Reads the job's records and its part of the log twice more: once to see which groups of tasks
/// differ, once to compare these. At most a quarter of a million facts are held; where more groups
/// differ than that, the rest is counted. `with_lengths`: the log has the lengths of attempts.
[[nodiscard]] Status tell_differences(Records& records, const VerifyOptions& options,
                                      const Job& job, const LogReading& log, bool with_lengths,
                                      Findings& findings);

}  // namespace pawl::store
