/// A flaky service, and how patience is counted.
///
/// Shows: a rate limit with a hint (waits as asked and costs no attempt), a rate limit without one
/// (a failure like any other), backoff that doubles, and giving up. A delay is a row of the store,
/// not a sleep: on a clock that is set by hand, hours pass in milliseconds.
///
/// Run it: 04_rate_limits_and_backoff [STORE]      (without STORE: in a temporary folder)

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "lesson.hpp"
#include "pawl/pawl.hpp"

namespace {

using lesson::must;
using lesson::promise;
using namespace std::chrono_literals;

/// The service. What it answers depends on the caller and on how often it was asked.
pawl::Outcome call_service(pawl::Context& context, std::stop_token) {
  if (context.item_key() == "hopeless") return pawl::retryable("connection refused");
  switch (context.attempt()) {
    case 1:
      return pawl::rate_limited("429, retry after 2 h", 2h);
    case 2:
      return pawl::retryable("502 bad gateway");
    case 3:
      return pawl::rate_limited("429, no hint");
    case 4:
      return pawl::rate_limited("429, retry after 30 min", 30min);
    default:
      return pawl::Output{.json = "the answer", .summary = "answered"};
  }
}

/// "2 h 01 min 00 s"
std::string in_words(pawl::Duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  char text[64];
  std::snprintf(text, sizeof text, "%2lld h %02lld min %02lld s",
                static_cast<long long>(seconds / 3600), static_cast<long long>(seconds / 60 % 60),
                static_cast<long long>(seconds % 60));
  return text;
}

/// Runs the job to its end on a clock that only moves when told: do what can be done now, then
/// jump to the moment when something is due.
void run_on_virtual_time(pawl::Engine& engine, pawl::ManualClock& clock, pawl::JobId job) {
  for (int jumps = 0; jumps < 100'000; ++jumps) {
    engine.run_until_idle();
    if (must(engine.records().job(job)).has_ended()) return;
    const pawl::Timestamp due = engine.next_wake();
    promise(due != pawl::no_time, "something is due");
    clock.advance_to(due);
  }
  throw lesson::NotAsPromised("the job never ends");
}

std::vector<pawl::Attempt> print_schedule(pawl::Records& records, const pawl::Workflow& workflow,
                                          pawl::JobId job, const std::string& key,
                                          pawl::Timestamp start) {
  const pawl::Item item = must(records.item(job, key));
  const pawl::TaskId task = pawl::task_id(item.id, workflow.first_stages().front());
  const auto attempts = must(records.attempts(task));
  std::printf("\n%s\n  %-8s  %-18s  %-24s  %s\n", key.c_str(), "attempt", "started after",
              "the service said", "what happens next");
  for (const pawl::Attempt& attempt : attempts) {
    std::printf("  %-8u  %-18s  %-24s  %s\n", attempt.number,
                in_words(attempt.opened_at - start).c_str(),
                attempt.error ? attempt.error->message.c_str() : attempt.summary.c_str(),
                pawl::explain(workflow.stage(pawl::stage_of(task)), attempt).c_str());
  }
  return attempts;
}

void rate_limits_and_backoff(const std::filesystem::path& path) {
  pawl::WorkflowBuilder build("flaky");
  build.stage("call_service", call_service)
      .retry({.max_attempts = 4, .backoff = {.initial = 60s, .max = 1h, .multiplier = 2.0}});
  const pawl::Program flaky = must(build.build());

  // The store and the engine share one clock; without threads stages run inside `poll`.
  pawl::ManualClock clock;
  const pawl::Timestamp start = clock.now();
  const auto store = must(pawl::open_sqlite_store({.path = path}, clock));
  // Nobody else works on this store, so the engine need not say often that it is alive.
  const auto engine = must(pawl::Engine::create(store, {.threads = 0, .lease = 24h}, clock));
  engine->serve(flaky);

  const auto real_start = std::chrono::steady_clock::now();
  const pawl::JobId patient = must(engine->submit(flaky.workflow(), {{.key = "patient"}}));
  run_on_virtual_time(*engine, clock, patient);
  const pawl::Timestamp second_start = clock.now();
  const pawl::JobId hopeless = must(engine->submit(flaky.workflow(), {{.key = "hopeless"}}));
  run_on_virtual_time(*engine, clock, hopeless);
  const auto real = std::chrono::steady_clock::now() - real_start;

  const auto answered =
      print_schedule(store->records(), flaky.workflow(), patient, "patient", start);
  const auto given_up =
      print_schedule(store->records(), flaky.workflow(), hopeless, "hopeless", second_start);
  std::printf("\n%s on the clock", in_words(clock.now() - start).c_str());
  std::printf(
      ", %lld ms in truth\n",
      static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(real).count()));

  // Five attempts of at most four: the two waits with a hint were the service's wish.
  promise(answered.size() == 5, "the patient item is answered at its fifth attempt");
  promise(answered.back().counts_before.failures == 2, "two of its attempts counted as failures");
  promise(answered[1].opened_at - answered[0].ended_at >= 2h, "the hint is kept");
  promise(answered[2].opened_at - answered[1].ended_at >= 1min, "backoff starts at a minute");
  promise(answered[3].opened_at - answered[2].ended_at >= 2min, "and doubles");
  promise(answered[4].opened_at - answered[3].ended_at >= 30min, "the second hint is kept");
  promise(given_up.size() == 4 && given_up.back().decision.kind == pawl::DecisionKind::fail,
          "the hopeless item is given up after four attempts");
  promise(given_up[3].opened_at - given_up[2].ended_at >= 4min, "its last wait was four minutes");
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, rate_limits_and_backoff); }
