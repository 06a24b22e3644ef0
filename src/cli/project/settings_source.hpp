#pragma once

/// The settings file of `pawl serve`: finds it, reads it, and shows its errors.

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "service/settings.hpp"

namespace pawl::cli {

struct SettingsSource {
  std::string name;  ///< as it stands in diagnostics
  std::string text;
  std::filesystem::path project;  ///< the base of its paths
  std::expected<service::Settings, std::vector<Diagnostic>> settings;
};

/// Reads `file`, or `.pawl/serve.yaml` of the project if no file is named; without such a file
/// every setting has its default. `not_found` or `invalid` if a file that is named cannot be read,
/// and `refused` if others could have changed it.
[[nodiscard]] Result<SettingsSource> read_settings_source(const Session& session,
                                                          const std::string& file);

/// The settings, with their warnings; none: its errors were shown on stderr.
[[nodiscard]] std::optional<service::Settings> settings_or_show(Session& session,
                                                                const SettingsSource& source);

/// The errors in one line, for a log.
[[nodiscard]] std::string in_words(const std::vector<Diagnostic>& diagnostics);

}  // namespace pawl::cli
