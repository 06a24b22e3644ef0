/// Makes a project in which everything that can be named or written has hostile text in it, and
/// jobs over keys that are easily taken for others.
///
///   make_hostile_store DIR HOSTILE.json KEYS.json
///
/// HOSTILE.json holds the hostile texts: {"text": …, "name": …}, KEYS.json a list of {"key",
/// "category"}. Job 1 has hostile text everywhere: one item waits for a person, one is a dead
/// letter, one waits for its next attempt, and one has failed children. Jobs 2 to 5 go over the
/// keys: in job 2 all are dead letters, in job 3 all wait for a person, in job 4 all have ended
/// well, and in job 5 they are the failed children of one item.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/sqlite.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pawl;

struct Hostile {
  std::string text;
  std::string name;  ///< what may stand in the name of a workflow or a stage
};

Result<Json> read_json(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return parse_json(text.str());
}

std::string text_at(const Json& object, std::string_view name) {
  return JsonView(object)[name].string().value_or("");
}

ArtifactRecord log(const std::string& text) {
  return {.kind = ArtifactKind::standard_output,
          .name = text,
          .reference = {},
          .sha256 = {},
          .size = static_cast<std::int64_t>(text.size()),
          .summary = Json::object({{"tail", text}})};
}

Program letters(Store& store, const Hostile& hostile) {
  WorkflowBuilder build("letters" + hostile.name);
  const std::string& text = hostile.text;
  build
      .stage("draft" + hostile.name,
             [text](Context& context, std::stop_token) -> Outcome {
               Output output{.json = Json::object({{"text" + text, text},
                                                   {"attempt", context.attempt()},
                                                   {"lines", "one\n" + text + "\n"}}),
                             .summary = text,
                             .typed = {},
                             .artifacts = {log(text)},
                             .usage = {}};
               return output;
             })
      .gate("length" + text,
            [text](const GateContext& context, std::stop_token) -> Judgement {
              if (context.attempt > 1) return accepted();
              return rejected({.summary = text,
                               .criteria = {{text, text, text, false}},
                               .guidance = Json::object({{text, text}})});
            })
      .retry({.max_attempts = 3, .on_exhausted = OnExhausted::escalate});
  build
      .stage("publish" + hostile.name,
             [&store, text](Context& context, std::stop_token) -> Outcome {
               const std::string& key = context.item_key();
               if (key.starts_with("dead")) {
                 return Failure{
                     .error = final_error(text, text), .artifacts = {log(text)}, .usage = {}};
               }
               if (key.starts_with("later")) return retryable(text, text);
               if (key.starts_with("fan")) {
                 return FanOut{.children = {{.key = "child" + text, .data = Json(text)}},
                               .summary = text};
               }
               const Result<std::string> kept = store.keep_payload("printed: " + text + "\n");
               if (!kept) return final_error(kept.error().message);
               return Output{
                   .json = Json::object(
                       {{"page", Json::object(
                                     {{"$file", "sha256:" + *kept}, {"name", text}, {"size", 12}})},
                        {"copies", 1}}),
                   .summary = text,
                   .typed = {},
                   .artifacts = {},
                   .usage = {}};
             })
      .needs("draft" + hostile.name)
      .each([text](Context&, std::stop_token) -> Outcome { return final_error(text, text); })
      .retry({.max_attempts = 3, .backoff = {.initial = 1h, .max = 1h}});
  build.human_stage("sign" + hostile.name)
      .needs("publish" + hostile.name)
      .editable({"copies"})
      .changes_rerun("draft" + hostile.name);
  return *build.build();
}

Program over_keys(const std::string& name, const std::string& kind,
                  std::vector<NewChild> children) {
  WorkflowBuilder build(name);
  if (kind == "open") {
    build.human_stage("s");
    return *build.build();
  }
  build
      .stage("s",
             [kind, children](Context& context, std::stop_token) -> Outcome {
               if (kind == "dead") return final_error("no");
               if (kind == "fan") return FanOut{.children = children, .summary = {}};
               return Output{.json = context.data()};
             })
      .each([](Context&, std::stop_token) -> Outcome { return final_error("no"); });
  build
      .all_items_stage("total",
                       [kind](Context&, std::stop_token) -> Outcome {
                         if (kind == "dead") return final_error("no total");
                         return Output{.json = Json(1)};
                       })
      .needs("s");
  return *build.build();
}

Status make(const std::filesystem::path& directory, const std::filesystem::path& hostile_file,
            const std::filesystem::path& keys_file) {
  const Result<Json> texts = read_json(hostile_file);
  if (!texts) return std::unexpected(texts.error());
  const Hostile hostile{.text = text_at(*texts, "text"), .name = text_at(*texts, "name")};
  const Result<Json> keys = read_json(keys_file);
  if (!keys) return std::unexpected(keys.error());

  std::filesystem::create_directories(directory / ".pawl");
  auto store = open_sqlite_store({.path = directory / ".pawl" / "pawl.db"});
  if (!store) return std::unexpected(store.error());
  auto engine = Engine::create(*store, {.name = "maker" + hostile.text, .threads = 0});
  if (!engine) return std::unexpected(engine.error());

  const Program first = letters(**store, hostile);
  (*engine)->serve(first);
  std::vector<NewItem> items;
  for (const std::string key : {"review", "dead", "later", "fan"}) {
    items.push_back({.key = key + hostile.text,
                     .category = hostile.text,
                     .data = Json::object({{hostile.text, hostile.text}})});
  }
  const auto one = (*engine)->submit(
      first.workflow(), items,
      {.key = hostile.text,
       .labels = Json::object({{"project", hostile.text}, {"file", hostile.text}})});
  if (!one) return std::unexpected(one.error());
  (*engine)->run_until_idle();

  std::vector<NewItem> named;
  std::vector<NewChild> children;
  for (const Json& each : elements(*keys)) {
    const std::string key = text_at(each, "key");
    named.push_back({.key = key, .category = text_at(each, "category"), .data = Json(key)});
    children.push_back({.key = key, .data = {}});
  }
  for (const std::string kind : {"dead", "open", "done", "fan"}) {
    const Program program = over_keys("tricky_" + kind, kind, children);
    (*engine)->serve(program);
    const auto job = (*engine)->submit(
        program.workflow(),
        kind == "fan" ? std::vector<NewItem>{{.key = "parent", .category = {}, .data = {}}}
                      : named);
    if (!job) return std::unexpected(job.error());
    (*engine)->run_until_idle();
  }
  (*engine)->stop();
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const Status made = make(argv[1], argv[2], argv[3]);
  if (made) return 0;
  std::fprintf(stderr, "%s\n", made.error().text().c_str());
  return 1;
}
