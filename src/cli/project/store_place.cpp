#include "cli/project/store_place.hpp"

#include <cstdlib>

#include <unistd.h>

#include "pawl/codec/digest.hpp"
#include "pawl/store/postgres.hpp"
#include "pawl/store/sqlite.hpp"
#include "sqlite/worker_locks.hpp"
#include "text/passwords.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

/// The state directory according to the XDG base directory specification.
Result<fs::path> state_directory() {
  const auto from = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path state = from("XDG_STATE_HOME"); state.is_absolute()) return state / "pawl";
  if (const fs::path home = from("HOME"); home.is_absolute()) return home / ".local/state/pawl";
  return pawl::fail(ErrorCode::refused,
                    "pawl needs a private directory to track running commands, and neither HOME "
                    "nor XDG_STATE_HOME is set",
                    "set XDG_STATE_HOME to a directory of this user, or work inside a project");
}

}  // namespace

bool is_known_dead(const StorePlace& place, WorkerId worker) {
  return place.is_file() && sqlite::WorkerLocks(place.file).is_dead(worker);
}

Result<StorePlace> read_store_place(const std::string& named) {
  if (is_postgres_url(named)) return StorePlace{.file = {}, .url = named};
  std::error_code failed;
  if (text::looks_like_address(named) && !fs::exists(named, failed)) {
    // The text may contain a password: do not repeat it, and never use it as a file name.
    return pawl::fail(ErrorCode::refused, "not a store address: expected a file or postgres://…",
                      "pass a file, or postgres://user@host:port/database");
  }
  return StorePlace{.file = fs::absolute(named, failed).lexically_normal(), .url = {}};
}

Result<std::shared_ptr<Store>> open_store(const StorePlace& place, OpenStore how) {
  if (!place.is_file()) {
    return open_postgres_store({.url = place.url, .migrate = how.migrate, .create = how.create});
  }
  const bool may_read = ::access(place.file.c_str(), R_OK) == 0;
  const bool may_write = ::access(place.file.c_str(), W_OK) == 0 &&
                         ::access(place.file.parent_path().c_str(), W_OK) == 0;
  return open_sqlite_store({.path = place.file,
                            .migrate = how.migrate,
                            .create = how.create,
                            .read_only = may_read && !may_write,
                            .trust_owner = how.trust_owner,
                            .lock_timeout = how.patience.timeout,
                            .is_interrupted = how.patience.is_interrupted});
}

Result<fs::path> run_directory_of(const StorePlace& place, const fs::path& project) {
  if (place.is_file()) return place.file.parent_path() / "run";
  constexpr std::size_t digits = 12;
  const std::string name = "run-" + sha256_hex(place.url).substr(0, digits);
  if (!project.empty()) return project / ".pawl" / name;
  Result<fs::path> state = state_directory();
  if (state) *state /= name;
  return state;
}

}  // namespace pawl::cli
