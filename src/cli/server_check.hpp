#pragma once

/// What is asked of a server before work begins on its store.

#include <filesystem>

#include "cli/session.hpp"

namespace pawl::cli {

/// Looks at the PostgreSQL server of this call's store, if that is where it is. `refused` names
/// everything at once that keeps a worker from its work; what is only worth knowing is said on
/// stderr. `fallback` as for `Session::project`.
[[nodiscard]] Status check_server(Session& session, const std::filesystem::path& fallback = {});

}  // namespace pawl::cli
