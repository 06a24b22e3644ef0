/// `pawl doctor`: checks whether this machine and this project meet the needs of pawl.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/commands/commands.hpp"
#include "cli/output/job_view.hpp"
#include "cli/session.hpp"
#include "cli/work/needs.hpp"
#include "pawl/store/postgres.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/version.hpp"

namespace pawl::cli {
namespace {

enum class Health : std::uint8_t { ok, warning, failed };

struct Finding {
  std::string what;
  Health health = Health::ok;
  std::string text;
  std::string help;
};

std::string_view word_of(Health health) {
  switch (health) {
    case Health::ok:
      return "ok";
    case Health::warning:
      return "warning";
    case Health::failed:
      return "failed";
  }
  return {};
}

constexpr std::uint64_t little_space = std::uint64_t{1} << 30U;

Finding look_at_shell() {
  const bool is_there = ::access("/bin/sh", X_OK) == 0;
  return {.what = "shell",
          .health = is_there ? Health::ok : Health::failed,
          .text = is_there ? "/bin/sh" : "/bin/sh is missing",
          .help = is_there ? "" : "stages with `sh:` need it"};
}

Finding look_at_editor() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return {.what = "editor", .health = Health::ok, .text = printable(value), .help = {}};
    }
  }
  return {.what = "editor",
          .health = Health::warning,
          .text = "EDITOR is not set",
          .help = "set EDITOR for `pawl review edit`, or pass --output FILE"};
}

Finding look_at_terminal() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view text(value);
    const bool is_utf8 = text.contains("UTF-8") || text.contains("utf8") || text.contains("UTF8");
    return {.what = "characters",
            .health = is_utf8 ? Health::ok : Health::warning,
            .text = printable(text),
            .help = is_utf8 ? "" : "pawl writes UTF-8; set LANG=C.UTF-8"};
  }
  return {.what = "characters",
          .health = Health::warning,
          .text = "LANG is not set",
          .help = "pawl writes UTF-8; set LANG=C.UTF-8"};
}

Finding look_at_space(const std::filesystem::path& directory) {
  struct statvfs found{};
  if (::statvfs(directory.c_str(), &found) != 0) {
    return {.what = "disk",
            .health = Health::warning,
            .text = "cannot read the free space of '" + directory.string() + "'",
            .help = {}};
  }
  const std::uint64_t free = std::uint64_t{found.f_bavail} * found.f_frsize;
  const bool is_little = free < little_space;
  return {
      .what = "disk",
      .health = is_little ? Health::warning : Health::ok,
      .text = bytes_in_words(static_cast<std::int64_t>(free)) + " free",
      .help = is_little ? "a full disk stops all work until there is space; nothing is lost" : ""};
}

Health health_of(PostgresFinding::Health health) {
  switch (health) {
    case PostgresFinding::Health::ok:
      return Health::ok;
    case PostgresFinding::Health::warning:
      return Health::warning;
    case PostgresFinding::Health::failed:
      return Health::failed;
  }
  return Health::failed;
}

bool has_failed(const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings,
                             [](const Finding& one) { return one.health == Health::failed; });
}

/// Returns false if no connection can be made.
bool look_at_server(const std::string& url, std::vector<Finding>& findings) {
  const auto found = examine_postgres({.url = url});
  if (!found) {
    findings.push_back({.what = "server",
                        .health = Health::failed,
                        .text = found.error().message,
                        .help = found.error().help});
    return false;
  }
  for (const PostgresFinding& one : *found) {
    findings.push_back({.what = "server " + one.what,
                        .health = health_of(one.health),
                        .text = one.text,
                        .help = one.help});
  }
  return true;
}

Finding look_at_user() {
  const bool is_root = ::geteuid() == 0;
  return {.what = "user",
          .health = is_root ? Health::warning : Health::ok,
          .text = is_root ? "root" : "not root",
          .help = is_root ? "commands would run as root; use another user" : ""};
}

Finding look_at_left_files(const std::filesystem::path& database) {
  const LeftFiles left = half_written_payloads(database);
  const bool is_clean = left.count == 0;
  return {.what = "left files",
          .health = is_clean ? Health::ok : Health::warning,
          .text = is_clean ? "none"
                           : counted(left.count, "half-written file") + " (" +
                                 bytes_in_words(left.bytes) + ") left by a killed process",
          .help = is_clean ? "" : "the next `pawl work` or `pawl run` removes them"};
}

/// What the stages of unfinished jobs need and this machine does not have.
void look_at_needs(Records& records, std::vector<Finding>& findings) {
  constexpr std::uint32_t jobs_max = 100;
  const auto jobs =
      records.jobs({.ended = false, .workflow_name = {}, .before = {}, .limit = jobs_max});
  if (!jobs) return;
  for (const Job& job : *jobs) {
    const Result<Workflow> workflow = records.workflow(job.workflow_hash);
    if (!workflow) continue;
    for (const MissingNeed& need : missing_needs(*workflow, views::label(job, "project"))) {
      findings.push_back({.what = "job " + std::to_string(job.id.value()),
                          .health = Health::warning,
                          .text = "stage '" + printable(need.stage) + "': " + in_words(need),
                          .help = need.kind == MissingNeed::Kind::program
                                      ? "attempts would fail here"
                                      : "workers here leave this stage to others"});
    }
  }
}

void look_at_store(Session& session, std::vector<Finding>& findings) {
  const auto place = session.store_place();
  if (!place) {
    findings.push_back(
        {.what = "project",
         .health = place.error().code == ErrorCode::refused ? Health::failed : Health::warning,
         .text = place.error().message,
         .help = place.error().help});
    findings.push_back(look_at_space(session.directory()));
    return;
  }
  findings.push_back({.what = "store",
                      .health = Health::ok,
                      .text = place->is_file() ? place->file.string() : "a PostgreSQL database",
                      .help = {}});
  findings.push_back(
      look_at_space(place->is_file() ? place->file.parent_path() : session.directory()));
  if (place->is_file() && !std::filesystem::exists(place->file)) {
    findings.back().text += "; no store yet";
    return;
  }
  if (!place->is_file() && !look_at_server(place->url, findings)) return;
  if (place->is_file()) findings.push_back(look_at_left_files(place->file));
  const auto store = session.store();
  // Problems of the server, and a store that does not exist yet, have been reported above.
  const bool is_said =
      has_failed(findings) || (!store && store.error().code == ErrorCode::not_found);
  if (!store && !place->is_file() && is_said) return;
  if (!store) {
    findings.push_back({.what = "opening",
                        .health = Health::failed,
                        .text = store.error().message,
                        .help = store.error().help});
    return;
  }
  const auto workers = (*store)->records().workers();
  if (!workers) {
    findings.push_back({.what = "reading",
                        .health = Health::failed,
                        .text = workers.error().message,
                        .help = workers.error().help});
    return;
  }
  std::int64_t working = 0;
  for (const WorkerRecord& worker : *workers) {
    if (!worker.retired && worker.lease_until > (*store)->now()) ++working;
  }
  findings.push_back({.what = "workers",
                      .health = Health::ok,
                      .text = counted(working, "active worker"),
                      .help = {}});
  look_at_needs((*store)->records(), findings);
}

int doctor(Session& session) {
  std::vector<Finding> findings = {
      {.what = "pawl", .health = Health::ok, .text = std::string(version), .help = {}},
      look_at_shell(),
      look_at_editor(),
      look_at_terminal(),
      look_at_user(),
  };
  look_at_store(session, findings);
  const bool failed = has_failed(findings);
  std::vector<Json> documents;
  Table table({{.heading = "CHECK"}, {.heading = "STATUS"}, {.heading = "RESULT"}});
  for (const Finding& one : findings) {
    documents.push_back(Json::object({{"what", one.what},
                                      {"health", word_of(one.health)},
                                      {"text", one.text},
                                      {"help", one.help.empty() ? Json{} : Json(one.help)}}));
    const Paint paint = one.health == Health::ok        ? Paint::green
                        : one.health == Health::warning ? Paint::yellow
                                                        : Paint::red;
    table.add({one.what,
               {std::string(word_of(one.health)), paint},
               one.help.empty() ? one.text : one.text + ": " + one.help});
  }
  session.present(
      {.document =
           [&] { return Json::object({{"ok", !failed}, {"findings", Json::array(documents)}}); },
       .text = [&] { return table.text(session.style()); }});
  return failed ? exit_failed : exit_done;
}

}  // namespace

CommandEntry doctor_command() {
  return command("doctor", "pawl doctor", "Look for problems on this machine.", &doctor);
}

}  // namespace pawl::cli
