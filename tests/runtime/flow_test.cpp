/// The DAG: dependents, joins, failures downstream, conditions, fan-out, reduce.

#include <map>
#include <set>

#include <gmock/gmock.h>

#include "pawl/codec/json.hpp"
#include "pawl/store/results.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(Flow, a_stage_reads_what_is_upstream_of_it_directly_or_not_and_nothing_else) {
  World world;
  std::vector<std::string> seen;
  const auto answer = [&](Context& context, std::string_view stage) {
    const Result<Upstream> found = context.upstream(stage);
    seen.push_back(found ? found->json.text() : found.error().text());
    return found ? ErrorCode::not_found : found.error().code;
  };
  WorkflowBuilder build("flow");
  build.stage("a", [](Context&, std::stop_token) -> Outcome { return Output{.json = "A"}; });
  build.stage("beside", succeed);
  build.stage("b", succeed).needs("a").needs("beside");
  build
      .stage("c",
             [&](Context& context, std::stop_token) -> Outcome {
               answer(context, "a");
               EXPECT_EQ(answer(context, "other"), ErrorCode::invalid);
               EXPECT_EQ(answer(context, "c"), ErrorCode::invalid);
               EXPECT_EQ(answer(context, "ather"), ErrorCode::not_found);
               const Status children =
                   context.for_each_child_of("other", [](const EndedChild&) { return true; });
               EXPECT_EQ(children.error().code, ErrorCode::invalid);
               return Output{};
             })
      .needs("b");
  build.stage("other", succeed).needs("a");
  build.stage("last", succeed).needs("c");
  const JobId job = world.submit(built(build), items({"x"}));
  world.run();
  EXPECT_EQ(world.state(job), JobState::completed);
  EXPECT_THAT(seen, ElementsAre("\"A\"",
                                "stage 'c' reads 'other' but does not need it; "
                                "add 'other' to the needs of 'c'",
                                "stage 'c' reads its own output; "
                                "read its earlier attempts with history()",
                                testing::HasSubstr("no stage 'ather'")));
}

// Upstream artefacts reach the stages that need them, typed while in one process.
TEST(Flow, outputs_flow_along_a_diamond_and_the_join_runs_once) {
  World world;
  int joins = 0;
  std::string seen;
  WorkflowBuilder build("diamond");
  build.stage("a", [](Context&, std::stop_token) -> Outcome {
    return Output{.json = "A", .typed = Artifact::of(std::string("typed A"))};
  });
  const auto append = [](const char* name) {
    return [name](Context& context, std::stop_token) -> Outcome {
      const Upstream a = *context.upstream("a");
      EXPECT_EQ(*a.typed.as<std::string>(), "typed A");
      EXPECT_EQ(a.typed.as<int>(), nullptr) << "another type is no value";
      return Output{.json = *JsonView(a.json).string() + name};
    };
  };
  build.stage("b", append("b")).needs("a");
  build.stage("c", append("c")).needs("a");
  build
      .stage("d",
             [&](Context& context, std::stop_token) -> Outcome {
               ++joins;
               seen = *JsonView(context.upstream("b")->json).string() +
                      *JsonView(context.upstream("c")->json).string();
               return Output{};
             })
      .needs("b")
      .needs("c");
  const JobId job = world.submit(built(build), numbered(20));
  world.run();
  EXPECT_EQ(joins, 20);
  EXPECT_EQ(seen, "AbAc");
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Flow, what_needs_a_failed_stage_is_skipped_and_runs_after_the_dead_letter_is_retried) {
  World world;
  bool works = false;
  std::vector<std::string> ran;
  WorkflowBuilder build("chain");
  build.stage("a", [&](Context&, std::stop_token) -> Outcome {
    if (!works) return final_error("broken");
    ran.push_back("a");
    return Output{};
  });
  for (const auto& [name, need] : {std::pair("b", "a"), std::pair("c", "b")}) {
    build
        .stage(name,
               [&ran, own_name = std::string(name)](Context&, std::stop_token) -> Outcome {
                 ran.push_back(own_name);
                 return Output{};
               })
        .needs(need);
  }
  const JobId job = world.submit(built(build), items({"x"}));
  world.run();
  EXPECT_EQ(world.state(job), JobState::failed);
  EXPECT_EQ(world.kind(job, "x", "b"), StateKind::skipped);
  EXPECT_EQ(world.kind(job, "x", "c"), StateKind::skipped);
  EXPECT_TRUE(ran.empty());

  works = true;
  ASSERT_TRUE(world.engine->act(Rerun{.task = world.task(job, "x", "a").id}));
  EXPECT_EQ(world.state(job), JobState::running);
  world.run();
  EXPECT_THAT(ran, ElementsAre("a", "b", "c"));
  EXPECT_EQ(world.state(job), JobState::completed);
  EXPECT_EQ(world.attempts(job, "x", "a").back().number, 2u) << "numbers go on";
  EXPECT_EQ(world.job(job).dead_letters, 0);
  world.expect_sound();
}

TEST(Flow, on_failure_continue_lets_dependents_run_and_stop_job_ends_the_rest) {
  for (const OnFailure then : {OnFailure::proceed, OnFailure::stop_job}) {
    World world({.parallel = 1});
    int after = 0;
    WorkflowBuilder build("failing");
    build
        .stage("a",
               [](Context& context, std::stop_token) -> Outcome {
                 if (context.item_key() == "item-0") return final_error("no");
                 return Output{};
               })
        .on_failure(then);
    build
        .stage("b",
               [&](Context&, std::stop_token) -> Outcome {
                 ++after;
                 return Output{};
               })
        .needs("a");
    const JobId job = world.submit(built(build), numbered(3));
    world.run();
    EXPECT_EQ(world.state(job), JobState::failed);
    EXPECT_TRUE(world.job(job).has_ended());
    EXPECT_EQ(after, then == OnFailure::proceed ? 3 : 0);
    world.expect_sound();
  }
}

// `when` false is skipped by choice, without an attempt, and satisfies.
TEST(Flow, a_stage_whose_condition_is_false_is_skipped_without_an_attempt) {
  World world;
  std::vector<std::string> ran;
  WorkflowBuilder build("conditional");
  build
      .stage("ocr",
             [&](Context& context, std::stop_token) -> Outcome {
               ran.push_back("ocr " + context.item_key());
               return Output{};
             })
      .when([](Context& context) { return context.item_key() == "scan"; });
  build
      .stage("index",
             [&](Context& context, std::stop_token) -> Outcome {
               EXPECT_EQ(context.upstream("ocr")->state,
                         context.item_key() == "scan" ? StateKind::succeeded : StateKind::skipped);
               ran.push_back("index " + context.item_key());
               return Output{};
             })
      .needs("ocr");
  const JobId job = world.submit(built(build), items({"scan", "text"}));
  world.run();
  EXPECT_THAT(ran, UnorderedElementsAre("ocr scan", "index scan", "index text"));
  EXPECT_EQ(world.kind(job, "text", "ocr"), StateKind::skipped);
  EXPECT_TRUE(world.attempts(job, "text", "ocr").empty());
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Flow, a_condition_that_throws_fails_the_attempt_instead_of_guessing) {
  World world;
  int executions = 0;
  WorkflowBuilder build("conditional");
  build
      .stage("work",
             [&](Context&, std::stop_token) -> Outcome {
               ++executions;
               return Output{};
             })
      .when([](Context&) -> bool { throw std::runtime_error("no such field"); });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(executions, 0);
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::failed);
  EXPECT_EQ(world.attempts(job, "a", "work")[0].error->message,
            "the condition failed: no such field");
}

TEST(Flow, a_condition_that_throws_keeps_an_async_stage_from_running_too) {
  World world;
  bool ran = false;
  WorkflowBuilder build("conditional");
  build
      .async_stage("work",
                   [&](const std::shared_ptr<AsyncAttempt>& attempt) {
                     ran = true;
                     attempt->complete(Output{});
                   })
      .when([](Context&) -> bool { throw std::runtime_error("no idea"); });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_FALSE(ran);
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0].result, AttemptResult::failure);
  EXPECT_NE(attempts[0].error->message.find("no idea"), std::string::npos);
  world.expect_sound();
}

TEST(Flow, five_children_two_fail_and_a_retry_runs_exactly_two_more) {
  World world;
  std::map<std::string, int> executions;
  bool fixed = false;
  WorkflowBuilder build("fan_out");
  build
      .stage("enrich",
             [](Context&, std::stop_token) -> Outcome {
               FanOut out;
               for (int i = 0; i < 5; ++i)
                 out.children.push_back({.key = "source-" + std::to_string(i), .data = i});
               return out;
             })
      .each([&](Context& context, std::stop_token) -> Outcome {
        ++executions[context.child()->key];
        const bool bad = context.child()->key == "source-1" || context.child()->key == "source-3";
        if (bad && !fixed) return final_error("source is down");
        return Output{.json = context.child()->data};
      });
  std::vector<std::string> outputs;
  build
      .stage("merge",
             [&](Context& context, std::stop_token) -> Outcome {
               EXPECT_TRUE(context.for_each_child_of("enrich", [&](const EndedChild& child) {
                 outputs.push_back(child.key + "=" + child.output.text());
                 return true;
               }));
               return Output{};
             })
      .needs("enrich");
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "enrich"), StateKind::failed);
  EXPECT_EQ(executions.size(), 5u);

  fixed = true;
  ASSERT_TRUE(world.engine->act(Rerun{.task = world.task(job, "a", "enrich").id}));
  world.run();
  int total = 0;
  for (const auto& [key, count] : executions) total += count;
  EXPECT_EQ(total, 7);
  EXPECT_EQ(world.kind(job, "a", "enrich"), StateKind::succeeded);
  EXPECT_THAT(outputs,
              ElementsAre("source-0=0", "source-1=1", "source-2=2", "source-3=3", "source-4=4"));
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Flow, a_tolerated_child_failure_lets_the_parent_succeed_and_can_still_be_retried) {
  World world;
  bool fixed = false;
  WorkflowBuilder build("fan_out");
  build
      .stage("enrich",
             [](Context&, std::stop_token) -> Outcome {
               return FanOut{.children = {{.key = "good", .data = 1}, {.key = "bad", .data = 2}}};
             })
      .each([&](Context& context, std::stop_token) -> Outcome {
        if (context.child()->key == "bad" && !fixed) return final_error("down");
        return Output{};
      })
      .tolerate_failures({.percent = 50});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "enrich"), StateKind::succeeded);
  EXPECT_EQ(world.state(job), JobState::failed) << "tolerated or not, a task Failed";
  fixed = true;
  const auto dead = *world.store->records().tasks({.state = StateKind::failed});
  ASSERT_EQ(dead.size(), 1u);
  ASSERT_TRUE(world.engine->act(Rerun{.task = dead[0].id}));
  world.run();
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

// The gate judges the join; a rejection makes a new expansion.
TEST(Flow, a_gate_judges_the_join_and_a_rejection_expands_anew) {
  World world;
  int expansions = 0;
  int judged = 0;
  WorkflowBuilder build("judged");
  build
      .stage("search",
             [&](Context& context, std::stop_token) -> Outcome {
               ++expansions;
               EXPECT_EQ(context.feedback().has_value(), expansions > 1);
               return FanOut{.children = {{.key = "x", .data = 1}, {.key = "y", .data = 2}}};
             })
      .each(succeed)
      .join([](Context& context, std::stop_token) -> Outcome {
        int children = 0;
        EXPECT_TRUE(context.for_each_child([&](const EndedChild&) { return ++children > 0; }));
        return Output{.json = children};
      })
      .gate("enough",
            [&](const GateContext& gate, std::stop_token) {
              EXPECT_EQ(gate.output.json.text(), "2") << "only children of the current expansion";
              return ++judged == 1 ? rejected({.summary = "look again"}) : accepted();
            })
      .retry({.max_attempts = 3});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(expansions, 2);
  EXPECT_EQ(world.kind(job, "a", "search"), StateKind::succeeded);
  EXPECT_EQ(world.attempts(job, "a", "search").size(), 4u) << "expand, join, expand, join";
  world.expect_sound();
}

TEST(Flow, ten_thousand_children_are_nothing_special) {
  World world;
  std::int64_t sum = 0;
  WorkflowBuilder build("wide");
  build
      .stage("split",
             [](Context&, std::stop_token) -> Outcome {
               FanOut out;
               for (int i = 0; i < 10'000; ++i)
                 out.children.push_back({.key = std::to_string(i), .data = i});
               return out;
             })
      .each([](Context& context, std::stop_token) -> Outcome {
        return Output{.json = context.child()->data};
      })
      .join([&](Context& context, std::stop_token) -> Outcome {
        EXPECT_TRUE(context.for_each_child([&](const EndedChild& child) {
          sum += *JsonView(child.output).integer();
          return true;
        }));
        return Output{.json = sum};
      });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(sum, 49'995'000);
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Flow, children_with_equal_keys_are_refused_with_the_key) {
  World world;
  WorkflowBuilder build("twice");
  build.stage("split", [](Context&, std::stop_token) -> Outcome {
    return FanOut{.children = {{.key = "same", .data = 1}, {.key = "same", .data = 2}}};
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.attempts(job, "a", "split")[0].error->message,
            "two fan-out children have the key 'same'");
}

// I10
TEST(Flow, a_reduce_sees_every_item_once_with_its_state_and_runs_also_without_items) {
  World world;
  std::map<std::string, ItemState> seen;
  int reduces = 0;
  WorkflowBuilder build("reduce");
  build.stage("map", [](Context& context, std::stop_token) -> Outcome {
    if (context.item_key() == "item-1") return final_error("bad");
    return Output{.json = context.data()};
  });
  build
      .all_items_stage("report",
                       [&](Context& context, std::stop_token) -> Outcome {
                         ++reduces;
                         seen.clear();
                         EXPECT_TRUE(context.for_each_item([&](const SettledItem& one) {
                           EXPECT_TRUE(seen.emplace(one.item.key, one.item.state).second);
                           return true;
                         }));
                         return Output{.json = seen.size()};
                       })
      .needs("map");
  const Program program = built(build);
  const JobId job = world.submit(program, numbered(4));
  world.run();
  EXPECT_EQ(reduces, 1);
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen["item-1"], ItemState::failed);
  EXPECT_EQ(world.state(job), JobState::failed);
  EXPECT_EQ(world.kind(job, "", "report"), StateKind::succeeded);

  const JobId empty = world.submit(program, {});
  world.run();
  EXPECT_EQ(reduces, 2);
  EXPECT_EQ(world.state(empty), JobState::completed);
  world.expect_sound();
}

// rerun: a job-wide stage downstream runs again
TEST(Flow, a_retried_item_makes_the_reduce_run_again) {
  World world;
  bool works = false;
  std::vector<std::int64_t> reports;
  WorkflowBuilder build("reduce");
  build.stage("map", [&](Context& context, std::stop_token) -> Outcome {
    if (context.item_key() == "item-0" && !works) return final_error("bad");
    return Output{};
  });
  build
      .all_items_stage("report",
                       [&](Context& context, std::stop_token) -> Outcome {
                         std::int64_t good = 0;
                         EXPECT_TRUE(context.for_each_item([&](const SettledItem& one) {
                           good += one.item.state == ItemState::succeeded ? 1 : 0;
                           return true;
                         }));
                         reports.push_back(good);
                         return Output{};
                       })
      .needs("map");
  const JobId job = world.submit(built(build), numbered(3));
  world.run();
  works = true;
  ASSERT_TRUE(world.engine->act(Rerun{.task = world.task(job, "item-0", "map").id}));
  world.run();
  EXPECT_THAT(reports, ElementsAre(2, 3));
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

// A payload over the inline limit is a reference in the record and whole downstream.
TEST(Flow, a_large_output_is_kept_as_a_payload_and_read_whole_downstream) {
  World world;
  const std::string large(200'000, 'x');
  std::size_t seen = 0;
  WorkflowBuilder build("large");
  build.stage("make", [&](Context&, std::stop_token) -> Outcome { return Output{.json = large}; });
  build
      .stage("use",
             [&](Context& context, std::stop_token) -> Outcome {
               seen = JsonView(context.upstream("make")->json).string()->size();
               return Output{};
             })
      .needs("make");
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(seen, large.size());
  EXPECT_LT(world.attempts(job, "a", "make")[0].output.size(), 200u);
}

TEST(Flow, an_output_that_looks_like_a_reference_to_a_payload_is_not_taken_for_one) {
  World world;
  const std::string secret = *world.store->keep_payload("\"of another job\"");
  const Json forged = Json::object({{"$ref", "sha256:" + secret}, {"size", 16}});
  Json seen;
  WorkflowBuilder build("forged");
  build.stage("make", [&](Context&, std::stop_token) -> Outcome { return Output{.json = forged}; });
  build
      .stage("use",
             [&](Context& context, std::stop_token) -> Outcome {
               seen = context.upstream("make")->json;
               return Output{};
             })
      .needs("make");
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(seen, forged);
  const Json recorded = world.attempts(job, "a", "make")[0].output;
  EXPECT_NE(recorded, forged);
  EXPECT_EQ(*whole_output(world.store->records(), recorded), forged);
  world.expect_sound();
}

TEST(Flow, a_stage_may_skip_and_a_stage_may_ask_for_review) {
  World world;
  WorkflowBuilder build("choices");
  build.stage("work", [](Context& context, std::stop_token) -> Outcome {
    if (context.item_key() == "skip") return Skip{"nothing to do"};
    return NeedsReview{.output = {.json = 7}, .why = "looks odd"};
  });
  const JobId job = world.submit(built(build), items({"skip", "ask"}));
  world.run();
  EXPECT_EQ(world.kind(job, "skip", "work"), StateKind::skipped);
  ASSERT_EQ(world.open_reviews(job).size(), 1u);
  EXPECT_EQ(world.open_reviews(job)[0].reason, ReviewReason::requested);
  EXPECT_TRUE(waits_for_people(world.job(job)));
}

}  // namespace
}  // namespace pawl
