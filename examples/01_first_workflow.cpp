/// The smallest useful program: two stages, three items, results read back from the records.
///
/// Shows: the builder, `submit`, `wait`, and that everything a stage produced is a record of the
/// store, to be read by any program at any time.
///
/// Run it: 01_first_workflow [STORE]      (without STORE: in a temporary folder)

#include <cstdio>
#include <string>

#include "lesson.hpp"
#include "pawl/pawl.hpp"

namespace {

using lesson::must;
using lesson::promise;

/// A stage is a function. It gets a context that knows the item, and a stop token that asks it to
/// end early; this one is too quick to look at it.
pawl::Outcome count_words(pawl::Context& context, std::stop_token) {
  const std::string text = pawl::JsonView(context.data()).string().value_or("");
  std::int64_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    if (c != ' ' && !in_word) ++words;
    in_word = c != ' ';
  }
  return pawl::Output{.json = pawl::Json::object({{"words", words}}),
                      .summary = std::to_string(words) + " words"};
}

/// It reads what the stage before it produced. That is JSON: it survives a restart.
pawl::Outcome judge_length(pawl::Context& context, std::stop_token) {
  const auto counted = context.upstream("count_words");
  if (!counted) return pawl::final_error(counted.error().text());
  const auto words = pawl::field(counted->json, "words").integer();
  if (!words) return pawl::final_error(words.error().text());
  const std::string length = *words > 5 ? "long" : "short";
  return pawl::Output{.json = pawl::Json::object({{"length", length}}), .summary = length};
}

void first_workflow(const std::filesystem::path& path) {
  // 1. A workflow is a graph of named stages. `build` checks it and tells every fault at once.
  pawl::WorkflowBuilder build("sentences");
  build.stage("count_words", count_words);
  build.stage("judge_length", judge_length).needs("count_words");
  const pawl::Program sentences = must(build.build());

  // 2. An engine works on a store and brings the code.
  const auto store = must(pawl::open_sqlite_store({.path = path}));
  const auto engine = must(pawl::Engine::create(store));
  engine->serve(sentences);
  engine->start();

  // 3. A job is one submission of the workflow over any number of items.
  const pawl::JobId id = must(
      engine->submit(sentences.workflow(),
                     {{.key = "pawl", .data = "A pawl lets a ratchet turn forward and never back"},
                      {.key = "greeting", .data = "Hello there"},
                      {.key = "rain", .data = "The rain fell all night on the tin roof"}}));
  const pawl::Job job = must(engine->wait(id));
  engine->stop();

  // 4. What happened is in the records.
  std::printf("job %lld is %s: %lld of %lld items succeeded\n\n",
              static_cast<long long>(job.id.value()),
              std::string(pawl::name_of(pawl::state_of(job))).c_str(),
              static_cast<long long>(job.items.succeeded), static_cast<long long>(job.items.total));
  std::printf("%-10s  %-14s  %-8s  %s\n", "item", "stage", "attempt", "output");
  int outputs = 0;
  for (const pawl::Item& item : must(store->records().items({.job = id}))) {
    for (const pawl::StageOutput& output : must(store->records().outputs(item.id))) {
      const std::string& stage = sentences.workflow().stage(output.stage).name;
      std::printf("%-10s  %-14s  %-8u  %s\n", item.key.c_str(), stage.c_str(), output.attempt,
                  output.output.text().c_str());
      ++outputs;
    }
  }
  promise(pawl::state_of(job) == pawl::JobState::completed, "the job is completed");
  promise(outputs == 6, "three items have two outputs each");
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, first_workflow); }
