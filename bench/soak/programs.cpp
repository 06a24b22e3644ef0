#include "bench/soak/programs.hpp"

#include "bench/measure.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/runtime/context.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::soak {

namespace {

using namespace std::chrono_literals;

std::int64_t number_of_item(Context& context) {
  return JsonView(context.data()).integer().value_or(0);
}

Output output_of(std::int64_t number) {
  return {.json = Json::object({{"number", number}, {"words", 4'214}}),
          .usage = {.cost_microusd = 10, .tokens = 3}};
}

/// Fails sometimes: for a while, or until an operator retries it.
Outcome prepare(Context& context, std::stop_token) {
  const std::int64_t number = number_of_item(context);
  if (number % 23 == 0 && context.task().epoch == 1) return final_error("cannot be read", "65");
  if (number % 7 == 0 && context.attempt() == 1) return retryable("busy", "75");
  if (number % 11 == 0 && context.attempt() == 1) return rate_limited("not so fast", 100ms);
  if (number % 31 == 0 && context.attempt() == 1) throw std::runtime_error("thrown");
  return output_of(number);
}

Outcome refine(Context& context, std::stop_token) {
  const std::int64_t number = number_of_item(context);
  if (number % 29 == 0) return Skip{.why = "nothing to do"};
  if (number % 9 == 0) return NeedsReview{.output = output_of(number), .why = "by its number"};
  if (number % 13 == 0) {
    FanOut split;
    for (const char* const key : {"one", "two", "three"}) {
      split.children.push_back({.key = key, .data = Json(number)});
    }
    return split;
  }
  return output_of(number);
}

/// Some outputs are too large for a row.
Outcome publish(Context& context, std::stop_token) {
  const std::int64_t number = number_of_item(context);
  if (number % 37 != 0) return output_of(number);
  return Output{.json = Json(std::string(80'000, static_cast<char>('a' + number % 26)))};
}

Program built(const WorkflowBuilder& builder) {
  auto program = builder.build();
  if (!program) bench::give_up(text_of(program.error()));
  return *std::move(program);
}

}  // namespace

Program mixed() {
  WorkflowBuilder builder("mixed");
  builder.stage("prepare", prepare)
      .retry({.max_attempts = 3, .backoff = {.initial = 50ms, .max = 1s, .jitter = 0.2}});
  builder.stage("refine", refine)
      .needs("prepare")
      .each([](Context&, std::stop_token) -> Outcome { return output_of(1); })
      .join([](Context&, std::stop_token) -> Outcome { return output_of(3); })
      .gate("quality",
            [](const GateContext& gate, std::stop_token) {
              const bool rejects = JsonView(gate.task.data()).integer().value_or(0) % 5 == 0 &&
                                   gate.is_first_attempt();
              return rejects ? rejected({.summary = "try harder"}) : accepted();
            })
      .retry({.max_attempts = 3, .on_exhausted = OnExhausted::escalate})
      .review(ReviewPolicy::on_escalation_or_uncertain);
  builder.stage("publish", publish).needs("refine");
  return built(builder);
}

Program lone() {
  const auto nothing = [](Context&, std::stop_token) -> Outcome { return output_of(0); };
  WorkflowBuilder builder("lone");
  builder.stage("first", nothing);
  builder.stage("second", nothing).needs("first");
  builder.stage("third", nothing).needs("second");
  return built(builder);
}

Workflow commands(const std::string& name, const std::string& value) {
  const auto file = load_workflow_file(
      "version: 1\nworkflow: commands\nstages:\n  wait:\n    run: [sleep, \"0.1\"]\n"
      "    env: { " +
          name + ": \"" + value + "\" }\n",
      {});
  if (!file) bench::give_up("the workflow of commands: " + file.error().front().message);
  return file->workflow;
}

}  // namespace pawl::soak
