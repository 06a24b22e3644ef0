#include "actions/envelope.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/workshop.hpp"

namespace pawl::actions {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

std::vector<std::string> keys_of(const JsonView& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : members(object)) keys.push_back(key);
  return keys;
}

Json envelope_in(const Workshop& shop, const std::string& name = "envelope.json") {
  const Result<Json> json = parse_json(text_in(shop.folder / name));
  return json ? *json : Json();
}

TEST(Envelope, is_the_document_of_the_protocol) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: documents
params: { min_words: { type: integer, default: 100 } }
items: [{ path: "a b.pdf", id: 7, pages: [1, 2] }]
stages:
  convert:
    in: { pdf: "${item.path}", first: "${item.pages[0]}", all: "${item.pages}", none: "${item.x}" }
    sh: cat > envelope.json
    timeout: 1m
)");
  const Json sent = envelope_in(shop);
  EXPECT_THAT(keys_of(sent),
              ::testing::ElementsAre("protocol", "job", "workflow", "stage", "item", "attempt",
                                     "in", "params", "feedback", "previous"));
  EXPECT_EQ(field(sent, "protocol").text(), "1");
  EXPECT_EQ(field(sent, "workflow").text(), "\"documents\"");
  EXPECT_EQ(field(sent, "stage").text(), "\"convert\"");
  EXPECT_EQ(field(sent, "item").text(), R"({"id":"7","path":"a b.pdf","pages":[1,2]})");
  EXPECT_EQ(field(sent, "in").text(), R"({"pdf":"a b.pdf","first":1,"all":[1,2],"none":null})");
  EXPECT_EQ(field(sent, "params").text(), R"({"min_words":100})");
  EXPECT_EQ(field(sent, "feedback").text(), "null");
  EXPECT_EQ(field(sent, "previous").text(), "[]");
  EXPECT_THAT(
      keys_of(field(sent, "attempt")),
      ::testing::ElementsAre("id", "number", "epoch", "cause", "deadline", "idempotency_key"));
  const std::string task = std::to_string(shop.task("convert", "7").id.value());
  EXPECT_EQ(field(sent, "attempt.id").text(), "\"" + task + "-1\"");
  EXPECT_EQ(field(sent, "attempt.cause").text(), "\"first\"");
  EXPECT_THAT(*field(sent, "attempt.deadline").string(), EndsWith("Z"));
  EXPECT_THAT(*field(sent, "attempt.idempotency_key").string(), HasSubstr("/convert/"));
}

TEST(Envelope, of_a_scalar_item_has_its_value) {
  Workshop shop;
  shop.run(
      "version: 1\nworkflow: w\nitems: [ada]\nstages:\n  work:\n    sh: cat > envelope.json\n");
  EXPECT_EQ(field(envelope_in(shop), "item").text(), R"({"id":"ada","value":"ada"})");
}

TEST(Envelope, tells_what_the_gate_said_and_what_came_before) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
stages:
  work:
    sh: |
      cat > "envelope-$PAWL_ATTEMPT.json"
      echo "text $PAWL_ATTEMPT" > "$PAWL_DIR/a.md"
      echo "{\"output\":{\"n\":$PAWL_ATTEMPT,\"doc\":\"a.md\"}}" > "$PAWL_RESULT"
      if [ $PAWL_ATTEMPT = 4 ]; then
        cat $(jq -r '.previous[].out.doc | select(.)' envelope-4.json) > documents
      fi
    out: { n: integer, doc: file }
    gates:
      - name: enough
        expect: { n: { at_least: 4 } }
    refine: { attempts: 4 }
)");
  const Json fourth = envelope_in(shop, "envelope-4.json");
  EXPECT_EQ(
      field(fourth, "feedback").text(),
      R"({"from":"gate","summary":"1 of 1 criterion not met","criteria":[{"name":"n","expected":">= 4","actual":"3","passed":false}],"guidance":null})");
  EXPECT_EQ(field(fourth, "previous[0]").text(), R"({"number":1,"verdict":"rejected"})");
  EXPECT_EQ(field(fourth, "previous[1].out.n").text(), "2");
  EXPECT_EQ(field(fourth, "previous[2].out.n").text(), "3");
  EXPECT_EQ(field(fourth, "attempt.cause").text(), "\"gate_feedback\"");
  EXPECT_EQ(text_in(shop.folder / "documents"), "text 2\ntext 3\n");
}

TEST(Envelope, tells_an_error_as_feedback) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
stages:
  work:
    sh: |
      cat > "envelope-$PAWL_ATTEMPT.json"
      if [ $PAWL_ATTEMPT = 1 ]; then echo busy >&2; exit 75; fi
    retry: { attempts: 2, backoff: { from: 1ms, to: 1ms, factor: 1 } }
)");
  const Json second = envelope_in(shop, "envelope-2.json");
  EXPECT_EQ(field(second, "feedback.from").text(), "\"error\"");
  EXPECT_THAT(*field(second, "feedback.summary").string(), HasSubstr("busy"));
}

TEST(Envelope, knows_whose_feedback_an_interrupted_attempt_carries_on) {
  const Attempt asked{.cause = Cause::review_changes};
  const Attempt interrupted{.cause = Cause::interrupted};
  EXPECT_EQ(feedback_source(Cause::interrupted, {asked}), "review");
  EXPECT_EQ(feedback_source(Cause::interrupted, {asked, interrupted, interrupted}), "review");
  EXPECT_EQ(feedback_source(Cause::manual, {}), "operator");
  EXPECT_EQ(feedback_source(Cause::gate_feedback, {}), "gate");
}

TEST(Envelope, of_a_job_wide_stage_names_a_file_with_all_items) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
items: [ada, grace, alan]
stages:
  greet:
    sh: |
      if [ "$PAWL_ITEM" = alan ]; then exit 65; fi
      echo "Hello, $PAWL_ITEM" > "$PAWL_DIR/letter.txt"
      echo '{"output":{"letter":"letter.txt"}}' > "$PAWL_RESULT"
    out: { letter: file }
  report:
    scope: all
    needs: [greet]
    sh: |
      cat > envelope.json
      items=$(jq -r .items_file envelope.json)
      cp "$items" items.jsonl
      jq -r '.outputs.greet.letter // empty' "$items" | while read -r letter; do cat "$letter"; done
)");
  EXPECT_EQ(shop.text("report"), "Hello, ada\nHello, grace\n");
  EXPECT_FALSE(field(envelope_in(shop), "item").exists());
  const std::string lines = text_in(shop.folder / "items.jsonl");
  EXPECT_EQ(std::ranges::count(lines, '\n'), 3);
  EXPECT_THAT(lines, HasSubstr(R"({"id":"alan","state":"failed","outputs":{}})"));
}

TEST(Envelope, of_a_child_has_its_element) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
items: [{ id: a, pages: [{ n: 1 }, { n: 2 }, { n: 1 }, 4] }]
stages:
  work:
    each: "${item.pages}"
    env: { N: "${each.n}" }
    sh: |
      if [ -z "$N" ]; then exit 65; fi
      printf "page $N of "; jq -cj .each
    tolerate_failures: 1
)");
  EXPECT_EQ(shop.output("work", "a").text(),
            R"({"text":["page 1 of {\"n\":1}","page 2 of {\"n\":2}","page 1 of {\"n\":1}",null]})");
}

}  // namespace
}  // namespace pawl::actions
