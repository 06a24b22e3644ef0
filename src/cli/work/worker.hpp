#pragma once

/// An engine on the store of the session, which runs the stages of workflow files and reports to
/// the user what it does.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/output/progress.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "pawl/runtime/engine.hpp"

namespace pawl::cli {

struct WorkOrder {
  std::string name = "pawl run";  ///< of the worker
  std::uint32_t parallel = 1;     ///< attempts at the same time
  std::set<std::string> stages = {};
  std::set<std::string> categories = {};
  Duration lease = {};          ///< zero: the default of the engine
  bool keep_running = false;    ///< past the lease, although others may run the same task
  std::int64_t file_quota = 0;  ///< maximum bytes of the files of one attempt; zero: the default
  bool claims = true;           ///< false: runs no attempt, but looks after what is due
  /// Receives every message; none: they are shown on the terminal. Called from any thread.
  std::function<void(LogLevel, const std::string&)> log = {};
};

/// Collects log lines of the engine, from any thread, until the main thread shows them.
class Remarks {
 public:
  void add(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }
  /// Adds the line unless it was added once before.
  void add_once(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (said_once_.insert(line).second) lines_.push_back(line);
  }
  [[nodiscard]] std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;   ///< guarded by mutex_
  std::set<std::string> said_once_;  ///< guarded by mutex_
};

class Worker {
 public:
  /// REQUIRES: `signals` was created before the store was opened.
  Worker(Session& session, std::shared_ptr<Store> store, const StopSignals& signals,
         WorkOrder order);

  /// Creates the engine, which registers with the store. It runs nothing before `start`.
  [[nodiscard]] Status enlist();
  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] Progress& progress() { return progress_; }

  /// Cleans up after killed processes and starts the engine. If a job is named, the engine works on
  /// no other.
  [[nodiscard]] Status start(JobId only = {});

  /// Whether the engine works on the job. If this machine cannot, reports why. Threads: any.
  [[nodiscard]] bool takes(const Job& job);
  /// Why the commands of a job cannot run in its directory: it does not exist on this
  /// machine, or another user could have put programs there.
  [[nodiscard]] std::optional<Error> unfit_directory(const Job& job) const;

  /// Shows what the engine has reported since the last call.
  void show_remarks();

  /// Drains the engine: running attempts may finish.
  void drain();
  /// Waits for a signal for this time. The first one drains the engine. Returns false after a
  /// second one, and half a minute after the first.
  [[nodiscard]] bool may_continue(Duration pause = Duration::zero());
  /// Whether the engine is draining.
  [[nodiscard]] bool is_interrupted() const { return interrupted_at_.has_value(); }

  /// Stops the engine. Returns its fault, if it has one.
  [[nodiscard]] Status stop();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Why the engine leaves a stage, or a whole job, to others. Threads: any.
  [[nodiscard]] std::string why_left(const Job& job, const StageDefinition* stage) const;
  /// Passes a message to the log, or shows it on the terminal.
  void report(LogLevel level, const std::string& line);
  void warn_of_root();
  void remove_left_files();
  [[nodiscard]] Status end_orphan_processes(const std::filesystem::path& run_directory);

  Session& session_;
  std::shared_ptr<Store> store_;
  const StopSignals& signals_;
  const WorkOrder order_;
  Progress progress_;
  Remarks remarks_;
  std::string trouble_;  ///< as last shown
  std::optional<SteadyTime> interrupted_at_;
  std::unique_ptr<Engine> engine_;  // last: its threads use what is above
};

/// Whether no worker has anything to do for the job until a person acts.
[[nodiscard]] bool is_work_over(const Job& job);

/// Checks the PostgreSQL server of the store, if the store is on one. `refused` lists everything
/// that prevents work. Warnings go to stderr.
[[nodiscard]] Status check_server(Session& session);

/// The stages of a workflow that only the program that submitted it can run.
[[nodiscard]] std::vector<std::string> stages_of_programs(const Workflow& workflow);

/// The value of --parallel for a work order; zero if it is not given. `invalid` for an explicit
/// zero, with which nothing would ever run.
[[nodiscard]] Result<std::uint32_t> parallel_from(const std::optional<std::uint32_t>& said);

/// The value of --lease; zero if it is not given.
[[nodiscard]] Result<Duration> lease_from(const std::string& text);

/// The value of --file-quota: "16GiB", "500MiB", or bytes; zero if it is not given.
[[nodiscard]] Result<std::int64_t> file_quota_from(const std::string& said);

/// How many processors this process may use.
[[nodiscard]] std::uint32_t processors();

}  // namespace pawl::cli
