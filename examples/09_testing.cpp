/// Testing a workflow: weeks in milliseconds, crashes on demand, and a look at yesterday's record.
///
/// Shows: the test kit. A real program keeps its policies, its gates and its graph; what would call
/// the outside world is played by scripts, people are played by reviewers, and time passes only
/// when the test says so. Then the process is killed at the worst moment; and a record is replayed
/// against a changed policy before anybody runs it.
///
/// Run it: 09_testing      (it needs no store: its worlds are in memory)

#include <chrono>
#include <cstdio>
#include <string>

#include "lesson.hpp"
#include "pawl/pawl.hpp"
#include "pawl/testing/testing.hpp"

namespace {

using lesson::promise;
using namespace pawl::testing;
using namespace std::chrono_literals;

constexpr pawl::Duration day = 24h;

/// The real thing: it would write to a bank.
pawl::Outcome call_the_bank(pawl::Context&, std::stop_token) {
  throw std::runtime_error("a test must not call the bank");
}

/// The program under test: a payment is tried again after two weeks, and a person looks at it.
pawl::Program payments(std::uint32_t attempts) {
  pawl::WorkflowBuilder build("payments");
  build.stage("pay", call_the_bank)
      .retry({.max_attempts = attempts, .backoff = {.initial = 14 * day, .multiplier = 1.0}});
  build.human_stage("check").needs("pay");
  return built(build);
}

void weeks_in_milliseconds() {
  World world;
  world.stage("pay", Script{}
                         .then(fails("the bank is closed"))
                         .then(succeeds({{"paid", true}}))
                         .item("rent")
                         .then(succeeds({{"paid", true}}).after(2h)));
  world.reviewer("check", Reviewer("grace").approves_after(3 * day));

  const auto real_start = std::chrono::steady_clock::now();
  const pawl::JobId job = world.submit(payments(3), items({"rent", "water"}));
  const pawl::JobState state = world.finish(job);
  const auto real = std::chrono::steady_clock::now() - real_start;

  std::printf("%s", world.story(job).c_str());
  std::printf(
      "17 days on the clock, %lld ms in truth\n",
      static_cast<long long>(std::chrono::duration_cast<std::chrono::milliseconds>(real).count()));
  promise(state == pawl::JobState::completed, "both are paid and approved");
  promise(world.elapsed() == 17 * day, "two weeks of backoff, three days of a reviewer");
  promise(world.attempts(job, "water", "pay").size() == 2, "water was tried twice");
  promise(world.violations().empty(), "the record keeps every promise of the engine");
}

void a_crash_at_the_worst_moment() {
  int paid = 0;
  World world;
  world.stage("pay", Script{}.then(does([&](pawl::Context&, std::stop_token) -> pawl::Outcome {
    ++paid;
    return pawl::Output{.json = pawl::Json(true)};
  })));
  world.reviewer(Reviewer("grace").approves());
  world.crash_after("pay", "rent");  // paid, and nobody has written it down

  const pawl::JobId job = world.submit(payments(3), items({"rent"}));
  promise(world.finish(job) == pawl::JobState::completed, "it is paid in the end");

  std::printf("\n%s", world.story(job).c_str());
  const auto calls = world.calls("pay");
  std::printf("paid %d times, with the key %s each time\n", paid, calls[0].idempotency_key.c_str());
  promise(paid == 2 && calls.size() == 2, "the bank was called twice");
  promise(calls[0].idempotency_key == calls[1].idempotency_key,
          "a bank that knows the key pays once");
}

void a_look_at_yesterday() {
  World yesterday;
  yesterday.stage("pay", Script{}.then(fails("the bank is closed")));
  const pawl::JobId job = yesterday.submit(payments(3), items({"rent"}));
  promise(yesterday.finish(job) == pawl::JobState::failed, "it was given up after three attempts");

  const pawl::Replay same = replay(yesterday.records(), job, payments(3));
  promise(same.same(), "the same code decides the same");
  const pawl::Replay patient = replay(yesterday.records(), job, payments(5));
  std::printf("\nwith five attempts instead of three:\n%s", text_of(patient).c_str());
  promise(patient.difference_count == 1, "with five attempts one decision is another one");
}

void testing(const std::filesystem::path&) {
  weeks_in_milliseconds();
  a_crash_at_the_worst_moment();
  a_look_at_yesterday();
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, testing); }
