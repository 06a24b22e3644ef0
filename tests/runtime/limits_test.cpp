/// What an engine reports of the work that it leaves to others.

#include <gmock/gmock.h>

#include "pawl/codec/workflow.hpp"
#include "store/forwarding_store.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Counts what is written of limits.
class CountingStore final : public store::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  Status note_limits(WorkerId worker, const WorkerLimits& limits) override {
    ++reports;
    return ForwardingStore::note_limits(worker, limits);
  }
  int reports = 0;
};

StageDefinition stage_of(std::string name, std::vector<std::string> needs = {}) {
  return {.name = std::move(name), .needs = std::move(needs), .handler = "x"};
}
Workflow workflow_of(std::vector<StageDefinition> stages) {
  return *compile({.name = "made", .stages = std::move(stages)});
}

class Limits : public testing::Test {
 protected:
  /// Two stages: `make` runs `body`, and `use` is there while `is_here`.
  CodeSource make_and_use(std::function<void()> body) {
    const auto code = [](std::function<void()> work) {
      StageCode made;
      made.work = [work = std::move(work)](Context&, std::stop_token) -> Outcome {
        if (work) work();
        return Output{};
      };
      return made;
    };
    StageCode use = code({});
    use.is_available = [this](const Json&) { return is_here; };
    const auto shared_use = std::make_shared<const StageCode>(use);
    const auto shared_make = std::make_shared<const StageCode>(code(std::move(body)));
    return [=](const Workflow&, const StageDefinition& stage) {
      return stage.name == "use" ? shared_use : shared_make;
    };
  }
  /// Of the engine that signed on last.
  static WorkerLimits limits_of(World& world) {
    return world.store->records().workers()->back().limits;
  }

  const Workflow two = workflow_of({stage_of("make"), stage_of("use", {"make"})});
  bool is_here = false;
};

TEST_F(Limits, end_when_a_stage_becomes_available) {
  World world({.why_left = [](const Job&, const Workflow&, const StageDefinition*) {
    return std::string("not here");
  }});
  world.engine->serve(make_and_use({}));
  const JobId job = *world.engine->submit(two, items({"k"}));
  world.run();
  EXPECT_THAT(limits_of(world).left,
              ElementsAre(WorkerLimits::Left{.job = job, .stage = "use", .reason = "not here"}));
  is_here = true;
  world.pass(1min);
  EXPECT_THAT(limits_of(world).left, IsEmpty());
}

TEST_F(Limits, end_although_what_the_stage_needs_was_made_before_its_turn_came) {
  World world;
  world.engine->serve(make_and_use([&] { is_here = true; }));
  (void)*world.engine->submit(two, items({"k"}));
  world.pass(1min);
  EXPECT_THAT(limits_of(world).left, IsEmpty());
}

TEST_F(Limits, are_reported_when_a_stage_is_available_no_longer) {
  is_here = true;
  World world;
  world.engine->serve(make_and_use([&] { is_here = false; }));
  const JobId job = *world.engine->submit(two, items({"k"}));
  world.pass(1min);
  EXPECT_EQ(world.kind(job, "k", "use"), StateKind::ready);
  EXPECT_THAT(limits_of(world).left, SizeIs(1));
}

TEST_F(Limits, name_the_one_job_of_an_engine_and_no_other_and_are_written_once) {
  World world;
  const auto store = std::make_shared<CountingStore>(world.store);
  world.store = store;
  for (int i = 0; i < 41; ++i) (void)*world.engine->submit(two, items({"k"}));
  const auto kept = world.another({.takes = [](const Job&) { return true; }});
  const JobId mine = *kept->submit(two, items({"k"}));
  kept->keep_to(mine);
  kept->run_until_idle();
  EXPECT_EQ(limits_of(world).jobs, std::set{mine});
  EXPECT_EQ(store->reports, 1);
  world.clock.advance(2s);
  kept->run_until_idle();
  EXPECT_THAT(limits_of(world).left, SizeIs(2)) << "it has no code for the stages of its own job";
  EXPECT_EQ(store->reports, 2);
}

TEST_F(Limits, of_jobs_that_come_one_after_the_other_are_written_together) {
  World world;
  const auto store = std::make_shared<CountingStore>(world.store);
  world.store = store;
  world.engine = world.another();
  for (int i = 0; i < 10; ++i) {
    (void)*world.engine->submit(two, items({"k"}));
    world.run();
  }
  EXPECT_EQ(store->reports, 1);
  world.pass(1min);
  EXPECT_EQ(store->reports, 2);
  EXPECT_THAT(limits_of(world).left, SizeIs(20));
}

TEST_F(Limits, of_a_wide_job_are_cut_and_hide_those_of_no_newer_job) {
  World world;
  std::vector<StageDefinition> many;
  for (int i = 0; i < 300; ++i) many.push_back(stage_of("s" + std::to_string(i)));
  (void)*world.engine->submit(two, items({"k"}));
  const JobId wide = *world.engine->submit(workflow_of(many), items({"k"}));
  const JobId newest = *world.engine->submit(two, items({"k"}));
  world.pass(1min);
  const WorkerLimits limits = limits_of(world);
  EXPECT_THAT(limits.left, SizeIs(200));
  EXPECT_EQ(limits.left[1].job, newest);
  EXPECT_EQ(limits.left[2].job, wide);
  EXPECT_EQ(limits.cut_at, wide);
}

}  // namespace
}  // namespace pawl
