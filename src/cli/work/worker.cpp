#include "cli/work/worker.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <thread>
#include <utility>

#include <sched.h>
#include <unistd.h>

#include "cli/output/job_view.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/store/postgres.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/workflow/action.hpp"
#include "views/jobs.hpp"

namespace pawl::cli {

namespace {

constexpr Duration process_grace = std::chrono::seconds(10);
constexpr Duration engine_grace = process_grace + std::chrono::seconds(5);
constexpr Duration patience = std::chrono::seconds(30);

/// Whether the code of the stage is in the program that submitted the job, and in no file.
bool is_of_program(const StageDefinition& stage) {
  const bool is_of_file = stage.handler == command_handler ||
                          (stage.is_human() && (!stage.conditional || !stage.params.is_null()));
  return !is_of_file;
}

}  // namespace

Worker::Worker(Session& session, std::shared_ptr<Store> store, const StopSignals& signals,
               WorkOrder order)
    : session_(session),
      store_(std::move(store)),
      signals_(signals),
      order_(std::move(order)),
      progress_(session) {}

Status Worker::enlist() {
  EngineOptions options;
  options.name = order_.name;
  options.parallel = order_.parallel;
  options.threads = order_.parallel;
  options.grace = engine_grace;
  if (order_.lease > Duration::zero()) options.lease = order_.lease;
  options.keep_running_past_lease = order_.keep_running;
  options.stages = order_.stages;
  options.categories = order_.categories;
  options.takes = [this](const Job& job) { return takes(job); };
  options.why_left = [this](const Job& job, const Workflow&, const StageDefinition* stage) {
    return why_left(job, stage);
  };
  const bool is_verbose = session_.globals().verbose;
  options.log = order_.log;
  if (!options.log) {
    options.log = [this, is_verbose](LogLevel level, const std::string& text) {
      if (is_verbose || level == LogLevel::error) remarks_.add(text);
    };
  }
  Result<std::unique_ptr<Engine>> engine = Engine::create(store_, options);
  if (!engine) return std::unexpected(engine.error());
  engine_ = std::move(*engine);
  return {};
}

Status Worker::start(JobId only) {
  if (only) engine_->keep_to(only);
  const auto run_directory = session_.run_directory();
  if (!run_directory) return std::unexpected(run_directory.error());
  warn_of_root();
  remove_left_files();
  if (const Status ended = end_orphan_processes(*run_directory); !ended) return ended;
  ActionOptions actions;
  actions.run_directory = *run_directory;
  actions.trust_owner = session_.trusts_owner();
  actions.grace = process_grace;
  if (order_.file_quota > 0) actions.file_bytes_max = order_.file_quota;
  actions.on_trouble = [this](const Error& error) {
    const std::string line =
        "the output of a command is stored when the store answers again: " + error.text();
    order_.log ? order_.log(LogLevel::error, line) : remarks_.add(line);
  };
  engine_->serve(file_actions(store_, std::move(actions)));
  engine_->start();
  return {};
}

void Worker::warn_of_root() {
  const char* const allowed = std::getenv("PAWL_ALLOW_ROOT");
  if (::geteuid() != 0 || (allowed != nullptr && *allowed != '\0')) return;
  report(LogLevel::warning,
         "commands run as root; use another user, or set PAWL_ALLOW_ROOT=1 if this is intended");
}

/// Removes half-written payloads of killed processes. Nobody can use them.
void Worker::remove_left_files() {
  const auto place = session_.store_place();
  if (!place || !place->is_file()) return;
  const LeftFiles removed = remove_half_written_payloads(place->file);
  if (removed.count == 0) return;
  report(LogLevel::info, "removed " + counted(removed.count, "half-written file") + " (" +
                             bytes_in_words(removed.bytes) + ") left by a killed process");
}

Status Worker::end_orphan_processes(const std::filesystem::path& run_directory) {
  const Result<Orphans> orphans =
      end_orphans(run_directory, process_grace, session_.trusts_owner());
  if (!orphans) return std::unexpected(orphans.error());
  if (orphans->ended > 0) {
    report(LogLevel::info, counted(orphans->ended, "process", "processes") +
                               " left behind by a killed worker " +
                               (orphans->ended == 1 ? "was" : "were") + " ended");
  }
  for (const std::string& why : orphans->left_alone) report(LogLevel::warning, printable(why));
  return {};
}

std::optional<Error> Worker::unfit_directory(const Job& job) const {
  const std::string project = views::label(job, "project");
  if (project.empty()) return std::nullopt;
  std::error_code ignored;
  if (!std::filesystem::is_directory(project, ignored)) {
    return Error{ErrorCode::refused,
                 "its directory '" + printable(project) + "' does not exist on this machine",
                 "continue the job on a machine that has this directory, or restore it"};
  }
  const Status safe = session_.check_owner(project);
  return safe ? std::nullopt : std::optional(safe.error());
}

bool Worker::takes(const Job& job) {
  if (!order_.claims) return false;
  const std::optional<Error> unfit = unfit_directory(job);
  if (!unfit) return true;
  const std::string line =
      "job " + std::to_string(job.id.value()) + " is left to other machines: " + unfit->message;
  order_.log ? order_.log(LogLevel::warning, line) : remarks_.add_once(line);
  return false;
}

std::string Worker::why_left(const Job& job, const StageDefinition* stage) const {
  if (stage == nullptr) {
    if (!order_.claims) return "it was started with --no-work";
    const std::optional<Error> unfit = unfit_directory(job);
    return unfit ? unfit->message : std::string();
  }
  for (const MissingNeed& need : missing_needs(*stage, views::label(job, "project"))) {
    if (need.kind == MissingNeed::Kind::secret) {
      return "the secret " + need.name + " is not set there";
    }
    if (need.kind == MissingNeed::Kind::script) {
      return "the script '" + need.name + "' does not exist there";
    }
  }
  return is_of_program(*stage) ? "only the program that submitted the job has its code" : "";
}

void Worker::report(LogLevel level, const std::string& line) {
  if (order_.log) {
    order_.log(level, line);
  } else {
    progress_.say(level == LogLevel::warning ? "warning: " + line : line);
  }
}

void Worker::show_remarks() {
  for (const std::string& line : remarks_.take()) progress_.say(line);
  const std::string trouble = engine_->status().trouble;
  if (trouble == trouble_) return;
  if (trouble.empty()) {
    report(LogLevel::info, "the store works again; continuing");
  } else {
    report(LogLevel::error, trouble);
  }
  trouble_ = trouble;
}

void Worker::drain() {
  interrupted_at_ = std::chrono::steady_clock::now();
  let_waits_end_by_themselves();
  engine_->drain();
  if (const std::int64_t running = engine_->status().open_attempts; running > 0) {
    report(LogLevel::info, "stopping: " + counted(running, "attempt") + " running, waiting up to " +
                               in_words(patience) +
                               (order_.log ? "" : " (Ctrl-C again to kill them)"));
  }
}

bool Worker::may_continue(Duration pause) {
  if (signals_.wait(pause)) {
    if (is_interrupted()) {
      report(LogLevel::info, "ending the running attempts");
      return false;
    }
    drain();
  }
  return !is_interrupted() || std::chrono::steady_clock::now() < *interrupted_at_ + patience;
}

Status Worker::stop() {
  let_waits_end_by_themselves();
  engine_->stop();
  for (const std::string& line : remarks_.take()) progress_.say(line);
  std::optional<Error> fault = engine_->status().fault;
  if (!fault) return {};
  if (fault->help.empty()) fault->help = "check the store with `pawl verify`, or restore a backup";
  return std::unexpected(std::move(*fault));
}

Status check_server(Session& session) {
  const Result<StorePlace> place = session.store_place();
  // If no store is named, opening it reports that.
  if (!place || place->is_file()) return {};
  const auto found = examine_postgres({.url = place->url});
  if (!found) return std::unexpected(found.error());
  Error faults{ErrorCode::refused, {}, {}};
  for (const PostgresFinding& one : *found) {
    if (one.health == PostgresFinding::Health::warning) {
      session.say("warning: " + one.text + "; " + one.help);
    }
    if (one.health != PostgresFinding::Health::failed) continue;
    faults.message += (faults.message.empty() ? "" : "; ") + one.text;
    faults.help += (faults.help.empty() ? "" : "; ") + one.help;
  }
  if (faults.message.empty()) return {};
  faults.message = "cannot work on this server: " + faults.message;
  return std::unexpected(std::move(faults));
}

bool is_work_over(const Job& job) {
  if (job.submission_open && !job.cancelled) return false;
  return stands_still(job) && (job.attempts_open == 0 || job.has_ended());
}

std::vector<std::string> stages_of_programs(const Workflow& workflow) {
  std::vector<std::string> names;
  for (const StageDefinition& stage : workflow.definition().stages) {
    if (is_of_program(stage)) names.push_back(stage.name);
  }
  return names;
}

Result<std::uint32_t> parallel_from(const std::optional<std::uint32_t>& said) {
  if (said != 0U) return said.value_or(0);
  return pawl::fail(ErrorCode::invalid, "--parallel must be at least 1, not 0",
                    "omit it to use the default; to pause a job: pawl job pause JOB");
}

// With less than a second, a busy machine would look dead.
Result<Duration> lease_from(const std::string& text) {
  if (text.empty()) return Duration::zero();
  Result<Duration> lease = parse_duration(text);
  if (!lease) lease.error().message = "--lease: " + lease.error().message;
  if (lease && *lease < std::chrono::seconds(1)) {
    return pawl::fail(ErrorCode::invalid,
                      "--lease must be at least 1s, not '" + printable(text) + "'",
                      "pass a longer one, such as --lease 30s");
  }
  return lease;
}

Result<std::int64_t> file_quota_from(const std::string& said) {
  if (said.empty()) return 0;
  std::int64_t number = 0;
  const auto read = std::from_chars(said.data(), said.data() + said.size(), number);
  const std::string_view unit(read.ptr, said.data() + said.size());
  constexpr std::array<std::pair<std::string_view, unsigned>, 5> units{
      {{"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}}};
  const auto known = std::ranges::find(units, unit, &std::pair<std::string_view, unsigned>::first);
  const bool is_size = read.ec == std::errc() && known != units.end() && number > 0 &&
                       number <= (std::numeric_limits<std::int64_t>::max() >> known->second);
  if (is_size) return number << known->second;
  return pawl::fail(
      ErrorCode::invalid, "not a valid file quota: '" + printable(said) + "'",
      "pass bytes, or a number with KiB, MiB, GiB or TiB, such as --file-quota 64GiB");
}

std::uint32_t processors() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace pawl::cli
