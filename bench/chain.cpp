#include "bench/chain.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "pawl/codec/digest.hpp"

namespace pawl::bench {

namespace {

Outcome trivial_stage(Context&, std::stop_token) { return Output{.json = stage_output()}; }

Judgement reject_the_first(const GateContext& judged, std::stop_token) {
  if (judged.attempt > 1) return accepted();
  return rejected({.summary = "once more, please", .criteria = {}, .guidance = {}});
}

Program built(const WorkflowBuilder& builder) {
  auto program = builder.build();
  if (!program) give_up(text_of(program.error()));
  return *std::move(program);
}

WorkflowBuilder chain_builder(const std::string& name) {
  WorkflowBuilder builder(name);
  for (std::int64_t i = 1; i <= chain_length; ++i) {
    StageBuilder stage = builder.stage("stage" + std::to_string(i), trivial_stage);
    if (i > 1) stage.needs("stage" + std::to_string(i - 1));
  }
  return builder;
}

}  // namespace

const Json& stage_output() {
  static const Json output =
      Json::trusted(R"({"words":4214,"language":"en","confidence":0.97,"pages":123})");
  return output;
}

Program chain() { return built(chain_builder("chain")); }

Program rejecting_chain() {
  WorkflowBuilder builder = chain_builder("rejecting_chain");
  for (std::int64_t i = 1; i <= chain_length; ++i) {
    const std::string stage = "stage" + std::to_string(i);
    builder.gate(stage, "not_at_once", reject_the_first);
    builder.retry(stage, {.max_attempts = 2});
  }
  return built(builder);
}

Program one_stage() {
  WorkflowBuilder builder("one_stage");
  builder.stage("stage1", trivial_stage);
  return built(builder);
}

Program failing_stage() {
  WorkflowBuilder builder("failing");
  builder
      .stage("fails",
             [](Context&, std::stop_token) -> Outcome { return retryable("not today", "busy"); })
      .retry({.max_attempts = 3, .backoff = {.initial = std::chrono::hours(24)}});
  return built(builder);
}

NewItem nth_item(std::int64_t n, Keys keys) {
  std::string digits = std::to_string(n);
  if (keys == Keys::hashed) {
    return {.key = sha256_hex(digits), .data = Json::object({{"n", n}})};
  }
  digits.insert(0, 9 - std::min<std::size_t>(9, digits.size()), '0');
  return {.key = "item-" + digits, .data = Json::object({{"n", n}})};
}

ItemSource items_up_to(std::int64_t count, Keys keys) {
  return [next = std::int64_t{0}, count, keys](std::vector<NewItem>& page) mutable -> Result<bool> {
    const std::int64_t end = std::min(next + items_per_page, count);
    for (; next < end; ++next) page.push_back(nth_item(next, keys));
    return next < count;
  };
}

JobId submit_to(Store& store, const Program& program, std::int64_t items, Keys keys) {
  const JobId job = must(store.create_job({.workflow = program.workflow()}), "a job").id;
  const ItemSource source = items_up_to(items, keys);
  for (bool more = true; more;) {
    std::vector<NewItem> page;
    more = *source(page);
    must(store.add_items({.job = job, .items = page, .close = !more}), "items");
  }
  return job;
}

Sample run_to_the_end(const std::shared_ptr<Store>& store, const Program& program, JobId job,
                      const std::filesystem::path& database) {
  const std::unique_ptr<Engine> engine = must(Engine::create(store), "an engine");
  engine->serve(program);
  std::optional<Watch> watch;
  if (!database.empty()) watch.emplace(database);

  const Stopwatch time;
  engine->start();
  const Job ended = must(engine->wait(job), "waiting for the job");
  Sample sample{.seconds = time.seconds(),
                .processor = time.processor(),
                .executions = ended.attempts_opened};

  if (state_of(ended) != JobState::completed) give_up("the job did not complete");
  engine->stop();
  if (watch) sample.wrote = watch->wrote();
  return sample;
}

}  // namespace pawl::bench
