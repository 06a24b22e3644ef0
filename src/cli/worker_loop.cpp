#include "cli/worker_loop.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>
#include <unistd.h>

#include "cli/job_view.hpp"
#include "cli/output/progress.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/postgres.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/views/documents.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl::cli {

namespace {

constexpr Duration look_every = std::chrono::milliseconds(100);
constexpr auto look_again_after = std::chrono::seconds(1);
constexpr Duration process_grace = std::chrono::seconds(10);
constexpr Duration engine_grace = process_grace + std::chrono::seconds(5);
constexpr Duration patience = std::chrono::seconds(30);

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

class Work {
 public:
  Work(Session& session, std::shared_ptr<Store> store, const StopSignals& signals,
       const WorkOrder& order)
      : session_(session),
        store_(std::move(store)),
        signals_(signals),
        order_(order),
        progress_(session) {}

  int carry_out() {
    if (order_.job) {
      const Result<Job> job = store_->records().job(order_.job);
      if (!job) return session_.fail(job.error());
      const Result<Workflow> workflow = store_->records().workflow(job->workflow_hash);
      if (!workflow) return session_.fail(workflow.error());
      workflow_ = *workflow;
      if (const auto unfit = unfit_directory(*job)) {
        return session_.fail(
            {unfit->code,
             "job " + std::to_string(job->id.value()) + " cannot run here: " + unfit->message,
             unfit->help});
      }
    }
    say_unknown_stages();
    if (const Status begun = begin(); !begun) return session_.fail(begun.error());
    bool was_told_to_stop = false;
    while (!is_worth_a_look() || !is_over()) {
      show();
      if (engine_->status().fault) break;
      was_told_to_stop = signals_.wait(look_every);
      if (was_told_to_stop) break;
    }
    let_waits_end_by_themselves();
    if (was_told_to_stop) wind_down();
    engine_->stop();
    if (const std::optional<Error> fault = engine_->status().fault) return tell(*fault);
    return report(was_told_to_stop);
  }

 private:
  Status begin() {
    const auto run_directory = session_.run_directory();
    if (!run_directory) return std::unexpected(run_directory.error());
    warn_of_root();
    remove_left_files();
    const Result<Orphans> orphans =
        end_orphans(*run_directory, process_grace, session_.trusts_owner());
    if (!orphans) return std::unexpected(orphans.error());
    if (orphans->ended > 0) {
      session_.say(counted(orphans->ended, "process", "processes") +
                   " left behind by a killed worker " + (orphans->ended == 1 ? "was" : "were") +
                   " ended");
    }
    for (const std::string& why : orphans->left_alone) {
      session_.say("warning: " + printable(why));
    }
    EngineOptions options;
    options.name = order_.job ? "pawl run" : "pawl work";
    options.parallel = order_.parallel > 0 ? order_.parallel : default_parallel();
    options.threads = options.parallel;
    options.grace = engine_grace;
    if (order_.lease > Duration::zero()) options.lease = order_.lease;
    options.keep_running_past_lease = order_.keep_running;
    options.stages = order_.stages;
    options.categories = order_.categories;
    if (order_.job) options.jobs = {order_.job};
    options.takes = [this](const Job& job) { return takes(job); };
    const bool is_verbose = session_.globals().verbose;
    options.log = [this, is_verbose](LogLevel level, const std::string& text) {
      if (is_verbose || level == LogLevel::error) remarks_.add(text);
    };
    Result<std::unique_ptr<Engine>> engine = Engine::create(store_, options);
    if (!engine) return std::unexpected(engine.error());
    engine_ = std::move(*engine);
    ActionOptions actions;
    actions.run_directory = *run_directory;
    actions.trust_owner = session_.trusts_owner();
    actions.grace = process_grace;
    if (order_.file_quota > 0) actions.file_bytes_max = order_.file_quota;
    actions.on_trouble = [this](const Error& error) {
      remarks_.add("the output of a command is stored when the store answers again: " +
                   error.text());
    };
    engine_->serve(file_actions(store_, std::move(actions)));
    engine_->start();
    return {};
  }

  void warn_of_root() {
    const char* const allowed = std::getenv("PAWL_ALLOW_ROOT");
    if (::geteuid() != 0 || (allowed != nullptr && *allowed != '\0')) return;
    session_.say(
        "warning: commands run as root; use another user, or set PAWL_ALLOW_ROOT=1 if this is "
        "intended");
  }

  /// Removes half-written payloads of killed processes. Nobody can use them.
  void remove_left_files() {
    const auto place = session_.store_place();
    if (!place || !place->is_file()) return;
    const LeftFiles removed = remove_half_written_payloads(place->file);
    if (removed.count == 0) return;
    session_.say("removed " + counted(removed.count, "half-written file") + " (" +
                 bytes_in_words(removed.bytes) + ") left by a killed process");
  }

  /// Why the commands of a job cannot run in its project directory: it does not exist on this
  /// machine, or another user could have put programs there.
  [[nodiscard]] std::optional<Error> unfit_directory(const Job& job) const {
    const std::string project = field(job.labels, "project").string().value_or("");
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

  /// Asked by the engine's thread and by ours, whichever comes first.
  bool takes(const Job& job) {
    const std::optional<Error> unfit = unfit_directory(job);
    if (!unfit) return true;
    remarks_.add_once("job " + std::to_string(job.id.value()) +
                      " is left to other machines: " + unfit->message);
    return false;
  }

  [[nodiscard]] std::uint32_t default_parallel() const {
    if (!order_.job) return std::max<std::uint32_t>(processors(), 8);
    const Result<Job> job = store_->records().job(order_.job);
    return job && job->parallel > 0 ? job->parallel : processors();
  }

  /// An idle store is polled rarely. A worker that waits for the end of a job still checks once a
  /// second: a read may have failed, and attempts end a moment after their commit.
  bool is_worth_a_look() {
    const std::uint64_t mark = store_->change_mark();
    const auto now = std::chrono::steady_clock::now();
    const bool waits_for_an_end = order_.job || order_.until_idle;
    is_news_ = seen_mark_ != mark || (waits_for_an_end && now >= look_again_at_);
    if (!is_news_) return false;
    seen_mark_ = mark;
    look_again_at_ = now + look_again_after;
    return true;
  }

  static bool is_over(const Job& job) {
    if (job.submission_open && !job.cancelled) return false;
    return stands_still(job) && (job.attempts_open == 0 || job.has_ended());
  }

  bool is_over() {
    if (order_.job) {
      const Result<Job> job = store_->records().job(order_.job);
      return job && is_over(*job);
    }
    const auto unended =
        store_->records().jobs({.ended = false, .workflow_name = {}, .before = {}});
    if (!unended) return false;
    for (const Job& job : *unended) worked_on_.insert(job.id);
    if (!order_.until_idle) return false;
    if (!order_.stages.empty() || !order_.categories.empty()) return has_nothing_here(*unended);
    return std::ranges::all_of(*unended,
                               [&](const Job& job) { return is_over(job) || !can_go_on(job); });
  }

  /// For a worker with --stages or --categories: no task that it may take is ready, runs here, or
  /// will be retried. It does not wait for tasks of other workers.
  bool has_nothing_here(const std::vector<Job>& unended) {
    if (engine_->status().open_attempts > 0) return false;
    const auto heads = store_->ready_lanes();
    if (!heads) return false;
    std::map<JobId, Workflow> workflows;
    for (const Job& job : unended) {
      if (is_over(job) || !can_go_on(job)) continue;
      const Result<Workflow> workflow = store_->records().workflow(job.workflow_hash);
      if (!workflow) return false;
      workflows.emplace(job.id, *workflow);
      for (std::size_t i = 0; i < job.stages.size() && order_.categories.empty(); ++i) {
        const bool is_ours =
            order_.stages.contains(workflow->stage(static_cast<StageIndex>(i)).name);
        if (is_ours && job.stages[i][StateKind::retry_scheduled] > 0) return false;
      }
    }
    return std::ranges::none_of(*heads, [&](const LaneHead& head) {
      const auto known = workflows.find(head.job);
      if (known == workflows.end()) return false;
      const bool is_our_stage =
          order_.stages.empty() || order_.stages.contains(known->second.stage(head.stage).name);
      return is_our_stage &&
             (order_.categories.empty() || order_.categories.contains(head.category));
    });
  }

  /// Reports a misspelt stage: the worker would wait for it forever.
  void say_unknown_stages() {
    if (order_.stages.empty()) return;
    std::set<std::string> known;
    const auto jobs =
        store_->records().jobs({.ended = std::nullopt, .workflow_name = {}, .before = {}});
    if (!jobs) return;
    for (const Job& job : *jobs) {
      const Result<Workflow> workflow = store_->records().workflow(job.workflow_hash);
      if (!workflow) continue;
      for (const StageDefinition& stage : workflow->definition().stages) known.insert(stage.name);
    }
    for (const std::string& stage : order_.stages) {
      if (known.contains(stage)) continue;
      const std::string nearest = nearest_name(stage, {known.begin(), known.end()});
      session_.say("warning: no job has a stage '" + printable(stage) + "'" +
                   (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
  }

  /// Whether this process can work on the job: it has the code of all stages and the directory.
  bool can_go_on(const Job& job) {
    const auto known = is_ours_.find(job.id);
    if (known != is_ours_.end()) return known->second;
    const Result<Workflow> workflow = store_->records().workflow(job.workflow_hash);
    const bool is_programs = !workflow || !stages_of_programs(*workflow).empty();
    if (is_programs) {
      progress_.say("job " + std::to_string(job.id.value()) +
                    " was submitted by a program; only that program can run it");
    }
    return is_ours_[job.id] = !is_programs && takes(job);
  }

  void show() {
    for (const std::string& line : remarks_.take()) progress_.say(line);
    const std::string trouble = engine_->status().trouble;
    if (trouble != trouble_) {
      progress_.say(trouble.empty() ? "the store works again; continuing" : trouble);
      trouble_ = trouble;
    }
    if (!order_.job || !is_news_) return;
    const Result<Job> job = store_->records().job(order_.job);
    if (job) progress_.show(*job, *workflow_);
  }

  /// Lets running attempts finish. A second signal, or half a minute, ends them.
  void wind_down() {
    engine_->drain();
    const std::int64_t running = engine_->status().open_attempts;
    if (running > 0) {
      progress_.say("stopping: " + counted(running, "attempt") + " running, waiting up to " +
                    in_words(patience) + " (Ctrl-C again to kill them)");
    }
    const auto until = std::chrono::steady_clock::now() + patience;
    while (engine_->status().open_attempts > 0 && std::chrono::steady_clock::now() < until) {
      show();
      if (signals_.wait(look_every)) {
        progress_.say("ending the running attempts");
        break;
      }
    }
  }

  int tell(const Error& fault) {
    for (const std::string& line : remarks_.take()) progress_.say(line);
    const std::string way_out = "check the store with `pawl verify`, or restore a backup";
    return session_.fail({fault.code, fault.message, fault.help.empty() ? way_out : fault.help});
  }

  int report(bool was_told_to_stop) {
    for (const std::string& line : remarks_.take()) progress_.say(line);
    if (!order_.job) return report_all(was_told_to_stop);
    const Result<Job> job = store_->records().job(order_.job);
    if (!job) return session_.fail(job.error());
    progress_.finish(*job, *workflow_);
    const std::string number = std::to_string(job->id.value());
    const auto document = [&] { return job_document(*job, *workflow_); };
    if (was_told_to_stop && !is_over(*job)) {
      session_.present({.document = document});
      session_.say("nothing was lost. continue with:  pawl resume " + number);
      return exit_interrupted;
    }
    const auto text = [&] {
      return "job " + number + " " + state_in_words(*job) + "  " + items_in_words(*job) + "\n";
    };
    session_.present({.document = document, .text = text, .id = [&] { return number; }});
    say_what_is_next(*job);
    return exit_code_of(*job);
  }

  void say_what_is_next(const Job& job) {
    const std::int64_t reviews = tasks_in(job, StateKind::awaiting_review);
    if (reviews > 0 && !job.cancelled) {
      session_.say(counted(reviews, "review waits", "reviews wait") +
                   " for a person:  pawl review next");
    }
    if (job.dead_letters > 0) {
      session_.say(counted(job.dead_letters, "dead letter") + ":  pawl dlq list --by error");
    }
    if (state_of(job) == JobState::paused) session_.say(way_out_of_pause(job));
  }

  int report_all(bool was_told_to_stop) {
    std::vector<Json> documents;
    std::string text;
    for (const JobId id : worked_on_) {
      const Result<Job> job = store_->records().job(id);
      if (!job) continue;
      const Result<Workflow> workflow = store_->records().workflow(job->workflow_hash);
      if (!workflow) continue;
      documents.push_back(job_document(*job, *workflow));
      text += "job " + std::to_string(id.value()) + " " + state_in_words(*job) + "  " +
              items_in_words(*job) + "\n";
    }
    session_.present({.document = [&] { return Json::object({{"jobs", Json::array(documents)}}); },
                      .text = [&] { return text; },
                      .id = [] { return std::string(); }});
    if (was_told_to_stop) {
      session_.say("nothing was lost. continue with:  pawl work");
      return exit_interrupted;
    }
    // The first code that applies to any of the jobs.
    constexpr std::array order = {exit_job_cancelled, exit_job_paused, exit_waits_for_people,
                                  exit_job_failed};
    std::set<int> codes;
    for (const JobId id : worked_on_) {
      if (const Result<Job> job = store_->records().job(id)) codes.insert(exit_code_of(*job));
    }
    for (const ExitCode code : order) {
      if (codes.contains(code)) return code;
    }
    return exit_done;
  }

  Session& session_;
  std::shared_ptr<Store> store_;
  const StopSignals& signals_;
  const WorkOrder& order_;
  std::optional<std::uint64_t> seen_mark_;
  std::chrono::steady_clock::time_point look_again_at_;
  bool is_news_ = true;
  Progress progress_;
  Remarks remarks_;
  std::optional<Workflow> workflow_;
  std::set<JobId> worked_on_;
  std::map<JobId, bool> is_ours_;
  std::string trouble_;
  std::unique_ptr<Engine> engine_;  // last: its threads use what is above
};

}  // namespace

Status check_server(Session& session, const std::filesystem::path& fallback) {
  const Result<StorePlace> place = session.store_place(fallback);
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

int work_on(Session& session, const std::shared_ptr<Store>& store, const StopSignals& signals,
            const WorkOrder& order) {
  return Work(session, store, signals, order).carry_out();
}

std::vector<std::string> stages_of_programs(const Workflow& workflow) {
  std::vector<std::string> names;
  for (const StageDefinition& stage : workflow.definition().stages) {
    const bool is_ours = stage.handler == command_handler ||
                         (stage.is_human() && (!stage.conditional || !stage.params.is_null()));
    if (!is_ours) names.push_back(stage.name);
  }
  return names;
}

Result<std::uint32_t> parallel_from(const std::optional<std::uint32_t>& said) {
  if (said != 0U) return said.value_or(0);
  return pawl::fail(ErrorCode::invalid, "--parallel must be at least 1, not 0",
                    "omit it to use the default; to pause a job: pawl job pause JOB");
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
