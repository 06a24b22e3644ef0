#pragma once

/// Checks a server before work begins on its store.

#include <filesystem>

#include "cli/session.hpp"

namespace pawl::cli {

/// Checks the PostgreSQL server of the store, if the store is on one. `refused` lists everything
/// that prevents work. Warnings go to stderr. `fallback` as for `Session::project`.
[[nodiscard]] Status check_server(Session& session, const std::filesystem::path& fallback = {});

}  // namespace pawl::cli
