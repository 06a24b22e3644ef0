/// `pawl work`: works on all jobs of the store.

#include <algorithm>
#include <array>
#include <map>

#include "cli/commands/commands.hpp"
#include "cli/output/job_view.hpp"
#include "cli/work/needs.hpp"
#include "cli/work/worker.hpp"
#include "pawl/views/documents.hpp"
#include "store/pending_answers.hpp"

namespace pawl::cli {
namespace {

struct WorkOptions {
  std::vector<std::string> stages;
  std::vector<std::string> categories;
  std::optional<std::uint32_t> parallel;
  std::string lease;
  bool keep_running = false;
  std::string file_quota;
  bool drain = false;
};

constexpr Duration look_every = std::chrono::milliseconds(100);
constexpr auto look_again_after = std::chrono::seconds(1);

/// A worker on all jobs of the store.
class AllJobs {
 public:
  AllJobs(Worker& worker, const WorkOrder& order, bool until_idle)
      : worker_(worker),
        session_(worker.session()),
        store_(worker.engine().store()),
        order_(order),
        until_idle_(until_idle) {}

  int carry_out() {
    say_unknown_stages();
    if (const Status started = worker_.start(); !started) return session_.fail(started.error());
    while (!is_finished()) {
      worker_.show_remarks();
      if (worker_.engine().status().fault || !worker_.may_continue(look_every)) break;
    }
    if (const Status stopped = worker_.stop(); !stopped) return session_.fail(stopped.error());
    return report();
  }

 private:
  /// Reports a misspelt stage: the worker would wait for it forever.
  void say_unknown_stages() {
    if (order_.stages.empty()) return;
    std::set<std::string> known;
    const auto jobs =
        store_.records().jobs({.ended = std::nullopt, .workflow_name = {}, .before = {}});
    if (!jobs) return;
    for (const Job& job : *jobs) {
      const Result<Workflow> workflow = store_.records().workflow(job.workflow_hash);
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

  bool is_finished() {
    if (worker_.is_interrupted()) return worker_.engine().status().open_attempts == 0;
    if (!is_worth_a_look()) return false;
    const auto unended = store_.records().jobs({.ended = false, .workflow_name = {}, .before = {}});
    if (!unended) return false;
    for (const Job& job : *unended) worked_on_.insert(job.id);
    for (const Job& job : *unended) find_left_stages(job);
    if (!until_idle_) return false;
    if (!order_.stages.empty() || !order_.categories.empty()) return has_nothing_here(*unended);
    return std::ranges::all_of(*unended, [&](const Job& job) {
      return (is_work_over(job) && !is_answered(job)) || !can_go_on(job) || is_left_to_others(job);
    });
  }

  /// An idle store is polled rarely. A worker that waits for the end of all jobs still checks once
  /// a second: a read may have failed, and attempts end a moment after their commit.
  bool is_worth_a_look() {
    const std::uint64_t mark = store_.change_mark();
    const auto now = std::chrono::steady_clock::now();
    if (seen_mark_ == mark && (!until_idle_ || now < look_again_at_)) return false;
    seen_mark_ = mark;
    look_again_at_ = now + look_again_after;
    return true;
  }

  /// The engine leaves stages alone whose secrets or scripts are not here. Says so once. Scripts
  /// come and go, so they are looked for again once a second.
  void find_left_stages(const Job& job) {
    const auto now = std::chrono::steady_clock::now();
    const auto [known, is_new] = left_stages_.try_emplace(job.id);
    if (!is_new && now < known->second.look_again_at) return;
    known->second.look_again_at = now + look_again_after;
    const Result<Workflow> workflow = store_.records().workflow(job.workflow_hash);
    if (!workflow) return;
    known->second.stages = left_stages(*workflow, job);
    for (const auto& [stage, why] : known->second.stages) {
      const std::string line = "stage '" + printable(stage) + "' of workflow '" +
                               printable(workflow->name()) + "' is left to other workers: " + why;
      if (said_.insert(line).second) worker_.progress().say(line);
    }
  }

  [[nodiscard]] bool runs(JobId job, const std::string& stage) const {
    const auto left = left_stages_.find(job);
    return (order_.stages.empty() || order_.stages.contains(stage)) &&
           (left == left_stages_.end() || !left->second.stages.contains(stage));
  }

  /// Whether somebody has given an answer that takes effect here in a moment.
  bool is_answered(const Job& job) {
    return waits_for_people(job) &&
           store::has_pending_answer(store_.records(), job.id).value_or(true);
  }

  bool is_left_to_others(const Job& job) {
    const Result<Workflow> workflow = store_.records().workflow(job.workflow_hash);
    if (!workflow) return false;
    const bool is_left = cli::is_left_to_others(
        job, *workflow, [&](const std::string& stage) { return runs(job.id, stage); });
    if (is_left) left_.insert(job.id);
    return is_left;
  }

  /// For a worker that does not run everything: no task that it may take is ready, runs here, or
  /// will be retried. It does not wait for tasks of other workers.
  bool has_nothing_here(const std::vector<Job>& unended) {
    if (worker_.engine().status().open_attempts > 0) return false;
    const auto heads = store_.ready_lanes();
    if (!heads) return false;
    std::map<JobId, Workflow> workflows;
    for (const Job& job : unended) {
      if (is_work_over(job) || !can_go_on(job)) continue;
      const Result<Workflow> workflow = store_.records().workflow(job.workflow_hash);
      if (!workflow) return false;
      workflows.emplace(job.id, *workflow);
      for (std::size_t i = 0; i < job.stages.size() && order_.categories.empty(); ++i) {
        const bool is_ours = runs(job.id, workflow->stage(static_cast<StageIndex>(i)).name);
        if (is_ours && job.stages[i][StateKind::retry_scheduled] > 0) return false;
      }
    }
    return std::ranges::none_of(*heads, [&](const LaneHead& head) {
      const auto known = workflows.find(head.job);
      if (known == workflows.end()) return false;
      return runs(head.job, known->second.stage(head.stage).name) &&
             (order_.categories.empty() || order_.categories.contains(head.category));
    });
  }

  /// Whether this process can work on the job: it has the code of all stages and the directory.
  bool can_go_on(const Job& job) {
    const auto known = is_ours_.find(job.id);
    if (known != is_ours_.end()) return known->second;
    const Result<Workflow> workflow = store_.records().workflow(job.workflow_hash);
    const bool is_programs = !workflow || !stages_of_programs(*workflow).empty();
    if (is_programs) {
      worker_.progress().say("job " + std::to_string(job.id.value()) +
                             " was submitted by a program; only that program can run it");
    }
    return is_ours_[job.id] = !is_programs && worker_.takes(job);
  }

  int report() {
    std::vector<Json> documents;
    std::string text;
    for (const JobId id : worked_on_) {
      const Result<Job> job = store_.records().job(id);
      if (!job) continue;
      const Result<Workflow> workflow = store_.records().workflow(job->workflow_hash);
      if (!workflow) continue;
      documents.push_back(job_document(*job, *workflow));
      text += "job " + std::to_string(id.value()) + " " + state_in_words(*job) + "  " +
              items_in_words(*job) + "\n";
    }
    session_.present({.document = [&] { return Json::object({{"jobs", Json::array(documents)}}); },
                      .text = [&] { return text; },
                      .id = [] { return std::string(); }});
    if (worker_.is_interrupted()) {
      session_.say("nothing was lost. continue with:  pawl work");
      return exit_interrupted;
    }
    // The first code that applies to any of the jobs.
    constexpr std::array order = {exit_job_cancelled, exit_job_paused, exit_waits_for_people,
                                  exit_job_failed};
    std::set<int> codes;
    bool is_one_left = false;
    for (const JobId id : worked_on_) {
      const Result<Job> job = store_.records().job(id);
      if (!job) continue;
      codes.insert(exit_code_of(*job));
      is_one_left |= left_.contains(id) && !job->has_ended();
    }
    if (is_one_left) return exit_failed;
    for (const ExitCode code : order) {
      if (codes.contains(code)) return code;
    }
    return exit_done;
  }

  Worker& worker_;
  Session& session_;
  Store& store_;
  const WorkOrder& order_;
  const bool until_idle_;  ///< ends when only reviewers can continue; false: when stopped
  std::optional<std::uint64_t> seen_mark_;
  std::chrono::steady_clock::time_point look_again_at_;
  std::set<JobId> worked_on_;
  std::map<JobId, bool> is_ours_;
  std::set<JobId> left_;  ///< to workers that have what their stages need
  struct LeftOfJob {
    LeftStages stages;
    std::chrono::steady_clock::time_point look_again_at;
  };
  std::map<JobId, LeftOfJob> left_stages_;
  std::set<std::string> said_;  ///< lines about stages that are left to others
};

int work(Session& session, const WorkOptions& options) {
  const StopSignals signals;
  const Result<Duration> lease = lease_from(options.lease);
  if (!lease) return session.fail(lease.error());
  const Result<std::uint32_t> parallel = parallel_from(options.parallel);
  if (!parallel) return session.fail(parallel.error());
  if (const Status fit = check_server(session); !fit) return session.fail(fit.error());
  const Result<std::int64_t> file_quota = file_quota_from(options.file_quota);
  if (!file_quota) return session.fail(file_quota.error());
  const auto store = session.store();
  if (!store) return session.fail(store.error());
  const WorkOrder order{
      .name = "pawl work",
      .parallel = *parallel > 0 ? *parallel : std::max<std::uint32_t>(processors(), 8),
      .stages = {options.stages.begin(), options.stages.end()},
      .categories = {options.categories.begin(), options.categories.end()},
      .lease = *lease,
      .keep_running = options.keep_running,
      .file_quota = *file_quota};
  if (!options.drain) session.say("working; press Ctrl-C to stop");
  Worker worker(session, *store, signals, order);
  if (const Status enlisted = worker.enlist(); !enlisted) return session.fail(enlisted.error());
  return AllJobs(worker, order, options.drain).carry_out();
}

}  // namespace

CommandEntry work_command() {
  return command(
      "work", "pawl work --drain", "Work on all jobs of the store, and wait for more.", &work,
      [](WorkOptions& it) -> Words {
        return {
            list_option("--stages", it.stages, "A,B", "Work only on these stages"),
            list_option("--categories", it.categories, "X,Y",
                        "Work only on items of these categories"),
            option("--parallel", &it.parallel, "N",
                   "Maximum attempts at the same time; default: 8, or the number of processors if "
                   "larger"),
            lease_option(it.lease),
            keep_running_flag(it.keep_running),
            file_quota_option(it.file_quota),
            flag("--drain", it.drain, "Stop when every job has ended or waits only for reviewers"),
        };
      });
}

}  // namespace pawl::cli
