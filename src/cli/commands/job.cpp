#include <functional>
#include <vector>

#include "actions/limits.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/input/id_list.hpp"
#include "cli/output/job_view.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct JobListOptions {
  std::string state;
  std::string workflow;
  std::uint32_t limit = 100;
};

struct JobActOptions {
  std::vector<std::string> jobs;  ///< "-": read from stdin
  std::string stage;              ///< empty: the whole job
  std::string as;
};

struct JobReviveOptions {
  std::int64_t job = 0;
  std::string tolerate;  ///< empty: the tolerance of the job stays
  std::string as;
};

struct JobBudgetOptions {
  std::int64_t job = 0;
  std::optional<std::int64_t> attempts;
  std::optional<double> cost_usd;
  std::optional<std::int64_t> tokens;
  std::string deadline;
  std::string no_progress;
  std::string as;
};

struct JobWaitOptions {
  std::int64_t job = 0;
  std::string timeout;  ///< empty: no timeout
};

constexpr Duration between_looks = std::chrono::milliseconds(100);
constexpr std::uint32_t page_size = 200;

int show(Session& session, Records& records, const Job& job) {
  const Result<Workflow> workflow = records.workflow(job.workflow_hash);
  if (!workflow) return session.fail(workflow.error());
  const int code = session.present(
      {.document = [&] { return job_document(job, *workflow); },
       .text = [&] { return job_headline(job, session.style(), session.times()) + "\n"; },
       .id = [&] { return std::to_string(job.id.value()); }});
  for (const std::string& line : ways_out_of_stage_pauses(job, *workflow)) session.say(line);
  return code;
}

using MakeAct = std::function<Result<Act>(JobId)>;

/// Applies the operation to each job. A single job is shown by itself, several as a list.
int act_on(Session& session, Store& store, const std::vector<std::string>& jobs,
           const MakeAct& make, const Actor& actor) {
  const auto act_on_one = [&](JobId id) -> Result<Job> {
    const Result<Act> act = make(id);
    if (!act) return std::unexpected(act.error());
    Result<Job> after = store.act(*act, actor);
    if (!after) return std::unexpected(with_commands(after.error(), id));
    return after;
  };
  if (jobs.size() == 1) {
    const Result<Job> after = act_on_one(JobId{number_of(jobs.front())});
    return after ? show(session, store.records(), *after) : session.fail(after.error());
  }
  return do_each(
      session, jobs,
      [&](const std::string& id) -> Result<Done> {
        const Result<Job> after = act_on_one(JobId{number_of(id)});
        if (!after) return std::unexpected(after.error());
        const Result<Workflow> workflow = store.records().workflow(after->workflow_hash);
        if (!workflow) return std::unexpected(workflow.error());
        return Done{.document = job_document(*after, *workflow),
                    .words = job_headline(*after, session.style(), session.times())};
      },
      "jobs");
}

/// What a pause or its end would not change: "stage 'send' is not paused"; empty if it would.
std::string no_change_in_words(const Job& job, const std::string& stage,
                               const std::optional<StageIndex>& index, bool pauses) {
  const bool is_paused = index ? job.is_paused(*index) : job.paused != PauseCause::none;
  if (is_paused != pauses || job.has_ended()) return {};
  const std::string name =
      index ? "stage '" + printable(stage) + "'" : "job " + std::to_string(job.id.value());
  return name + (pauses ? " is already paused" : " is not paused");
}

/// Applies `OfJob`, or `OfStage` if a stage is named. Reports what was so before. `changed` becomes
/// true if any was not.
template <class OfJob, class OfStage>
int act_on_named(Session& session, const JobActOptions& options, bool pauses, bool& changed) {
  const Result<std::vector<std::string>> jobs = read_numbers(session, options.jobs, "job");
  if (!jobs) return session.fail(jobs.error());
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const auto make = [&](JobId id) -> Result<Act> {
    const Result<Job> job = records.job(id);
    if (!job) return std::unexpected(job.error());
    std::optional<StageIndex> stage;
    if (!options.stage.empty()) {
      const Result<Workflow> workflow = records.workflow(job->workflow_hash);
      if (!workflow) return std::unexpected(workflow.error());
      const Result<StageIndex> named = workflow->require_stage(options.stage);
      if (!named) return std::unexpected(named.error());
      stage = *named;
    }
    const std::string same = no_change_in_words(*job, options.stage, stage, pauses);
    if (same.empty()) {
      changed = true;
    } else {
      session.say(same);
    }
    if (stage) return OfStage{.job = id, .stage = *stage};
    return OfJob{.job = id};
  };
  return act_on(session, **store, *jobs, make, Session::actor(options.as));
}

void add_limit(Table& table, const std::string& name, const std::string& used,
               const std::optional<std::string>& most) {
  table.add({name, used, most.value_or("no limit")});
}

std::string budget_text(const Job& job, Session& session) {
  const Budget& budget = job.budget;
  const Times times = session.times();
  const auto number = [](const auto& value) -> std::optional<std::string> {
    if (!value) return std::nullopt;
    return with_separators(static_cast<std::int64_t>(*value));
  };
  const auto time = [](const std::optional<Duration>& value) -> std::optional<std::string> {
    if (!value) return std::nullopt;
    return in_words(*value);
  };
  Table table({{"BUDGET"}, {"USED", Table::Align::right}, {"LIMIT", Table::Align::right}});
  add_limit(table, "attempts", with_separators(job.attempts_opened),
            number(budget.max_total_attempts));
  add_limit(table, "cost", dollars(job.used.cost_microusd),
            budget.cost_microusd ? std::optional(dollars(*budget.cost_microusd)) : std::nullopt);
  add_limit(table, "tokens", with_separators(job.used.tokens), number(budget.tokens));
  const Timestamp until = job.has_ended() ? job.ended_at : times.now;
  add_limit(table, "deadline", in_words(until - job.submitted_at), time(budget.deadline));
  if (budget.max_attempts_per_task) {
    add_limit(table, "attempts per task", "-", number(budget.max_attempts_per_task));
  }
  if (budget.no_progress) add_limit(table, "no progress", "-", time(budget.no_progress));
  return table.text(session.style());
}

int show_budget(Session& session, const Job& job) {
  const auto document = [&] {
    return Json::object({{"job", job.id.value()}, {"budget", views::budget_document(job)}});
  };
  session.present({.document = document, .text = [&] { return budget_text(job, session); }});
  session.say("if a limit is reached, the job " +
              std::string(job.budget.exhausted == OnBudgetEnd::pause ? "is paused" : "fails"));
  return exit_done;
}

Listing::Cells job_cells(const Job& job, const Times& times) {
  const JobState state = state_of(job);
  const std::int64_t reviews = job.cancelled ? 0 : tasks_in(job, StateKind::awaiting_review);
  return {std::to_string(job.id.value()),
          job.workflow_name,
          {std::string(label_of(state)) + (job.trust == Trust::untrusted ? ", untrusted" : ""),
           paint_of(state)},
          with_separators(job.items.succeeded) + "/" + with_separators(job.items.total),
          {with_separators(job.dead_letters), job.dead_letters > 0 ? Paint::red : Paint::dim},
          {with_separators(reviews), reviews > 0 ? Paint::yellow : Paint::dim},
          times.of(job.submitted_at),
          times.of(job.ended_at)};
}

int job_list(Session& session, const JobListOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const std::optional<JobState> wanted = from_name<JobState>(options.state);
  const Times times = session.times();
  Listing list(session, {.array = "jobs",
                         .columns = {{"JOB", Table::Align::right},
                                     {"WORKFLOW", Table::Align::left, 40},
                                     {"STATE"},
                                     {"DONE", Table::Align::right},
                                     {"DEAD", Table::Align::right},
                                     {"REVIEW", Table::Align::right},
                                     {"SUBMITTED"},
                                     {"ENDED"}},
                         .limit = options.limit});
  JobFilter filter{.workflow_name = options.workflow, .limit = page_size};
  // A job can be in any other state before its last attempt has ended.
  if (wanted == JobState::running || wanted == JobState::paused) filter.ended = false;
  for (bool more = true; more;) {
    const Result<std::vector<Job>> page = records.jobs(filter);
    if (!page) return session.fail(page.error());
    more = page->size() == filter.limit;
    if (more) filter.before = page->back().id;
    for (const Job& job : *page) {
      if (wanted && state_of(job) != *wanted) continue;
      const auto document = [&]() -> Result<Json> {
        const Result<Workflow> workflow = records.workflow(job.workflow_hash);
        if (!workflow) return std::unexpected(workflow.error());
        return job_document(job, *workflow);
      };
      more = list.add({.document = document,
                       .id = [&] { return std::to_string(job.id.value()); },
                       .cells = [&] { return job_cells(job, times); }}) &&
             more;
    }
  }
  return list.finish({.none = "no jobs. start one: pawl run FILE"});
}

int job_pause(Session& session, const JobActOptions& options) {
  bool changed = false;
  return act_on_named<PauseJob, PauseStage>(session, options, true, changed);
}

int job_resume(Session& session, const JobActOptions& options) {
  bool changed = false;
  const int code = act_on_named<ResumeJob, ResumeStage>(session, options, false, changed);
  if (code == exit_done && changed) {
    const bool is_one = options.jobs.size() == 1 && options.jobs.front() != "-";
    session.say(
        "the pause has ended; running workers continue. To work on the job here:  pawl resume " +
        (is_one ? options.jobs.front() : "JOB") + "   or:  pawl work");
  }
  return code;
}

int job_revive(Session& session, const JobReviveOptions& options) {
  ReviveJob act{.job = JobId{options.job}, .tolerate_failures = {}};
  if (!options.tolerate.empty()) {
    const Result<Tolerance> tolerance = actions::read_tolerance(options.tolerate);
    if (!tolerance) return session.fail(tolerance.error());
    act.tolerate_failures = *tolerance;
  }
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<Job> after = (*store)->act(act, Session::actor(options.as));
  if (!after) return session.fail(with_commands(after.error(), act.job));
  const int code = show(session, (*store)->records(), *after);
  if (!after->has_ended()) {
    session.say("the job goes on:  pawl resume " + std::to_string(options.job));
  }
  if (after->dead_letters > 0) {
    session.say(counted(after->dead_letters, "dead letter") + ":  pawl dlq retry --job " +
                std::to_string(options.job));
  }
  return code;
}

int job_cancel(Session& session, const JobActOptions& options) {
  const Result<std::vector<std::string>> jobs = read_numbers(session, options.jobs, "job");
  if (!jobs) return session.fail(jobs.error());
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  std::int64_t unfinished = 0;
  std::int64_t there = 0;
  for (const std::string& id : *jobs) {
    const Result<Job> job = (*store)->records().job(JobId{number_of(id)});
    // With several jobs, a missing one is reported when its turn comes.
    if (!job && jobs->size() == 1) return session.fail(job.error());
    if (!job) continue;
    ++there;
    unfinished += job->items.active();
  }
  const std::string what = jobs->size() == 1 ? "job " + jobs->front() : counted(there, "job");
  if (there > 0) {
    const Status agreed =
        session.confirm("Cancel " + what + " with " + counted(unfinished, "unfinished item") +
                        "? This cannot be undone.");
    if (!agreed) return session.fail(agreed.error());
  }
  return act_on(
      session, **store, *jobs, [](JobId job) -> Result<Act> { return CancelJob{.job = job}; },
      Session::actor(options.as));
}

int job_budget(Session& session, const JobBudgetOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Result<Job> job = (*store)->records().job(JobId{options.job});
  if (!job) return session.fail(job.error());

  const Result<Budget> budget = actions::changed(job->budget, {.attempts = options.attempts,
                                                               .cost_usd = options.cost_usd,
                                                               .tokens = options.tokens,
                                                               .deadline = options.deadline,
                                                               .no_progress = options.no_progress});
  if (!budget) return session.fail(budget.error());
  if (*budget != job->budget) {
    job = (*store)->act(SetBudget{.job = job->id, .budget = *budget}, Session::actor(options.as));
    if (!job) return session.fail(with_commands(job.error(), JobId{options.job}));
  }
  return show_budget(session, *job);
}

int job_wait(Session& session, const JobWaitOptions& options) {
  std::optional<Duration> patience;
  if (!options.timeout.empty()) {
    const Result<Duration> timeout = parse_duration(options.timeout);
    if (!timeout) return session.fail(timeout.error());
    patience = *timeout;
  }
  const StopSignals signals;
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Timestamp began = system_clock().now();
  for (;;) {
    const Result<Job> job = records.job(JobId{options.job});
    if (!job) return session.fail(job.error());
    if (stands_still(*job)) {
      const int shown = show(session, records, *job);
      return shown == exit_done ? exit_code_of(*job) : shown;
    }
    if (patience && system_clock().now() - began >= *patience) {
      return session.fail(
          {ErrorCode::unavailable,
           "job " + std::to_string(options.job) + " is still running after " + in_words(*patience),
           "see: pawl status " + std::to_string(options.job)});
    }
    if (signals.wait(between_looks)) return exit_interrupted;
  }
}

Words words_of_jobs(JobActOptions& it) {
  return {argument(&it.jobs, "JOB...", "Job numbers; - reads them from stdin"),
          person_option(it.as)};
}

Words words_of_jobs_and_stage(JobActOptions& it) {
  return {argument(&it.jobs, "JOB...", "Job numbers; - reads them from stdin"),
          option("--stage", &it.stage, "STAGE", "Only this stage; default: the whole job"),
          person_option(it.as)};
}

}  // namespace

CommandEntry job_list_command() {
  return command("job list", "pawl job list --state running", "List jobs, newest first.", &job_list,
                 [](JobListOptions& it) -> Words {
                   return {choice("--state", &it.state,
                                  {"running", "paused", "completed", "failed", "cancelled"},
                                  "Only jobs in this state"),
                           option("--workflow", &it.workflow, "NAME", "Only jobs of this workflow"),
                           limit_option(it.limit)};
                 });
}

CommandEntry job_pause_command() {
  return command("job pause", "pawl job pause 41",
                 "Pause a job or a stage of it: no new attempts start; running ones finish.",
                 &job_pause, &words_of_jobs_and_stage);
}

CommandEntry job_resume_command() {
  return command("job resume", "pawl job resume 41",
                 "End a pause of a job or of a stage. To work on the job: pawl resume JOB.",
                 &job_resume, &words_of_jobs_and_stage);
}

CommandEntry job_revive_command() {
  return command("job revive", "pawl job revive 41 --tolerate 20",
                 "Let a job go on that its tolerance, its deadline or its budget has ended.",
                 &job_revive, [](JobReviveOptions& it) -> Words {
                   return {argument(&it.job, "JOB", "The job number"),
                           option("--tolerate", &it.tolerate, "N|P%",
                                  "How many items may fail from now on, those that have failed "
                                  "included; default: as before"),
                           person_option(it.as)};
                 });
}

CommandEntry job_cancel_command() {
  return command("job cancel", "pawl job cancel 41",
                 "Cancel a job and stop its running attempts. This cannot be undone.", &job_cancel,
                 &words_of_jobs);
}

CommandEntry job_budget_command() {
  return command("job budget", "pawl job budget 41 --cost-usd 40 --deadline 12h",
                 "Show the budget of a job, or change the given limits.", &job_budget,
                 [](JobBudgetOptions& it) -> Words {
                   return {
                       argument(&it.job, "JOB", "The job number"),
                       option("--attempts", &it.attempts, "N", "Maximum attempts of the whole job"),
                       option("--cost-usd", &it.cost_usd, "DOLLARS", "Maximum cost"),
                       option("--tokens", &it.tokens, "N", "Maximum tokens"),
                       option("--deadline", &it.deadline, "TIME",
                              "Maximum time since the submission, such as 8h"),
                       option("--no-progress", &it.no_progress, "TIME",
                              "Maximum time without a task that ends, such as 30m"),
                       person_option(it.as)};
                 });
}

CommandEntry job_wait_command() {
  return command("job wait", "pawl job wait 41 --timeout 1h",
                 "Wait until a job has ended, is paused or waits only for reviewers; the "
                 "exit code says which.",
                 &job_wait, [](JobWaitOptions& it) -> Words {
                   return {argument(&it.job, "JOB", "The job number"),
                           option("--timeout", &it.timeout, "TIME",
                                  "Give up after this time, such as 1h; default: never")};
                 });
}

}  // namespace pawl::cli
