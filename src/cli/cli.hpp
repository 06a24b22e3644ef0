#pragma once

/// What every command of the program shares: the global options, and what its exit code means.

#include <cstdint>
#include <string>

namespace pawl::cli {

/// What the program's exit code tells. Documented by `pawl help exit-codes`; never renumber.
enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,  ///< it did not work; never describes a job
  exit_usage = 2,   ///< wrong usage, or an invalid workflow file; nothing ran
  exit_conflict = 3,
  exit_not_allowed = 4,
  exit_job_failed = 10,
  exit_waits_for_people = 11,
  exit_job_paused = 12,
  exit_job_cancelled = 13,
  exit_interrupted = 130,
};

enum class Colour : std::uint8_t { automatic, always, never };
enum class TimeStyle : std::uint8_t { relative, local, utc };

/// Options that every command takes, before or after its name.
struct Globals {
  bool json = false;   ///< one document on stdout
  bool jsonl = false;  ///< one document per line
  bool quiet = false;  ///< ids only
  bool verbose = false;
  Colour colour = Colour::automatic;
  TimeStyle time = TimeStyle::relative;
  std::string dir;    ///< where the project is looked for; empty: the working directory
  std::string store;  ///< empty: PAWL_STORE, else the project's
  bool yes = false;
  bool no_input = false;     ///< asks nothing, even on a terminal
  bool trust_owner = false;  ///< uses a project and a store that others could write to

  [[nodiscard]] bool wants_json() const { return json || jsonl; }
};

}  // namespace pawl::cli
