#include <fstream>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/workshop.hpp"

namespace pawl::actions {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Secrets, reach_the_command_and_neither_logs_nor_messages) {
  Workshop shop;
  shop.variables["TEST_SECRET_KEY"] = "hunter2-and-more";
  const Attempt attempt = shop.run_sh(
      "test \"$TEST_SECRET_KEY\" = hunter2-and-more || exit 66\n"
      "echo \"key $TEST_SECRET_KEY\"; echo \"denied for $TEST_SECRET_KEY\" >&2; exit 65\n",
      "secrets: [TEST_SECRET_KEY]\n");
  EXPECT_EQ(attempt.error->message, "denied for ***");
  for (const ArtifactRecord& one : attempt.artifacts) {
    EXPECT_THAT(one.summary.text(), Not(HasSubstr("hunter2")));
    EXPECT_THAT(one.summary.text(), HasSubstr("***"));
  }
}

TEST(Secrets, are_masked_in_summaries_and_reported_errors) {
  Workshop shop;
  shop.variables["TEST_SECRET_KEY"] = "hunter2";
  const Attempt fine =
      shop.run_sh("echo \"{\\\"summary\\\":\\\"used $TEST_SECRET_KEY\\\"}\" > \"$PAWL_RESULT\"",
                  "secrets: [TEST_SECRET_KEY]\n");
  EXPECT_EQ(fine.summary, "used ***");
  const Attempt broken = shop.run_sh(
      "echo \"{\\\"error\\\":{\\\"message\\\":\\\"bad "
      "$TEST_SECRET_KEY\\\",\\\"details\\\":{\\\"k\\\":"
      "[\\\"$TEST_SECRET_KEY\\\"]}}}\" > \"$PAWL_RESULT\"; exit 1",
      "secrets: [TEST_SECRET_KEY]\n");
  EXPECT_EQ(broken.error->message, "bad ***");
  EXPECT_EQ(broken.error->details.text(), R"({"k":["***"]})");
}

TEST(Secrets, are_masked_in_the_model_and_in_the_names_of_files) {
  Workshop shop;
  shop.variables["TEST_SECRET_KEY"] = "hunter2";
  const Attempt attempt = shop.run_sh(
      "echo x > \"$PAWL_DIR/$TEST_SECRET_KEY.md\"; echo '{\"oops\":\"'$TEST_SECRET_KEY'\"}' > "
      "\"$PAWL_EVENTS\"\n"
      "sed s/KEY/$TEST_SECRET_KEY/g > \"$PAWL_RESULT\" <<'END'\n"
      "{\"output\":{\"f\":\"KEY.md\"},\"usage\":{\"model\":\"m-KEY\"},\n"
      " \"artifacts\":[{\"path\":\"KEY.md\"},{\"path\":\"KEY.md\",\"name\":\"for KEY\","
      "\"type\":\"text/KEY\"}]}\n"
      "END\n",
      "secrets: [TEST_SECRET_KEY]\nout: { f: file }\n");
  ASSERT_FALSE(attempt.error) << attempt.error->message;
  std::vector<std::string> names;
  for (const ArtifactRecord& one : attempt.artifacts) {
    names.push_back(one.name);
    EXPECT_THAT(one.name + one.reference + one.summary.text(), Not(HasSubstr("hunter2")));
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"model", "***.md", "for ***"}));
  ASSERT_NE(artifact(attempt, "for ***"), nullptr);
  EXPECT_EQ(artifact(attempt, "model")->summary.text(), R"({"model":"m-***"})");
  EXPECT_EQ(artifact(attempt, "for ***")->summary.text(), R"({"type":"text/***"})");
  EXPECT_EQ(*field(attempt.output, "f.name").string(), "***.md");
}

TEST(Secrets, are_masked_in_outputs_that_nobody_declared) {
  Workshop shop;
  shop.variables["TEST_SECRET_KEY"] = "hunter2";
  const std::string secrets = "secrets: [TEST_SECRET_KEY]\n";
  const std::string written =
      "echo \"{\\\"output\\\":{\\\"key $TEST_SECRET_KEY\\\":[\\\"$TEST_SECRET_KEY\\\"]}}\" > "
      "\"$PAWL_RESULT\"";
  EXPECT_EQ(shop.run_sh(written, secrets).output.text(), R"({"key ***":["***"]})");
  const std::string printed = "echo \"{\\\"k\\\":\\\"$TEST_SECRET_KEY\\\"}\"";
  EXPECT_EQ(shop.run_sh(printed, secrets + "capture: json\nout: { k: string }\n").output.text(),
            R"({"k":"hunter2"})")
      << "what is declared is data";
}

TEST(Secrets, are_masked_in_what_gates_say_of_an_output) {
  const auto rejected_by = [](const std::string& gates) {
    Workshop shop;
    shop.variables["TEST_SECRET_KEY"] = "hunter2";
    const Attempt attempt = shop.run_sh(
        "echo \"{\\\"output\\\":{\\\"k\\\":\\\"$TEST_SECRET_KEY\\\"}}\" > \"$PAWL_RESULT\"",
        "secrets: [TEST_SECRET_KEY]\nout: { k: json }\n" + gates);
    std::string said = attempt.error ? attempt.error->message : "";
    for (const Feedback& one : {attempt.feedback.value_or(Feedback{})}) {
      said += one.summary + one.guidance.text();
      for (const Criterion& criterion : one.criteria) {
        said += criterion.name + criterion.expected + criterion.actual;
      }
    }
    EXPECT_THAT(said, Not(HasSubstr("hunter2"))) << gates;
    EXPECT_THAT(said, HasSubstr("***")) << gates;
  };
  rejected_by("gates:\n  - name: g\n    expect: { k: { equals: other } }\n");
  rejected_by("gates:\n  - name: g\n    schema: { properties: { k: { const: other } } }\n");
  rejected_by(
      "gates:\n  - name: g\n    run: [sh, -c, 'echo "
      "\"{\\\"verdict\\\":\\\"$TEST_SECRET_KEY\\\"}\"']\n");
  rejected_by(
      "gates:\n  - name: g\n    run: [sh, -c, 'echo "
      "\"{\\\"verdict\\\":\\\"rejected\\\",\\\"guidance\\\":\\\"$TEST_SECRET_KEY\\\"}\"']\n");
}

TEST(Secrets, that_are_not_set_leave_their_stage_to_a_process_that_has_them) {
  Workshop shop;
  shop.variables["TEST_SECRET_EMPTY"] = "";
  const auto file = load_workflow_file(R"(
version: 1
workflow: w
stages:
  free: { sh: "true" }
  both: { sh: "true", secrets: [TEST_SECRET_ABSENT, TEST_SECRET_EMPTY] }
)");
  ASSERT_TRUE(file);
  const auto environment = [&](const char* name) -> const char* {
    const auto own = shop.variables.find(name);
    return own == shop.variables.end() ? nullptr : own->second.c_str();
  };
  EXPECT_THAT(missing_secrets(file->workflow, environment),
              ElementsAre(MissingSecret{"both", "TEST_SECRET_ABSENT"},
                          MissingSecret{"both", "TEST_SECRET_EMPTY"}));
  const CodeSource source = file_actions(
      shop.store, {.run_directory = shop.folder / "other", .environment = environment});
  const Workflow& workflow = file->workflow;
  EXPECT_TRUE(source(workflow, workflow.stage(StageIndex{0})));
  EXPECT_FALSE(source(workflow, workflow.stage(StageIndex{1})));
}

TEST(Needs, of_stages_that_are_not_met_are_listed_in_the_order_of_the_stages) {
  Workshop shop;
  const auto file = load_workflow_file(R"(
version: 1
workflow: w
stages:
  free: { run: [sh, -c, "true"] }
  ask: { sh: "true", secrets: [TEST_SECRET_ABSENT] }
  convert: { run: [./tools/convert.sh, conf/none.json] }
  call: { run: [no-such-program], gates: [{ name: g, run: [no-such-judge] }] }
  named: { run: ["${item.program}"] }
)");
  ASSERT_TRUE(file);
  const auto environment = [](const char* name) -> const char* {
    return std::string_view(name) == "PATH" ? "/usr/bin:/bin" : nullptr;
  };
  using Kind = MissingNeed::Kind;
  EXPECT_THAT(missing_needs(file->workflow, shop.folder.path(), environment),
              ElementsAre(MissingNeed{"ask", Kind::secret, "TEST_SECRET_ABSENT"},
                          MissingNeed{"convert", Kind::script, "tools/convert.sh"},
                          MissingNeed{"call", Kind::program, "no-such-program"},
                          MissingNeed{"call", Kind::program, "no-such-judge"}));
}

TEST(Needs, a_stage_can_be_run_as_soon_as_its_script_exists) {
  Workshop shop;
  const auto file = load_workflow_file(
      "version: 1\nworkflow: w\nstages:\n  convert: { run: [sh, convert.sh] }\n");
  ASSERT_TRUE(file);
  const CodeSource source = file_actions(shop.store, {.run_directory = shop.folder / "other"});
  const auto code = source(file->workflow, file->workflow.stage(StageIndex{0}));
  ASSERT_TRUE(code && code->is_available);
  const Json labels = Json::object({{"project", shop.folder.path().string()}});
  EXPECT_FALSE(code->is_available(labels));
  std::ofstream(shop.folder / "convert.sh") << "echo done\n";
  EXPECT_TRUE(code->is_available(labels));
}

TEST(Environment, is_exactly_that_of_the_protocol) {
  Workshop shop;
  shop.variables["TEST_SECRET_KEY"] = "hunter2";
  shop.variables["LANG"] = "C.UTF-8";
  shop.variables["TZ"] = "UTC";
  shop.variables["TMPDIR"] = shop.folder.path();
  const Attempt attempt = shop.run_stage(
      "run: [env]\nenv: { MINE: 'x', TZ: 'Europe/Berlin' }\nsecrets: [TEST_SECRET_KEY]\n"
      "timeout: 1m\n");
  std::istringstream lines(*field(attempt.output, "text").string());
  std::map<std::string, std::string> env;
  for (std::string line; std::getline(lines, line);) {
    env[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
  }
  std::vector<std::string> names;
  for (const auto& [name, value] : env) names.push_back(name);
  EXPECT_THAT(names, ::testing::ElementsAre("HOME", "LANG", "MINE", "PATH", "PAWL_ATTEMPT",
                                            "PAWL_DEADLINE", "PAWL_DIR", "PAWL_EVENTS", "PAWL_ITEM",
                                            "PAWL_KEY", "PAWL_RESULT", "PAWL_RUN", "PAWL_STAGE",
                                            "TEST_SECRET_KEY", "TMPDIR", "TZ"));
  EXPECT_EQ(env["TZ"], "Europe/Berlin");
  EXPECT_EQ(env["PAWL_ATTEMPT"], "1");
  EXPECT_EQ(env["PAWL_ITEM"], "1");
  EXPECT_EQ(env["PAWL_STAGE"], "work");
}

}  // namespace
}  // namespace pawl::actions
