/// Conditions (`when`) that are answered while the job changes. flow_test.cpp tests their meaning.

#include <functional>
#include <utility>

#include "store/forwarding_store.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;

/// A store in which something happens just before the answer to a claim arrives.
class Interrupted final : public store::ForwardingStore {
 public:
  using store::ForwardingStore::ForwardingStore;
  using store::ForwardingStore::inner;

  std::function<void(const ClaimRequest&, Claims&)> meanwhile;  ///< once

  Result<Claims> claim(const ClaimRequest& request) override {
    Result<Claims> claims = inner().claim(request);
    if (claims && meanwhile) std::exchange(meanwhile, {})(request, *claims);
    return claims;
  }
};

/// One stage with a condition that holds, and one behind it.
Program conditional(std::function<bool(Context&)> when) {
  WorkflowBuilder build("conditional");
  build.stage("a", succeed).when(std::move(when));
  build.stage("b", succeed).needs("a");
  return built(build);
}

/// Found by the simulation: a rerun came at the moment in which the engine dropped its ended job,
/// and ended the process.
TEST(Conditions, one_of_a_job_that_is_not_known_any_more_is_asked_when_it_is_known_again) {
  ManualClock clock;
  auto store = std::make_shared<Interrupted>(open_memory_store(clock));
  auto engine = std::move(*Engine::create(store, {.threads = 0}, clock));
  const Program program = conditional([](Context&) { return true; });
  engine->serve(program);
  JobId unknown;
  store->meanwhile = [&](const ClaimRequest& request, Claims& claims) {
    const std::vector<NewItem> keys = items({"y"});
    unknown = store->inner()
                  .submit({.workflow = program.workflow()}, {.items = keys, .close = true})
                  ->job.id;
    const auto heads = store->inner().ready_lanes();
    for (const LaneHead& head : *heads) {
      if (head.job != unknown) continue;
      const LaneShare share{.job = head.job, .lanes = {{head.lane, head.stage}}, .max = 1};
      const Claims more = *store->inner().claim({.worker = request.worker, .shares = {share}});
      ASSERT_EQ(more.conditional.size(), 1u);
      claims.conditional.push_back(more.conditional[0]);
    }
  };
  const JobId known = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  ASSERT_TRUE(unknown) << "nothing was claimed, so nothing was tried";
  EXPECT_EQ(state_of(*store->records().job(known)), JobState::completed);
  EXPECT_EQ(state_of(*store->records().job(unknown)), JobState::completed);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

/// Found by the simulation: the stage was skipped by choice, as if its job continued.
TEST(Conditions, an_answer_after_the_cancel_of_its_job_changes_nothing) {
  World world;
  JobId job;
  job = world.submit(conditional([&](Context&) {
                       EXPECT_TRUE(world.engine->cancel(job));
                       return false;
                     }),
                     items({"x"}));
  world.run();
  EXPECT_EQ(world.state(job), JobState::cancelled);
  EXPECT_EQ(world.kind(job, "x", "a"), StateKind::ready) << "as it was";
  world.expect_sound();
}

}  // namespace
}  // namespace pawl
