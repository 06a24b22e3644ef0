#include "pawl/core/workflow.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;

StageIndex index(std::size_t i) { return static_cast<StageIndex>(i); }

TEST(Workflow, knows_each_stages_place_in_the_graph) {
  const Workflow w = given::workflow(
      {given::node("export", {"read", "price"}), given::node("read", {"scan"}),
       given::node("price", {"read"}), given::node("scan"),
       given::node("sum", {"export"}, Scope::all), given::node("mail", {"sum"}, Scope::all)});
  EXPECT_EQ(w.stage_count(), 6U);
  EXPECT_EQ(w.item_stage_count(), 4U);
  EXPECT_EQ(w.sink_count(), 1U);
  EXPECT_THAT(w.first_stages(), ElementsAre(index(3)));
  EXPECT_THAT(w.all_scope_stages(), ElementsAre(index(4), index(5)));
  EXPECT_THAT(w.topological_order(),
              ElementsAre(index(3), index(1), index(2), index(0), index(4), index(5)));
  EXPECT_THAT(w.plan(index(3)).downstream, ElementsAre(index(1), index(2), index(0)));
  EXPECT_THAT(w.plan(index(1)).dependents, ElementsAre(index(0), index(2)));
  EXPECT_THAT(w.plan(index(0)).needs, ElementsAre(index(1), index(2)));
  EXPECT_EQ(w.plan(index(0)).full_mask, 0b11U);
  EXPECT_TRUE(w.plan(index(0)).is_sink);
  EXPECT_FALSE(w.plan(index(4)).is_sink);
  EXPECT_THAT(w.plan(index(0)).dependents, IsEmpty());
}

TEST(Workflow, sixty_four_needs_fill_the_mask) {
  std::vector<StageDefinition> stages;
  std::vector<std::string> names;
  for (int i = 0; i < 64; ++i) {
    names.push_back("s" + std::to_string(i));
    stages.push_back(given::node(names.back()));
  }
  stages.push_back(given::node("join", names));
  EXPECT_THAT(faults_of({.name = "wide", .stages = stages}), IsEmpty());
  EXPECT_EQ(given::workflow(stages).plan(index(64)).full_mask, ~std::uint64_t{0});
}

TEST(Workflow, an_unknown_stage_is_answered_with_a_suggestion) {
  const Workflow w = given::workflow({given::node("scan")});
  EXPECT_EQ(w.find("scan"), index(0));
  EXPECT_FALSE(w.find("scann"));
  const auto missing = w.require_stage("scann");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().text(),
            "no stage 'scann' in workflow 'invoices'; did you mean 'scan'?");
}

TEST(Workflow, a_stage_draws_from_its_named_pool_or_from_its_own) {
  StageDefinition named = given::node("a");
  named.limits = {.pool = "gpu", .parallel = 2};
  StageDefinition own = given::node("b");
  own.limits.parallel = 3;
  const Workflow w = given::workflow({named, own, given::node("c")});
  EXPECT_EQ(w.pool_of(index(0)), "gpu");
  EXPECT_EQ(w.pool_of(index(1)), "invoices/b");
  EXPECT_EQ(w.pool_of(index(2)), "");
}

TEST(Workflow, stages_of_a_pool_share_what_any_of_them_gives_it) {
  const Rate rate{.count = 60, .per = std::chrono::minutes(1)};
  StageDefinition a = given::node("a");
  a.limits = {.pool = "api", .parallel = 2};
  StageDefinition b = given::node("b");
  b.limits = {.pool = "api", .parallel = 0, .rate = rate};
  StageDefinition own = given::node("own");
  own.limits.rate = rate;
  const Workflow w = given::workflow({a, b, own, given::node("free")});
  const Limits shared{.pool = "api", .parallel = 2, .rate = rate};
  EXPECT_EQ(w.plan(index(0)).limits, shared);
  EXPECT_EQ(w.plan(index(1)).limits, shared);
  EXPECT_EQ(w.plan(index(2)).limits, (Limits{.pool = "invoices/own", .parallel = 0, .rate = rate}));
  EXPECT_EQ(w.plan(index(3)).limits, Limits{});
}

std::string name_of(std::size_t i) { return "s" + std::to_string(i); }

/// Stages in a random order of definition; each needs some of those before it in another order.
WorkflowDefinition any_dag(std::size_t size) {
  std::vector<std::size_t> shuffled(size);
  for (std::size_t i = 0; i < size; ++i) {
    shuffled[i] = i;
    std::swap(shuffled[i], shuffled[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  WorkflowDefinition definition{.name = "random", .stages = {}};
  definition.stages.resize(size);
  for (std::size_t i = 0; i < size; ++i) {
    StageDefinition stage = given::node(name_of(shuffled[i]));
    for (std::size_t j = 0; j < i; ++j) {
      if (*rc::gen::inRange(0, 4) == 0) stage.needs.push_back(name_of(shuffled[j]));
    }
    definition.stages[shuffled[i]] = std::move(stage);
  }
  return definition;
}

TEST(Workflow, the_topological_order_of_any_dag_has_needs_first) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(1, 25);
    const WorkflowDefinition definition = any_dag(size);
    RC_ASSERT(faults_of(definition).empty());
    const Workflow w = Workflow::from_checked(definition, "h");
    std::vector<std::size_t> place(size, size);
    for (std::size_t i = 0; i < size; ++i) place[at(w.topological_order()[i])] = i;
    for (std::size_t i = 0; i < size; ++i) {
      RC_ASSERT(place[i] < size);
      for (const StageIndex need : w.plan(index(i)).needs) RC_ASSERT(place[at(need)] < place[i]);
      std::size_t before = place[i];
      for (const StageIndex later : w.plan(index(i)).downstream) {
        RC_ASSERT(place[at(later)] > before);
        before = place[at(later)];
      }
    }
  }));
}

TEST(Workflow, any_need_that_points_back_is_found_as_a_cycle) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(1, 25);
    WorkflowDefinition definition = any_dag(size);
    const Workflow w = Workflow::from_checked(definition, "h");
    const auto from = *rc::gen::inRange<std::size_t>(0, size);
    std::vector<StageIndex> later = w.plan(index(from)).downstream;
    later.push_back(index(from));
    const StageIndex to = *rc::gen::elementOf(later);
    definition.stages[from].needs.push_back(name_of(at(to)));
    const auto faults = faults_of(definition);
    RC_ASSERT(faults.size() == 1U);
    RC_ASSERT(faults[0].message.starts_with("cycle: "));
  }));
}

}  // namespace
}  // namespace pawl
