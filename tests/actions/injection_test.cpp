// Values stay values: whatever they contain, no shell and no program interprets them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/workshop.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::actions {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string>& hostile_values() {
  static const std::vector<std::string> values{
      "$(touch pwned)",
      "`touch pwned`",
      "; touch pwned;",
      "a && touch pwned",
      "it's $(rm -rf ~).pdf",
      "\"quoted\" 'twice'",
      "two\nlines",
      "-rf",
      "--help",
      "*",
      "${params.x} $HOME ${HOME}",
      "\\n \\0 \\$(touch pwned)",
      "ends with space ",
      "été 日本 \xF0\x9F\x90\x9D",
      "\x01\x1B[31m control",
  };
  return values;
}

/// One line of JSON for each value.
std::string json_lines(const std::vector<std::string>& values) {
  std::string lines;
  for (const std::string& value : values) lines += Json(value).text() + "\n";
  return lines;
}

TEST(Injection, an_argument_stays_one_argument) {
  Workshop shop;
  shop.folder.write("items.jsonl", json_lines(hostile_values()));
  shop.run(R"(
version: 1
workflow: w
items: { file: items.jsonl }
stages:
  work:
    run: [printf, "%s", "${item}"]
)");
  for (const std::string& value : hostile_values()) EXPECT_EQ(shop.text("work", value), value);
  EXPECT_FALSE(std::filesystem::exists(shop.folder / "pwned"));
}

TEST(Injection, a_variable_stays_a_value) {
  Workshop shop;
  shop.folder.write("items.jsonl", json_lines(hostile_values()));
  shop.run(R"(
version: 1
workflow: w
items: { file: items.jsonl }
stages:
  work:
    env: { VALUE: "${item}", LONGER: "<${item}>" }
    sh: printf '%s%s' "$VALUE" "$LONGER"
)");
  for (const std::string& value : hostile_values()) {
    EXPECT_EQ(shop.text("work", value), value + "<" + value + ">");
  }
  EXPECT_FALSE(std::filesystem::exists(shop.folder / "pwned"));
}

TEST(Injection, a_megabyte_arrives_on_standard_input) {
  Workshop shop;
  std::string large;
  while (large.size() < 1'000'000) large += "\"$(x)`'\\\n" + std::to_string(large.size());
  shop.folder.write("items.jsonl", Json::object({{"id", "a"}, {"text", large}}).text() + "\n");
  shop.run(R"(
version: 1
workflow: w
items: { file: items.jsonl }
stages:
  work:
    in: { text: "${item.text}" }
    sh: jq -j .in.text | sha256sum | cut -c1-64
)");
  EXPECT_EQ(shop.text("work", "a"), sha256_hex(large) + "\n");
}

TEST(Injection, a_hostile_file_name_is_only_a_name) {
  Workshop shop;
  const std::vector<std::string> names{"it's $(rm -rf ~).pdf", "two\nlines.pdf", "-rf.pdf",
                                       "; touch pwned;.pdf", "[x]*?.pdf"};
  for (const std::string& name : names) shop.folder.write("corpus/" + name, "content of " + name);
  shop.run(R"yaml(
version: 1
workflow: w
items: { glob: "corpus/*.pdf", id: "${item.name}" }
stages:
  work:
    run: [cat, "${item.path}"]
  copy:
    needs: [work]
    env: { FROM: "${item.path}", NAME: "${item.name}" }
    sh: |
      cp -- "$FROM" "$PAWL_DIR/"
      jq -n --arg file "$NAME" '{output: {file: $file}}' > "$PAWL_RESULT"
    out: { file: file }
  back:
    needs: [copy]
    run: [cat, "${stages.copy.out.file}"]
)yaml");
  for (const std::string& name : names) {
    EXPECT_EQ(shop.text("work", name), "content of " + name);
    EXPECT_EQ(shop.text("back", name), "content of " + name);
  }
  EXPECT_FALSE(std::filesystem::exists(shop.folder / "pwned"));
}

TEST(Injection, a_zero_byte_is_refused_in_arguments_and_variables) {
  Workshop shop;
  shop.folder.write("items.jsonl", "{\"id\":\"a\",\"v\":\"x\\u0000y\"}\n");
  shop.run(R"(
version: 1
workflow: w
items: { file: items.jsonl }
stages:
  argument:
    run: [echo, "${item.v}"]
  variable:
    env: { V: "${item.v}" }
    sh: "true"
)");
  for (const char* const stage : {"argument", "variable"}) {
    const Attempt attempt = shop.attempts(stage, "a").at(0);
    EXPECT_EQ(attempt.error->code, "R206");
    EXPECT_THAT(attempt.error->message, HasSubstr("zero byte"));
  }
}

TEST(Injection, a_list_or_an_object_is_no_argument) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
items: [{ id: a, v: [1, 2] }]
stages:
  work:
    run: [echo, "${item.v}"]
  inside:
    run: [echo, "v=${item.v}"]
)");
  EXPECT_EQ(shop.attempts("work", "a").at(0).error->code, "R206");
  EXPECT_THAT(shop.attempts("inside", "a").at(0).error->message, HasSubstr("${item.v} is a list"));
}

TEST(Injection, a_null_variable_is_unset) {
  Workshop shop;
  shop.run(R"(
version: 1
workflow: w
items: [{ id: a }]
stages:
  work:
    env: { V: "${item.v}" }
    sh: echo "${V-unset}"
)");
  EXPECT_EQ(shop.text("work", "a"), "unset\n");
}

}  // namespace
}  // namespace pawl::actions
