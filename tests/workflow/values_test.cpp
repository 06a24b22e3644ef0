// Values around a workflow: stored forms, params, and names of variables.

#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/workflow/file.hpp"
#include "workflow/shell_script.hpp"
#include "workflow/templates.hpp"

namespace pawl::workflow {
namespace {

ActionSpec full_action() {
  return {.kind = ActionKind::sh,
          .argv = {"a", "b c"},
          .script = "echo \"$A\"\n",
          .in = {{"z", Json("${item}")}, {"a", Json::array({1, 2.5, nullptr})}},
          .out = {{"z", FieldType::file}, {"a", FieldType::json}},
          .capture = Capture::json,
          .env = {{"Z", "1"}, {"A", ""}},
          .dir = "work",
          .secrets = {"KEY"},
          .retryable_exits = {137},
          .final_exits = {2, 3},
          .when = Json("${item.ok}"),
          .each = "${item.pages}",
          .gates = {{.name = "e", .body = Json::object({{"a", Json::object({})}})},
                    {.name = "r", .kind = GateSpec::Kind::run, .argv = {"judge"}},
                    {.name = "t", .kind = GateSpec::Kind::types},
                    {.name = "c",
                     .kind = GateSpec::Kind::any,
                     .parts = {{.kind = GateSpec::Kind::run, .argv = {"judge"}},
                               {.name = "both",
                                .kind = GateSpec::Kind::all,
                                .parts = {{.body = Json::object({{"a", Json::object({})}})}}}},
                     .at_least = 2}},
          .instructions = "read",
          .show = Json::object({{"main", "out.a"}}),
          .description = "all"};
}

TEST(StoredActions, come_back_as_they_were) {
  for (const ActionSpec& action : {ActionSpec{}, full_action(), {.kind = ActionKind::human}}) {
    const Result<ActionSpec> again = action_from(describe(action));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, action) << describe(action).text();
  }
  EXPECT_EQ(describe(ActionSpec{}).text(), "{}");
}

TEST(StoredActions, are_read_strictly) {
  for (const char* const wrong :
       {R"({"scirpt":"x"})", R"({"kind":"http"})", R"({"out":{"a":"text"}})", R"({"env":{"A":1}})",
        R"({"final_exits":[256]})", R"({"gates":[{"kind":"run"}]})", R"([])", R"({"in":[]})",
        R"({"capture":"none"})", R"({"gates":[{"name":"g","kind":"agent"}]})"}) {
    const Result<ActionSpec> action = action_from(Json::trusted(wrong));
    ASSERT_FALSE(action) << wrong;
    EXPECT_EQ(action.error().code, ErrorCode::invalid);
  }
}

TEST(StoredItems, come_back_as_they_were) {
  const ItemsSpec full{.kind = ItemsSpec::Kind::run,
                       .list = {Json("a"), Json(nullptr)},
                       .source = "s",
                       .argv = {"a"},
                       .id = "${item.id}",
                       .category = "c",
                       .path = "a.b",
                       .offset = 3,
                       .limit = 0};
  for (const ItemsSpec& items : {ItemsSpec{}, full}) {
    const Result<ItemsSpec> again = items_from(describe(items));
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_EQ(*again, items);
  }
  EXPECT_FALSE(items_from(Json::trusted(R"({"kind":"queue"})")));
  EXPECT_FALSE(items_from(Json::trusted(R"({"lst":[]})")));
  EXPECT_FALSE(items_from(Json::trusted(R"({"list":3})")));
}

const std::vector<ParamSpec>& params() {
  static const std::vector<ParamSpec> all{
      {.name = "text", .fallback = Json("x")},
      {.name = "count", .type = FieldType::integer},
      {.name = "share", .type = FieldType::number, .fallback = Json(0.5)},
      {.name = "fast", .type = FieldType::boolean, .fallback = Json(false)},
      {.name = "any", .type = FieldType::json, .fallback = Json(nullptr)}};
  return all;
}

TEST(Params, are_read_as_their_types) {
  const Result<Json> bound = bind_params(
      params(), {{"text", "12"}, {"count", "7"}, {"share", "1e3"}, {"any", "[1, \"a\"]"}});
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_EQ(bound->text(), R"({"text":"12","count":7,"share":1e3,"fast":false,"any":[1,"a"]})");
}

TEST(Params, tell_every_fault_at_once) {
  const Result<Json> bound =
      bind_params(params(), {{"share", "half"}, {"fats", "true"}, {"fast", "yes"}});
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().code, ErrorCode::invalid);
  EXPECT_EQ(bound.error().message,
            R"(param "count" has no value; param "share" must be a number, not "half"; )"
            R"(param "fast" must be true or false, not "yes"; the workflow has no param "fats")");
  EXPECT_EQ(bound.error().help, "give one with --param count=VALUE; did you mean \"fast\"?");
}

TEST(SuggestedVariables, say_what_they_hold) {
  EXPECT_EQ(suggested_variable("${item.path}"), "ITEM_PATH");
  EXPECT_EQ(suggested_variable("${item}"), "ITEM");
  EXPECT_EQ(suggested_variable("${params.home}"), "PARAMS_HOME");
  EXPECT_EQ(suggested_variable("${stages.convert.out.markdown}"), "CONVERT_MARKDOWN");
  EXPECT_EQ(suggested_variable("${each.pages[0].a-b}"), "EACH_PAGES_0_A_B");
}

// A variable with a meaning for the shell or the loader would break the script, or worse.
TEST(SuggestedVariables, are_never_special_to_a_shell) {
  for (const std::string stage : {"ld", "LC", "bash", "pawl", "PS", "a", "python", "_", "-"}) {
    for (const std::string field :
         {"path",   "home",   "ifs",   "ps1",  "preload", "library_path", "all",    "env",
          "pwd",    "shell",  "user",  "term", "lang",    "tz",           "tmpdir", "cdpath",
          "optind", "result", "path_", "_"}) {
      for (const std::string& reference :
           {"${item." + field + "}", "${params." + field + "}", "${in." + field + "}",
            "${each." + field + "}", "${stages." + stage + ".out." + field + "}"}) {
        const std::string name = suggested_variable(reference);
        EXPECT_FALSE(is_special_variable(name)) << reference << " becomes " << name;
        EXPECT_FALSE(name.empty()) << reference;
      }
    }
  }
  for (const char* const special :
       {"PATH", "HOME", "IFS", "PS1", "LD_PRELOAD", "BASH_ENV", "PWD", "SHELL", "USER", "TERM",
        "LANG", "LC_ALL", "TZ", "TMPDIR", "ENV", "CDPATH", "OPTIND", "PAWL_RESULT"}) {
    EXPECT_TRUE(is_special_variable(special)) << special;
  }
}

TEST(Scripts, keep_the_shells_own_variables) {
  EXPECT_TRUE(engine_references_in("echo ${HOME} ${VAR:-x} ${items} ${item_path} $item").empty());
  EXPECT_TRUE(engine_references_in("echo $${item.path}").empty());
  EXPECT_EQ(engine_references_in("${item} ${in.a} ${item} ${stages.a.out.b} ${each[0]} ${out.x"),
            (std::vector<std::string>{"${item}", "${in.a}", "${stages.a.out.b}", "${each[0]}",
                                      "${out.x"}));
}

}  // namespace
}  // namespace pawl::workflow
