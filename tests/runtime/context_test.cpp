/// What stages and gates are given to work with.

#include <latch>
#include <mutex>
#include <set>

#include <gmock/gmock.h>

#include "pawl/codec/json.hpp"
#include "pawl/store/results.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;

TEST(Contexts, of_a_retry_have_its_number_its_feedback_and_what_is_upstream) {
  World world;
  std::vector<std::string> seen;
  WorkflowBuilder build("given");
  build.stage("draft", [](Context&, std::stop_token) -> Outcome { return Output{.json = "text"}; });
  build
      .stage("check",
             [&](Context& context, std::stop_token) -> Outcome {
               seen.push_back(context.item_key() + " " + context.stage_name() + " " +
                              std::to_string(context.attempt()) + "/" +
                              std::to_string(context.max_attempts()) + " " +
                              *JsonView(context.upstream("draft")->json).string() + ", " +
                              (context.feedback() ? context.feedback()->summary : "no feedback"));
               if (context.attempt() == 1) return retryable("busy");
               return Output{};
             })
      .needs("draft")
      .gate("length",
            [](const GateContext& gate, std::stop_token) {
              return gate.attempt == 2 ? rejected({.summary = "too short"}) : accepted();
            })
      .retry({.max_attempts = 3});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_THAT(seen, ElementsAre("a check 1/3 text, no feedback", "a check 2/3 text, Error: busy",
                                "a check 3/3 text, too short"));
  EXPECT_EQ(world.attempts(job, "a", "draft").size(), 1u) << "the attempts of stages stay apart";
  EXPECT_EQ(world.attempts(job, "a", "check").size(), 3u);
  world.expect_sound();
}

TEST(Contexts, hand_on_a_typed_value_without_json_and_nothing_of_it_is_stored) {
  World world;
  int sum = 0;
  WorkflowBuilder build("opaque");
  build.stage("make", [](Context&, std::stop_token) -> Outcome {
    return Output{.typed = Artifact::of(std::vector<int>{1, 2, 3})};
  });
  build
      .stage("use",
             [&](Context& context, std::stop_token) -> Outcome {
               const Upstream made = *context.upstream("make");
               EXPECT_EQ(made.json, Json());
               for (const int number : *made.typed.as<std::vector<int>>()) sum += number;
               return Output{};
             })
      .needs("make");
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(sum, 6);
  const Attempt attempt = world.attempts(job, "a", "make").at(0);
  EXPECT_EQ(attempt.output, Json());
  EXPECT_TRUE(attempt.artifacts.empty());
  EXPECT_EQ(world.state(job), JobState::completed);
}

struct Page {
  std::string title;
};
Json to_json(const Page& page) { return Json::object({{"title", page.title}}); }

TEST(Contexts, hand_on_a_typed_value_as_the_json_that_its_type_says) {
  World world;
  Json judged;
  WorkflowBuilder build("typed");
  build
      .stage("make",
             [](Context&, std::stop_token) -> Outcome {
               return Output{.typed = Artifact::of(Page{"News"})};
             })
      .gate("look", [&](const GateContext& gate, std::stop_token) {
        judged = gate.output.json;
        return accepted();
      });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.attempts(job, "a", "make").at(0).output.text(), R"({"title":"News"})");
  EXPECT_EQ(judged.text(), R"({"title":"News"})");
  static_assert(!HasJson<std::vector<int>>);
}

TEST(Contexts, of_a_gate_have_the_stage_the_item_the_attempt_and_the_records_before) {
  World world;
  std::vector<std::string> seen;
  WorkflowBuilder build("judged");
  build
      .stage("work",
             [](Context& context, std::stop_token) -> Outcome {
               return Output{.json = static_cast<int>(context.attempt())};
             })
      .gate("judge",
            [&](const GateContext& gate, std::stop_token) {
              std::string given = gate.task.item_key() + " " + gate.task.stage_name() + " " +
                                  std::to_string(gate.attempt) + "/" +
                                  std::to_string(gate.max_attempts);
              for (const Attempt& before : gate.previous_attempts) {
                EXPECT_EQ(before.verdict, Verdict::rejected);
                given += ", " + std::to_string(before.number) + ": output " + before.output.text() +
                         " " + before.feedback->summary;
              }
              seen.push_back(given);
              return rejected({.summary = "no " + std::to_string(gate.attempt)});
            })
      .retry({.max_attempts = 3});
  world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_THAT(seen, ElementsAre("a work 1/3", "a work 2/3, 1: output 1 no 1",
                                "a work 3/3, 1: output 1 no 1, 2: output 2 no 2"));
}

// The latch opens only when two gates run at once.
TEST(Threads, gates_judge_different_items_at_once_and_never_the_same_one) {
  auto engine =
      std::move(*Engine::create(open_memory_store(system_clock()), {.threads = 2, .parallel = 2}));
  std::latch both(2);
  std::mutex mutex;
  std::set<std::string> judged_now;
  int judgements = 0;
  bool overlapped = false;
  WorkflowBuilder build("judged");
  build.stage("work", succeed)
      .gate("judge",
            [&](const GateContext& gate, std::stop_token) {
              {
                const std::lock_guard lock(mutex);
                ++judgements;
                if (!judged_now.insert(gate.task.item_key()).second) overlapped = true;
              }
              if (gate.is_first_attempt()) both.arrive_and_wait();
              const std::lock_guard lock(mutex);
              judged_now.erase(gate.task.item_key());
              return gate.is_final_attempt() ? accepted() : rejected({.summary = "again"});
            })
      .retry({.max_attempts = 3});
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), items({"a", "b"}));
  EXPECT_EQ(state_of(*engine->wait(job)), JobState::completed);
  engine->stop();
  EXPECT_EQ(judgements, 6);
  EXPECT_FALSE(overlapped);
}

TEST(MediaLibrary, is_scanned_identified_enriched_reviewed_and_exported) {
  World world;
  std::vector<std::string> exported;
  WorkflowBuilder build("media");
  build.stage("scan", [](Context& context, std::stop_token) -> Outcome {
    return Output{.json = Json::object({{"file", context.item_key()}})};
  });
  build
      .stage("identify",
             [](Context& context, std::stop_token) -> Outcome {
               const Json found = context.upstream("scan")->json;
               return Output{.json = "title of " + *field(found, "file").string()};
             })
      .needs("scan");
  build
      .stage("enrich",
             [](Context&, std::stop_token) -> Outcome {
               return FanOut{.children = {{.key = "cast"}, {.key = "poster"}}};
             })
      .each([](Context& context, std::stop_token) -> Outcome {
        return Output{.json = context.child()->key + " found"};
      })
      .needs("identify");
  build.human_stage("review").needs("enrich");
  build
      .stage("export",
             [&](Context& context, std::stop_token) -> Outcome {
               std::string entry = *JsonView(context.upstream("identify")->json).string();
               EXPECT_TRUE(context.for_each_child_of("enrich", [&](const EndedChild& child) {
                 entry += ", " + *JsonView(child.output).string();
                 return true;
               }));
               exported.push_back(entry);
               return Output{};
             })
      .needs("review");
  const JobId job = world.submit(built(build), items({"film.mkv"}));
  world.run();
  ASSERT_EQ(world.open_reviews(job).size(), 1u) << "one review, after the enrichment";
  EXPECT_EQ(world.kind(job, "film.mkv", "enrich"), StateKind::succeeded);
  EXPECT_TRUE(exported.empty());
  ASSERT_TRUE(world.engine->answer(world.open_reviews(job)[0].id,
                                   {.outcome = ReviewOutcome::approve, .reviewer = "ada"}));
  world.run();
  EXPECT_THAT(exported, ElementsAre("title of film.mkv, cast found, poster found"));
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

}  // namespace
}  // namespace pawl
