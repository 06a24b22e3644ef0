#include "bench/service_store.hpp"

#include <algorithm>
#include <string>

#include "bench/grown_store.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::bench {

namespace {

constexpr std::int64_t jobs = 10;
constexpr std::int64_t attempts_of_an_item = 2 * chain_length;

Program waiting_for_reviewers() {
  WorkflowBuilder builder("reviewed");
  builder.stage("draft", [](Context&, std::stop_token) { return Output{.json = stage_output()}; })
      .review(ReviewPolicy::always);
  auto program = builder.build();
  if (!program) give_up(text_of(program.error()));
  return *std::move(program);
}

Program failing_for_good() {
  WorkflowBuilder builder("failing_for_good");
  builder.stage("convert", [](Context& context, std::stop_token) -> Outcome {
    // A few groups of errors.
    const std::int64_t n = field(context.data(), "n").integer().value_or(0);
    return final_error("cannot read page " + std::to_string(n % 7), "unreadable");
  });
  auto program = builder.build();
  if (!program) give_up(text_of(program.error()));
  return *std::move(program);
}

/// Runs items through a program until nothing is left but what waits for people.
void carry_out(const std::shared_ptr<Store>& store, const Program& program, std::int64_t items) {
  const std::unique_ptr<Engine> engine = must(Engine::create(store), "an engine");
  engine->serve(program);
  const JobId job = submit_to(*store, program, items);
  engine->start();
  must(engine->wait(job), "waiting for a job");
  engine->stop();
}

ServiceStore make(const Plan& plan) {
  ServiceStore made{.project = plan.folder / "service",
                    .items = plan.items > 0 ? plan.items : (plan.full ? 100'000 : 10'000),
                    .jobs = jobs};
  constexpr std::int64_t items_min = 100;
  made.items = std::max(made.items - made.items % jobs, items_min);
  made.reviews = made.items / 50;
  made.dead_letters = made.items / 50;
  struct Built {
    std::int64_t attempts;
    double seconds;
  };
  make_project(made.project);
  const Built built = in_child([&] {
    const Stopwatch watch;
    const std::int64_t attempts = grow_store(made.path(), made.items * attempts_of_an_item,
                                             rejecting_chain(), made.items_of_a_job());
    const std::shared_ptr<Store> store =
        must(open_sqlite_store({.path = made.path()}), "the store");
    carry_out(store, waiting_for_reviewers(), made.reviews);
    carry_out(store, failing_for_good(), made.dead_letters);
    return Built{.attempts = attempts, .seconds = watch.seconds()};
  });
  made.attempts = built.attempts;
  made.seconds = built.seconds;
  return made;
}

}  // namespace

const ServiceStore& service_store(const Plan& plan) {
  static const ServiceStore one = make(plan);
  return one;
}

void make_project(const std::filesystem::path& project) {
  std::error_code failed;
  std::filesystem::create_directories(project / ".pawl", failed);
  if (failed) give_up("cannot make the directory '" + project.string() + "'");
  const bool made = in_child([&] {
    must(open_sqlite_store({.path = project / ".pawl/pawl.db"}), "a store");
    return true;
  });
  if (!made) give_up("no store");
}

JobId submit_commands(const std::filesystem::path& project, std::int64_t items) {
  return in_child([&] {
    const auto file = load_workflow_file(
        "version: 1\nworkflow: commands\nstages:\n  run_it:\n    run: [/bin/true]\n", {});
    if (!file) give_up("the workflow of W7: " + file.error().front().message);
    const auto store = must(open_sqlite_store({.path = project / ".pawl/pawl.db"}), "the store");
    const JobOptions options{.labels = Json::object({{"project", project.string()}})};
    return must(submit_to_store(*store, file->workflow, items_up_to(items), options), "items");
  });
}

}  // namespace pawl::bench
