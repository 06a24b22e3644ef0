#include "cli/project/settings_source.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "cli/project/workflow_source.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

Result<std::string> read_text(const Session& session, const fs::path& path,
                              const std::string& name) {
  std::error_code failed;
  if (!fs::is_regular_file(path, failed)) {
    return pawl::fail(ErrorCode::not_found, "no such file: '" + printable(name) + "'",
                      "pass the settings of the service, such as .pawl/serve.yaml");
  }
  if (const Status safe = session.check_owner(path); !safe) return std::unexpected(safe.error());
  if (fs::file_size(path, failed) > file_bytes_max) {
    return pawl::fail(ErrorCode::invalid, "'" + printable(name) + "' is too large for settings");
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  // An empty file sets the fail bit of the output, not of the file.
  if (in.bad() || !in.is_open()) {
    return pawl::fail(ErrorCode::invalid,
                      "cannot read '" + printable(name) + "': " + std::strerror(errno));
  }
  return std::move(text).str();
}

}  // namespace

Result<SettingsSource> read_settings_source(const Session& session, const std::string& file) {
  const Result<fs::path> project = session.project(session.directory());
  if (!project) return std::unexpected(project.error());
  SettingsSource source{.name = file.empty() ? ".pawl/serve.yaml" : file,
                        .text = {},
                        .project = *project,
                        .settings = {}};
  const fs::path path = (file.empty() ? *project : session.directory()) / source.name;
  std::error_code ignored;
  if (file.empty() && !fs::exists(path, ignored)) return source;
  Result<std::string> text = read_text(session, path, source.name);
  if (!text) return std::unexpected(text.error());
  source.text = std::move(*text);
  source.settings = service::read_settings(source.text, source.name, source.project);
  return source;
}

std::optional<service::Settings> settings_or_show(Session& session, const SettingsSource& source) {
  if (source.settings) return *source.settings;
  const std::vector<Diagnostic>& faults = source.settings.error();
  *session.streams().err << rendered(faults, source.text, session.talk_style())
                         << counted(static_cast<std::int64_t>(faults.size()), "error") << " in "
                         << printable(source.name) << "; nothing was started.\n"
                         << std::flush;
  return std::nullopt;
}

std::string in_words(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& one : diagnostics) {
    text += (text.empty() ? "" : "; ") + one.file + ":" + std::to_string(one.place.line) + ": " +
            one.message;
  }
  return text;
}

}  // namespace pawl::cli
