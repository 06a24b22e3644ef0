#include "cli/session.hpp"

#include <cstdlib>
#include <iostream>
#include <utility>

#include <pwd.h>
#include <unistd.h>

#include "cli/output/terminal_output.hpp"
#include "cli/output/terminal_size.hpp"
#include "cli/signals.hpp"
#include "files/private_files.hpp"
#include "files/trusted_path.hpp"
#include "pawl/views/documents.hpp"
#include "views/jobs.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

Streams standard_streams() {
  return {.in = &std::cin,
          .out = &std::cout,
          .err = &std::cerr,
          .in_is_terminal = ::isatty(STDIN_FILENO) == 1,
          .out_is_terminal = ::isatty(STDOUT_FILENO) == 1,
          .err_is_terminal = ::isatty(STDERR_FILENO) == 1};
}

Session::Session(Globals globals, Streams streams, std::shared_ptr<Store> store)
    : globals_(std::move(globals)),
      streams_(streams),
      style_{.colour = wants_colour(globals_.colour, streams.out_is_terminal),
             .width = streams.out_is_terminal ? terminal_size(STDOUT_FILENO).columns : 0},
      talk_style_{.colour = wants_colour(globals_.colour, streams.err_is_terminal)},
      store_(std::move(store)) {}

Times Session::times() const {
  return {.style = globals_.time, .now = store_ ? store_->now() : system_clock().now()};
}

fs::path Session::directory() const {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  const fs::path asked = globals_.dir.empty() ? here : here / globals_.dir;
  return asked.lexically_normal();
}

bool Session::trusts_owner() const {
  const std::string said = variable("PAWL_TRUST_OWNER");
  return globals_.trust_owner || (!said.empty() && said != "0");
}

Result<files::LockPatience> Session::lock_patience() {
  files::LockPatience patience{.is_interrupted = &stop_is_pending};
  const std::string said = variable("PAWL_LOCK_TIMEOUT");
  if (said.empty()) return patience;
  const Result<Duration> timeout = parse_duration(said);
  if (!timeout) {
    Error error = timeout.error();
    error.message = "PAWL_LOCK_TIMEOUT: " + error.message;
    return std::unexpected(std::move(error));
  }
  patience.timeout = *timeout;
  return patience;
}

Result<OpenStore> Session::opening(bool create) const {
  Result<files::LockPatience> patience = lock_patience();
  if (!patience) return std::unexpected(patience.error());
  return OpenStore{
      .create = create, .trust_owner = trusts_owner(), .patience = std::move(*patience)};
}

Status Session::check_owner(const fs::path& path) const {
  return trusts_owner() ? Status{} : files::check_trusted(path);
}

/// Checks that an existing store file is there, or creates the directory of a new one.
Status Session::make_ready(const fs::path& file, bool create) const {
  if (!create && !is_there(file)) {
    return pawl::fail(ErrorCode::not_found, "no store at " + file.string(),
                      "create one: pawl run FILE");
  }
  const fs::path folder = file.parent_path();
  if (folder.filename() != ".pawl") return {};
  if (const Status safe = check_owner(folder); !safe) return safe;
  if (create) {
    if (const Status made = files::make_private_directories(folder); !made) return made;
    if (const Status safe = check_owner(folder); !safe) return safe;
  }
  // Older versions created it with the permissions of the umask. Readers may stay.
  if (!trusts_owner()) files::deny_writing_to_others(folder);
  return {};
}

Result<fs::path> Session::find_project(const fs::path& from) const {
  std::error_code failed;
  fs::path at = fs::absolute(from, failed).lexically_normal();
  while (!at.empty()) {
    std::error_code ignored;
    const bool has_folder = fs::is_directory(at / ".pawl", ignored);
    if (has_folder || is_there(at / "pawl.toml")) {
      for (const fs::path& path : {at, at / (has_folder ? ".pawl" : "pawl.toml")}) {
        if (const Status safe = check_owner(path); !safe) return std::unexpected(safe.error());
      }
      return at;
    }
    if (at == at.parent_path()) break;
    at = at.parent_path();
  }
  return fs::path();
}

Result<fs::path> Session::project(const fs::path& fallback) const {
  if (!chosen_.empty()) {
    if (const Status safe = check_owner(chosen_); !safe) return std::unexpected(safe.error());
    return chosen_;
  }
  const fs::path start = directory();
  std::error_code ignored;
  if (!globals_.dir.empty() && !fs::is_directory(start, ignored)) {
    return pawl::fail(ErrorCode::not_found, "no such directory: " + start.string());
  }
  Result<fs::path> found = find_project(start);
  if (!found || !found->empty()) return found;
  if (!fallback.empty()) {
    std::error_code failed;
    fs::path made = fs::absolute(fallback, failed).lexically_normal();
    if (const Status safe = check_owner(made); !safe) return std::unexpected(safe.error());
    return made;
  }
  return pawl::fail(
      ErrorCode::not_found,
      "no pawl project here: neither " + start.string() + " nor a directory above it has .pawl/",
      "start one: pawl run FILE, or pass --store PATH");
}

std::string Session::named_store() const {
  return globals_.store.empty() ? variable("PAWL_STORE") : globals_.store;
}

Result<StorePlace> Session::store_place(const fs::path& fallback) const {
  if (opened_) return *opened_;
  if (const std::string named = named_store(); !named.empty()) return read_store_place(named);
  Result<fs::path> home = project(fallback);
  if (!home) return std::unexpected(home.error());
  return StorePlace{.file = *home / ".pawl" / "pawl.db", .url = {}};
}

Result<fs::path> Session::run_directory() const {
  const Result<StorePlace> place = store_place();
  if (!place) return std::unexpected(place.error());
  if (place->is_file()) return run_directory_of(*place, {});
  const Result<fs::path> found = find_project(chosen_.empty() ? directory() : chosen_);
  if (!found) return found;
  return run_directory_of(*place, *found);
}

Result<std::shared_ptr<Store>> Session::open(bool create, const fs::path& fallback) {
  if (store_) return store_;
  const Result<StorePlace> place = store_place(fallback);
  if (!place) return std::unexpected(place.error());
  const Result<OpenStore> how = opening(create);
  if (!how) return std::unexpected(how.error());
  if (place->is_file()) {
    if (const Status ready = make_ready(place->file, create); !ready) {
      return std::unexpected(ready.error());
    }
  }
  Result<std::shared_ptr<Store>> opened = open_store(*place, *how);
  if (opened) {
    store_ = *opened;
    opened_ = *place;
  }
  return opened;
}

Result<std::shared_ptr<Store>> Session::store() { return open(false, {}); }

Result<std::shared_ptr<Store>> Session::store_or_create(const fs::path& fallback) {
  return open(true, fallback);
}

void Session::print(std::string_view text) { *streams_.out << text; }
void Session::print(const Json& document) {
  *streams_.out << printable_lines(document.text()) << '\n';
}

void Session::print_id(const std::string& id) {
  if (!id.empty()) *streams_.out << id << '\n';
}

bool Session::prints_json() const {
  return output() == OutputMode::json || output() == OutputMode::json_lines;
}

int Session::present(const Forms& forms) {
  if (prints_json()) {
    const Result<Json> document = forms.document();
    if (!document) return fail(document.error());
    print(*document);
  } else if (output() == OutputMode::ids && forms.id) {
    print_id(forms.id());
  } else if (forms.text) {
    print(forms.text());
  }
  return exit_done;
}

void Session::say(std::string_view line) {
  if (output() != OutputMode::text) return;
  streams_.out->flush();
  *streams_.err << paragraph(line) << '\n' << std::flush;
}

int Session::fail(const Error& error) {
  streams_.out->flush();
  if (prints_json()) {
    *streams_.err << printable_lines(failure_document(error).text()) << '\n' << std::flush;
  } else {
    *streams_.err << error_text(error, talk_style_) << std::flush;
  }
  return stop_is_pending() ? exit_interrupted : exit_code_of(error.code);
}

int Session::fail_usage(std::string message, std::string help) {
  return fail(Error{ErrorCode::invalid, std::move(message), std::move(help)});
}

bool Session::can_ask() const {
  return streams_.in_is_terminal && streams_.err_is_terminal && !globals_.no_input;
}

Status Session::confirm(std::string_view question, const std::string& refused_as) {
  if (globals_.yes) return {};
  if (!can_ask()) {
    return pawl::fail(ErrorCode::refused,
                      refused_as.empty() ? "not confirmed: " + std::string(question) : refused_as,
                      "pass --yes to confirm");
  }
  const std::string answer = ask(std::string(question) + " [y/N] ");
  if (answer == "y" || answer == "Y" || answer == "yes") return {};
  return pawl::fail(ErrorCode::refused, "not done: the answer was not yes");
}

std::string Session::ask(std::string_view prompt) {
  streams_.out->flush();
  *streams_.err << paragraph(prompt) << std::flush;
  std::string line;
  std::getline(*streams_.in, line);
  return line;
}

Actor Session::actor(const std::string& as) {
  if (!as.empty()) return {.name = as, .method = ActorMethod::claimed};
  if (std::string name = variable("PAWL_USER"); !name.empty()) {
    return {.name = std::move(name), .method = ActorMethod::claimed};
  }
  return local_actor();
}

Actor Session::local_actor() {
  // In containers a user may have a number only.
  const passwd* const known = ::getpwuid(::getuid());
  return {.name = known != nullptr ? known->pw_name : "uid-" + std::to_string(::getuid())};
}

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return exit_usage;
    case ErrorCode::conflict:
      return exit_conflict;
    case ErrorCode::forbidden:
      return exit_not_allowed;
    case ErrorCode::not_found:
    case ErrorCode::refused:
    case ErrorCode::unavailable:
    case ErrorCode::corrupt:
      return exit_failed;
  }
  return exit_failed;
}

int exit_code_of(const Job& job) {
  const JobState state = state_of(job);
  if (state == JobState::cancelled) return exit_job_cancelled;
  if (state == JobState::paused || views::is_held_by_paused_stages(job)) return exit_job_paused;
  if (waits_for_people(job)) return exit_waits_for_people;
  if (state == JobState::failed) return exit_job_failed;
  return exit_done;
}

}  // namespace pawl::cli
