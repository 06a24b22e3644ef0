/// Stages, gates, conditions and deciders that return bytes that are not text.

#include "pawl/core/text.hpp"

#include <stdexcept>
#include <string>

#include <gmock/gmock.h>

#include "pawl/codec/json.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using namespace std::string_literals;
using testing::HasSubstr;

const std::string bad =
    "Gr\xF6\xDF"
    "e\0"s;
const std::string good = "Gr\uFFFD\uFFFDe\uFFFD";
const Json bad_json = Json::trusted("{\"a\":\"\xF6 \\ud800\"}");
const Json good_json = Json::trusted("{\"a\":\"\uFFFD \uFFFD\"}");

Attempt only_attempt(World& world, JobId job, const std::string& stage = "a") {
  const std::vector<Attempt> attempts = world.attempts(job, "x", stage);
  EXPECT_EQ(attempts.size(), 1U);
  return attempts.empty() ? Attempt{} : attempts.front();
}

StageFunction returning(Outcome outcome) {
  return [outcome](Context&, std::stop_token) { return outcome; };
}

TEST(BytesOfStages, are_text_in_the_record_whatever_the_outcome) {
  const std::vector<ArtifactRecord> artifacts{{.name = bad, .reference = bad, .summary = bad_json}};
  const auto attempt_after = [](const Outcome& outcome) {
    World world;
    WorkflowBuilder build("w");
    build.stage("a", returning(outcome));
    const JobId job = world.submit(built(build), items({"x"}));
    world.run();
    world.expect_sound();
    return only_attempt(world, job);
  };
  const auto expect_artifact = [](const Attempt& attempt) {
    ASSERT_EQ(attempt.artifacts.size(), 1U);
    EXPECT_EQ(attempt.artifacts.front().name, good);
    EXPECT_EQ(attempt.artifacts.front().reference, good);
    EXPECT_EQ(attempt.artifacts.front().summary, good_json);
  };
  const Output output{.json = bad_json, .summary = bad, .artifacts = artifacts};

  const Attempt done = attempt_after(output);
  EXPECT_EQ(done.output, good_json);
  EXPECT_EQ(done.summary, good);
  expect_artifact(done);

  const Attempt broken = attempt_after(Failure{
      .error = {.error_class = ErrorClass::final, .code = bad, .message = bad, .details = bad_json},
      .artifacts = artifacts});
  EXPECT_EQ(broken.error->code, good);
  EXPECT_EQ(broken.error->message, good);
  EXPECT_EQ(broken.error->details, good_json);
  EXPECT_EQ(broken.summary, "Error: " + good);
  expect_artifact(broken);

  EXPECT_EQ(attempt_after(blocked(bad, bad_json)).error->message, good);
  const Attempt skipped = attempt_after(Skip{.why = bad, .artifacts = artifacts});
  EXPECT_EQ(skipped.summary, good);
  expect_artifact(skipped);
  const Attempt asked = attempt_after(NeedsReview{.output = output, .why = bad});
  EXPECT_EQ(asked.summary, good);
  EXPECT_EQ(asked.output, good_json);
}

TEST(BytesOfStages, that_are_thrown_are_text_in_the_record) {
  World world;
  WorkflowBuilder build("w");
  build.stage("a", [](Context&, std::stop_token) -> Outcome { throw std::runtime_error(bad); });
  const JobId job = world.submit(built(build), items({"x"}));
  world.run();
  EXPECT_EQ(only_attempt(world, job).error->message, "Gr\uFFFD\uFFFDe")
      << "what() ends at the zero byte";
}

TEST(BytesOfStages, in_a_long_output_are_text_where_it_is_kept_and_what_gates_judge) {
  World world;
  Json judged;
  WorkflowBuilder build("w");
  const std::string long_text(200'000, 'x');
  build
      .stage("a",
             returning(Output{.json = Json::trusted("{\"a\":\"\xF6 \\ud800" + long_text + "\"}")}))
      .gate("g", [&](const GateContext& context, std::stop_token) {
        judged = context.output.json;
        return accepted();
      });
  const JobId job = world.submit(built(build), items({"x"}));
  world.run();
  const Json kept = *field(only_attempt(world, job).output, "$ref").json();
  const std::string sha256 = JsonView(kept).string()->substr(std::string("sha256:").size());
  EXPECT_EQ(*world.store->records().payload(sha256), "{\"a\":\"\uFFFD \uFFFD" + long_text + "\"}");
  EXPECT_EQ(judged.text(), "{\"a\":\"\uFFFD \uFFFD" + long_text + "\"}");
  world.expect_sound();
}

TEST(BytesOfStages, in_keys_of_children_make_them_equal_which_is_a_fault_that_shows) {
  const auto job_of = [](World& world, std::vector<NewChild> children) {
    WorkflowBuilder build("w");
    build.stage("a",
                [children = std::move(children)](Context& context, std::stop_token) -> Outcome {
                  if (context.child() != nullptr) return Output{};
                  return FanOut{.children = children, .summary = bad};
                });
    const JobId job = world.submit(built(build), items({"x"}));
    world.run();
    world.expect_sound();
    return job;
  };
  World one;
  const JobId fine = job_of(one, {{"a\xFF", bad_json}, {"b\0"s, bad_json}});
  EXPECT_EQ(one.state(fine), JobState::completed);
  EXPECT_EQ(one.attempts(fine, "x", "a").front().summary, good);
  const auto children =
      *one.store->records().tasks({.parent = one.task(fine, "x", "a").id, .limit = 10});
  ASSERT_EQ(children.size(), 2U);
  EXPECT_EQ(children.front().child->key, "a\uFFFD");
  EXPECT_EQ(children.front().child->data, good_json);

  World two;
  const JobId equal = job_of(two, {{"a\xFF", {}}, {"a\xFE", {}}});
  EXPECT_EQ(two.state(equal), JobState::failed);
  EXPECT_EQ(only_attempt(two, equal).error->message, "two fan-out children have the key 'a\uFFFD'");
}

TEST(BytesOfGates, are_text_in_the_record) {
  World world;
  WorkflowBuilder build("w");
  const auto gated = [&](const std::string& name, GateFunction gate) {
    build.stage(name, succeed).gate("g", std::move(gate));
  };
  gated("rejects", [](const GateContext&, std::stop_token) {
    return rejected({.summary = bad, .criteria = {{bad, bad, bad, false}}, .guidance = bad_json});
  });
  gated("doubts", [](const GateContext&, std::stop_token) { return uncertain(bad); });
  gated("throws",
        [](const GateContext&, std::stop_token) -> Judgement { throw std::runtime_error(bad); });
  const JobId job = world.submit(built(build), items({"x"}));
  world.run();
  EXPECT_EQ(
      *only_attempt(world, job, "rejects").feedback,
      (Feedback{.summary = good, .criteria = {{good, good, good, false}}, .guidance = good_json}));
  EXPECT_EQ(only_attempt(world, job, "doubts").verdict_reason, good);
  EXPECT_EQ(only_attempt(world, job, "throws").error->message, "gate 'g' failed: Gr\uFFFD\uFFFDe");
  world.expect_sound();
}

TEST(BytesOfDeciders, are_text_in_the_record_and_deciders_see_the_record) {
  World world;
  std::string seen;
  WorkflowBuilder build("w");
  const Decider decider = [&](const StageDefinition&, const Attempt& closed) -> Advice {
    seen = closed.error->message;
    return MarkDead{.reason = bad + closed.error->message};
  };
  build.stage("a", returning(retryable(bad))).decider("moods", decider);
  const JobId job = world.submit(built(build), items({"x"}));
  world.run();
  EXPECT_EQ(seen, good);
  EXPECT_EQ(only_attempt(world, job).decision.reason, good + good);
  const Result<Verification> checked =
      verify(world.store->records(), {.decider = [&](std::string_view) { return decider; }});
  ASSERT_TRUE(checked);
  EXPECT_EQ(checked->decisions_not_checked, 0);
  EXPECT_TRUE(checked->ok()) << checked->violations.front().message;
}

TEST(BytesOfConditions, are_text_in_the_record) {
  World world;
  WorkflowBuilder build("w");
  build.stage("a", succeed).when([](Context&) -> bool { throw std::runtime_error(bad); });
  const JobId job = world.submit(built(build), items({"x"}));
  world.run();
  EXPECT_THAT(only_attempt(world, job).error->message, HasSubstr("Gr\uFFFD\uFFFDe"));
}

TEST(BytesOfSubmissions, are_text_for_the_stages_that_work_on_them) {
  World world;
  std::string key;
  Json data;
  Json params;
  WorkflowBuilder build("w");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    key = context.item_key();
    data = context.data();
    params = context.job_params();
    return Output{};
  });
  world.submit(built(build), {NewItem{.key = bad, .data = bad_json}}, {.params = bad_json});
  world.run();
  EXPECT_EQ(key, good);
  EXPECT_EQ(data, good_json);
  EXPECT_EQ(params, good_json);
}

TEST(BytesInDefinitions, are_refused_before_anything_runs) {
  WorkflowBuilder build("w\xFF");
  build.stage("a\xFF", succeed).gate("g\xFF", [](const GateContext&, std::stop_token) {
    return accepted();
  });
  const auto program = build.build();
  ASSERT_FALSE(program);
  const std::string faults = text_of(program.error());
  EXPECT_THAT(faults, HasSubstr("the workflow: the name 'w\uFFFD' is not UTF-8"));
  EXPECT_THAT(faults, HasSubstr("stage 1: the name 'a\uFFFD' is not UTF-8"));
  EXPECT_THAT(faults, HasSubstr("the gate 'g\uFFFD' is not UTF-8 without NUL"));
}

}  // namespace
}  // namespace pawl
