#include <iostream>

#include <pawl/pawl.hpp>
#include <pawl/testing/testing.hpp>
#include <pawl/version.hpp>

namespace {

/// The test kit needs no test framework: a week passes, and the story is printed if it is wrong.
bool the_kit_works() {
  using namespace pawl::testing;
  pawl::WorkflowBuilder build("consumer");
  build
      .stage("call",
             [](pawl::Context&, std::stop_token) -> pawl::Outcome { return pawl::Output{}; })
      .retry({.max_attempts = 2, .backoff = {.initial = std::chrono::hours(7 * 24)}});
  World world;
  world.stage("call", Script{}.then(fails("503")).then(succeeds()));
  const pawl::JobId job = world.submit(built(build), items({"a"}));
  const bool is_done = world.finish(job) == pawl::JobState::completed;
  if (!is_done) std::cout << world.story(job);
  return is_done && world.elapsed() == std::chrono::hours(7 * 24) && world.violations().empty();
}

}  // namespace

int main() {
  std::cout << "pawl " << pawl::version << '\n';
  return !pawl::version.empty() && the_kit_works() ? 0 : 1;
}
