/// A job of loosely described tasks, with a decider of its own and a budget that runs out.
///
/// Shows: `TaskJob` with task types dispatched to a `HandlerRegistry`, `depends_on`, a custom
/// decider whose words are recorded with each decision, and a budget that pauses the job until
/// somebody raises it. Time is virtual, so no retry is waited for.
///
/// Run it: 05_job_with_budgets_and_decider [STORE]      (without STORE: in a temporary folder)

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "lesson.hpp"
#include "pawl/compat/task_spec.hpp"
#include "pawl/pawl.hpp"

namespace {

using lesson::must;
using lesson::promise;
using namespace std::chrono_literals;

/// Exponential, capped, and explicit about why. Pure: `verify` asks it again later.
pawl::Advice patient_decider(const pawl::StageDefinition& stage, const pawl::Attempt& closed) {
  const std::uint32_t attempts = closed.number;
  const std::uint32_t most = stage.retry.max_attempts;
  if (closed.result == pawl::AttemptResult::success) {
    return pawl::MarkDead{.reason = "Decider called on success"};
  }
  if (attempts >= most) {
    return pawl::MarkDead{.reason = "Max attempts (" + std::to_string(most) + ") exceeded"};
  }
  const auto delay = std::min(std::chrono::seconds(1LL << attempts), 60s);
  return pawl::Retry{.delay = delay,
                     .reason = "Retry " + std::to_string(attempts) + " of " + std::to_string(most) +
                               " after " + std::to_string(delay.count()) + " s"};
}

/// A field of the task's goal, as its submitter wrote it.
std::string goal_of(pawl::Context& context, const char* field) {
  return pawl::field(context.stage_params(), std::string("goal.") + field).string().value_or("");
}

pawl::Outcome http_request(pawl::Context& context, std::stop_token) {
  const std::string url = goal_of(context, "url");
  if (url.empty()) return pawl::final_error("the goal has no url");
  if (url.ends_with("/down")) return pawl::retryable("503 from " + url);
  if (context.attempt() == 1) return pawl::retryable("connection reset by " + url);
  return pawl::Output{.json = pawl::Json::object({{"body", "42 rows"}}), .summary = "200 OK"};
}

pawl::Outcome write_report(pawl::Context& context, std::stop_token) {
  const auto fetched = context.upstream("fetch rows");
  if (!fetched) return pawl::final_error(fetched.error().text());
  const auto body = pawl::field(fetched->json, "body").json().value_or(pawl::Json());
  return pawl::Output{.json = pawl::Json::object({{"report", body}}), .summary = "report written"};
}

/// Everything that can happen without more budget or another person, however far away in time.
pawl::Job run_on_virtual_time(pawl::Engine& engine, pawl::ManualClock& clock, pawl::JobId id) {
  for (int jumps = 0; jumps < 100'000; ++jumps) {
    engine.run_until_idle();
    const pawl::Job job = must(engine.records().job(id));
    if (pawl::state_of(job) != pawl::JobState::running) return job;
    const pawl::Timestamp due = engine.next_wake();
    promise(due != pawl::no_time, "something is due");
    clock.advance_to(due);
  }
  throw lesson::NotAsPromised("the job never ends");
}

void print_status(const char* when, const pawl::Job& job) {
  long long succeeded = 0;
  for (const pawl::StateCounts& stage : job.stages) {
    succeeded += stage[pawl::StateKind::succeeded];
  }
  std::printf("%s: %s, %lld of %zu tasks succeeded, %lld failed, %lld attempts\n", when,
              std::string(pawl::name_of(pawl::state_of(job))).c_str(), succeeded, job.stages.size(),
              static_cast<long long>(job.failed_tasks),
              static_cast<long long>(job.attempts_opened));
}

void job_with_budgets_and_decider(const std::filesystem::path& path) {
  // Handlers by task type, deciders by name: what a job may refer to.
  pawl::HandlerRegistry handlers;
  handlers.add("http_request", http_request)
      .add("write_report", write_report)
      .add_decider("patient", patient_decider);

  pawl::ManualClock clock;
  const auto store = must(pawl::open_sqlite_store({.path = path}, clock));
  const auto engine = must(pawl::Engine::create(store, {.threads = 0}, clock));

  // A job refers to handlers by type; a misspelt one is refused before anything is stored.
  const pawl::TaskJob wrong{.tasks = {{.type = "http_reqest", .title = "fetch"}}};
  const auto misspelt = pawl::submit(*engine, wrong, handlers);
  promise(!misspelt, "an unknown task type is refused");
  std::printf("refused: %s\n\n", misspelt.error().text().c_str());

  pawl::Budget budget = pawl::default_task_budget();
  budget.max_attempts_per_task = 3;
  budget.max_total_attempts = 4;
  const pawl::TaskJob nightly{
      .name = "nightly",
      .tasks = {{.type = "http_request",
                 .title = "fetch rows",
                 .intent = "get last night's rows",
                 .goal = pawl::Json::object({{"url", "https://rows.example/today"}})},
                {.type = "http_request",
                 .title = "ping mirror",
                 .goal = pawl::Json::object({{"url", "https://mirror.example/down"}})},
                {.type = "write_report", .title = "report", .depends_on = {"fetch rows"}}},
      .budget = budget,
      .decider = "patient"};
  const pawl::JobId id = must(pawl::submit(*engine, nightly, handlers));

  // Four attempts may be opened; the fifth pauses the job instead.
  const pawl::Job paused = run_on_virtual_time(*engine, clock, id);
  print_status("first", paused);
  promise(pawl::state_of(paused) == pawl::JobState::paused, "the budget pauses the job");
  promise(paused.paused == pawl::PauseCause::budget && paused.attempts_opened == 4,
          "after four attempts");
  const auto refused = engine->resume(id);
  promise(!refused && refused.error().code == pawl::ErrorCode::refused,
          "it cannot be resumed while the budget is used up");
  std::printf("resume: %s\n", refused.error().text().c_str());

  // Raising the budget lets it go on, from exactly where it was.
  budget.max_total_attempts = 20;
  (void)must(engine->act(pawl::SetBudget{.job = id, .budget = budget}));
  const pawl::Job done = run_on_virtual_time(*engine, clock, id);
  print_status("after raising the budget to 20", done);

  const pawl::Workflow workflow = must(store->records().workflow(done.workflow_hash));
  std::printf("\n%-12s  %-8s  %-10s  %s\n", "task", "attempt", "result", "decision");
  std::string last_words;
  for (const pawl::Item& item : must(store->records().items({.job = id}))) {
    for (const pawl::Task& task : must(store->records().tasks_of(item.id))) {
      for (const pawl::Attempt& attempt : must(store->records().attempts(task.id))) {
        const std::string words = attempt.decision.reason.empty()
                                      ? pawl::explain(workflow.stage(task.stage()), attempt)
                                      : attempt.decision.reason;
        std::printf("%-12s  %-8u  %-10s  %s\n", workflow.stage(task.stage()).name.c_str(),
                    attempt.number, std::string(pawl::name_of(attempt.result)).c_str(),
                    words.c_str());
        if (workflow.stage(task.stage()).name == "ping mirror") last_words = words;
      }
    }
  }
  promise(pawl::state_of(done) == pawl::JobState::failed, "one dead task fails the job");
  promise(done.failed_tasks == 1 && done.dead_letters == 1, "only the mirror is dead");
  promise(last_words == "Max attempts (3) exceeded", "the decider's own words are recorded");
  promise(done.attempts_opened == 6, "six attempts: two, three and one");
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, job_with_budgets_and_decider); }
