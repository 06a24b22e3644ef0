/// Makes a project with jobs in every state, for the tests of the commands that read and decide.
///
///   make_store DIR
///
/// Job 1, "letters", waits: ada, a/b, list and some hostile keys have a review; bob is a dead
/// letter; carl waits an hour for his next attempt. Job 2, "plain", is completed; its keys are easy
/// to mistake for stages and jobs.

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/sqlite.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pawl;

Outcome draft(Context& context, std::stop_token) {
  const bool is_first = context.attempt() == 1;
  const std::string text = is_first ? "Dear,\nshort\n" : "Dear " + context.item_key() + ",\nlong\n";
  Output output{.json = Json::object({{"text", text}, {"words", is_first ? 2 : 3}}),
                .summary = "a letter"};
  output.artifacts.push_back(
      {.kind = ArtifactKind::standard_output,
       .name = "stdout",
       .size = 12,
       .summary = Json::object({{"bytes", 12}, {"tail", "drafting\x1b[31m\n"}})});
  return output;
}

Judgement is_long_enough(const GateContext& context, std::stop_token) {
  if (context.attempt > 1) return accepted();
  return rejected(
      {.summary = "too short",
       .criteria = {{"greeting", "present", "present", true}, {"words", ">= 3", "2", false}},
       .guidance = {}});
}

StageFunction publish(Store& store) {
  return [&store](Context& context, std::stop_token) -> Outcome {
    if (context.item_key() == "bob") return final_error("encrypted letter", "65");
    if (context.item_key() == "carl") return retryable("printer busy", "75");
    const Result<std::string> kept = store.keep_payload("printed: " + context.item_key() + "\n");
    if (!kept) return final_error(kept.error().message);
    return Output{
        .json = Json::object(
            {{"page",
              Json::object({{"$file", "sha256:" + *kept}, {"name", ".page\n.txt"}, {"size", 12}})},
             {"copies", 1}})};
  };
}

Outcome count(Context& context, std::stop_token) {
  int items = 0;
  const Status read = context.for_each_item([&](const SettledItem&) {
    ++items;
    return true;
  });
  if (!read) return retryable(read.error().message);
  return Output{.json = Json::object({{"items", items}})};
}

std::vector<NewItem> items(const std::vector<std::string>& keys) {
  std::vector<NewItem> made;
  for (const std::string& key : keys) {
    made.push_back({.key = key, .category = "post", .data = Json::object({{"name", key}})});
  }
  return made;
}

Status make(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory / ".pawl");
  auto store = open_sqlite_store({.path = directory / ".pawl" / "pawl.db"});
  if (!store) return std::unexpected(store.error());
  WorkflowBuilder letters("letters");
  letters.stage("draft", draft)
      .gate("length", is_long_enough)
      .retry({.max_attempts = 3, .on_exhausted = OnExhausted::escalate});
  letters.stage("publish", publish(**store))
      .needs("draft")
      .retry({.max_attempts = 3, .backoff = {.initial = 1h, .max = 1h}});
  letters.human_stage("sign").needs("publish").editable({"copies"}).changes_rerun("draft");
  WorkflowBuilder plain("plain");
  plain.stage("copy", [](Context& context, std::stop_token) -> Outcome {
    return Output{.json = context.data()};
  });
  plain.all_items_stage("total", count).needs("copy");
  const auto first = letters.build();
  const auto second = plain.build();
  if (!first || !second) return fail(ErrorCode::invalid, "the workflows are not sound");

  auto engine = Engine::create(*store, {.threads = 0});
  if (!engine) return std::unexpected(engine.error());
  (*engine)->serve(*first);
  (*engine)->serve(*second);
  const auto one = (*engine)->submit(
      first->workflow(),
      items({"ada", "bob", "carl", "a/b", "list", "../../escape", "line\nbreak", "red\x1b[31m"}));
  if (!one) return std::unexpected(one.error());
  (*engine)->run_until_idle();
  const auto two =
      (*engine)->submit(second->workflow(), items({"ada", "ada/copy", "1/ada", "x/y/copy"}));
  if (!two) return std::unexpected(two.error());
  (*engine)->run_until_idle();
  (*engine)->stop();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Status made = make(argv[1]);
  if (made) return 0;
  std::fprintf(stderr, "%s\n", made.error().text().c_str());
  return 1;
}
