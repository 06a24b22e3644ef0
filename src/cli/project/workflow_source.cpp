#include "cli/project/workflow_source.hpp"

#include <algorithm>
#include <utility>

#include "actions/workflow_text.hpp"
#include "cli/output/terminal_output.hpp"

namespace pawl::cli {

namespace {

/// The first project found upwards from --dir, from the file, and from the working directory; else
/// the directory of the file.
Result<std::filesystem::path> home_of(const Session& session, const std::filesystem::path& file) {
  std::vector<std::filesystem::path> starts{file.parent_path(), session.directory()};
  if (!session.globals().dir.empty()) std::ranges::reverse(starts);
  for (const std::filesystem::path& start : starts) {
    Result<std::filesystem::path> found = session.find_project(start);
    if (!found || !found->empty()) return found;
  }
  return file.parent_path();
}

}  // namespace

Result<WorkflowSource> read_workflow_source(const Session& session, const std::string& file) {
  WorkflowSource source;
  source.name = file;
  const std::filesystem::path given(file);
  source.path = (given.is_absolute() ? given : session.directory() / given).lexically_normal();
  Result<std::string> text = actions::read_workflow_text(source.path, file);
  if (!text) return std::unexpected(text.error());
  source.text = std::move(*text);
  source.directory = source.path.parent_path();
  Result<std::filesystem::path> home = home_of(session, source.path);
  if (!home) return std::unexpected(home.error());
  source.home = std::move(*home);
  return source;
}

std::string rendered(const std::vector<Diagnostic>& diagnostics, std::string_view text,
                     const Style& style) {
  // The renderer removes control characters of the file, so all escape sequences are ours.
  return with_own_sequences(render(diagnostics, text, style.colour));
}

std::optional<WorkflowFile> load_or_show(Session& session, const WorkflowSource& source) {
  auto loaded = load_workflow_file(source.text, {.name = source.name, .project = source.directory});
  const std::vector<Diagnostic>& told = loaded ? loaded->warnings : loaded.error();
  if (!session.prints_json()) {
    *session.streams().err << rendered(told, source.text, session.talk_style()) << std::flush;
  }
  if (loaded) return std::move(*loaded);
  std::size_t errors = 0;
  for (const Diagnostic& one : told) errors += one.severity == Severity::error ? 1U : 0U;
  const std::string summary = counted(static_cast<std::int64_t>(errors), "error") + " in " +
                              printable(source.name) + "; nothing was run.";
  if (!session.prints_json()) {
    *session.streams().err << summary << "\n";
    return std::nullopt;
  }
  std::vector<Json> documents;
  for (const Diagnostic& one : told) documents.push_back(diagnostic_document(one));
  const Json document =
      Json::object({{"error", Json::object({{"code", "invalid"},
                                            {"message", summary},
                                            {"help", "pawl check " + source.name},
                                            {"diagnostics", Json::array(documents)}})}});
  *session.streams().err << printable_lines(document.text()) << "\n";
  return std::nullopt;
}

void say_which_store(Session& session, const WorkflowSource& source) {
  const std::string from_here = session.directory().lexically_relative(source.home).string();
  const bool is_found_from_here = !from_here.empty() && !from_here.starts_with("..");
  const bool is_obvious = source.home == source.directory && is_found_from_here;
  if (is_obvious || !session.named_store().empty()) return;
  session.say("store: " + printable((source.home / ".pawl" / "pawl.db").string()));
}

}  // namespace pawl::cli
