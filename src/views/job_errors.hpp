#pragma once

/// Errors about jobs, with what a person can do about them.

#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"

namespace pawl::views {

/// The error for work on an untrusted job; its help names the command that accepts it.
[[nodiscard]] Error not_trusted(const Job& job);

/// An error of the store, with a help line that names commands of the program in place of calls of
/// the library.
[[nodiscard]] Error with_commands(Error error, JobId job);

}  // namespace pawl::views
