#pragma once

/// What all commands share: the global options and the exit codes.

#include <cstdint>
#include <string>

namespace pawl::cli {

/// The exit codes of the program. Documented by `pawl help exit-codes`; never renumber them.
enum ExitCode : int {
  exit_done = 0,
  exit_failed = 1,  ///< the command failed; never describes a job
  exit_usage = 2,   ///< wrong usage, or an invalid workflow file; nothing ran
  exit_conflict = 3,
  exit_not_allowed = 4,
  exit_job_failed = 10,
  exit_waits_for_people = 11,
  exit_job_paused = 12,
  exit_job_cancelled = 13,
  exit_interrupted = 130,
};

/// What a command prints on stdout.
enum class OutputMode : std::uint8_t {
  text,        ///< for people
  ids,         ///< --quiet: only ids, one per line
  json,        ///< --json: one document
  json_lines,  ///< --jsonl: one document per line
};
enum class Colour : std::uint8_t { automatic, always, never };
enum class TimeStyle : std::uint8_t { relative, local, utc };

/// Options that every command accepts, before or after its name.
struct Globals {
  OutputMode output = OutputMode::text;
  bool verbose = false;
  Colour colour = Colour::automatic;
  TimeStyle time = TimeStyle::relative;
  std::string dir;    ///< where the search for the project begins; empty: the working directory
  std::string store;  ///< empty: PAWL_STORE, else the project's store
  bool yes = false;
  bool no_input = false;     ///< never ask, even on a terminal
  bool trust_owner = false;  ///< use a project and a store that others can write to
};

}  // namespace pawl::cli
