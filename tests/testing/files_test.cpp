/// Workflow files without their commands.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/testing/testing.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace pawl;
using namespace pawl::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* invoices = R"(version: 1
workflow: invoices
params:
  language: { type: string, default: en }
stages:
  read:
    run: [./read.sh, "${item}"]
    in: { language: "${params.language}" }
    out: { words: integer, text: string }
    capture: json
    gates:
      - name: length
        expect: { words: { at_least: 10 } }
    retry: { attempts: 3, backoff: { from: 7d, to: 7d } }
    refine: { attempts: 3 }
  judge:
    needs: [read]
    run: [./judge.sh]
    in: { text: "${stages.read.out.text}" }
    out: { score: number }
    capture: json
    gates:
      - name: fair
        run: [./fair.sh]
  check:
    needs: [judge]
    review: { when: always }
)";

WorkflowFile file(const char* text = invoices) {
  const TemporaryFolder folder;
  std::ofstream(folder / "workflow.yaml") << text;
  return loaded(folder / "workflow.yaml");
}

TEST(FilesUnderTest, run_without_their_commands_and_with_their_own_expectations) {
  World world;
  world.stage("read", Script{}
                          .then(succeeds({{"words", 3}, {"text", "too short"}}))
                          .then(fails("exit 75"))
                          .then(succeeds({{"words", 30}, {"text", "long enough"}})));
  world.stage("judge", Script{}.then(succeeds({{"score", 0.9}})));
  world.gate("judge", "fair", GateScript{}.then(accepts()));
  world.reviewer("check", Reviewer("grace").approves_after(72h));
  const JobId job = world.submit(file(), items({"a.pdf"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  const auto attempts = world.attempts(job, "a.pdf", "read");
  ASSERT_THAT(attempts, SizeIs(3)) << world.story(job);
  EXPECT_EQ(attempts[0].verdict, Verdict::rejected);
  EXPECT_EQ(attempts[1].result, AttemptResult::failure);
  EXPECT_GE(world.elapsed(), 10 * 24h) << "a week of backoff and three days of review";
  EXPECT_LT(world.elapsed(), 11 * 24h) << "and no more than the file's jitter";
  EXPECT_EQ(world.calls("read")[0].in.text(), R"({"language":"en"})");
  EXPECT_EQ(world.calls("judge")[0].in.text(), R"({"text":"long enough"})");
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(FilesUnderTest, never_run_a_command_that_nobody_scripted) {
  World world;
  world.submit(file(), items({"a.pdf"}));
  try {
    world.run();
    FAIL() << "a command was run";
  } catch (const std::logic_error& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("stage 'read' of workflow 'invoices' runs a command"));
  }
  world.stage("read", Script{}.then(succeeds()));
  world.stage("judge", Script{}.then(succeeds()));
  try {
    world.run();
    FAIL() << "the command of a gate was run";
  } catch (const std::logic_error& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("of stage 'judge' runs a command"));
  }
}

TEST(FilesUnderTest, hold_scripts_to_what_the_file_declares) {
  World world;
  world.stage("say", Script{}.then(succeeds({{"words", "many"}})));
  const JobId job = world.submit(file(R"(version: 1
workflow: one
stages:
  say:
    run: [./say.sh]
    out: {words: integer}
    capture: json
)"),
                                 items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::failed);
  EXPECT_THAT(world.story(job),
              HasSubstr("the output does not fit `out`: words: expected integer"));
}

TEST(FilesUnderTest, fan_out_and_gather_as_they_say) {
  World world;
  world.stage("page",
              Script{}.then(succeeds({{"words", 2}})).item("a/2").then(succeeds({{"words", 5}})));
  const JobId job =
      world.submit(file(R"(version: 1
workflow: pages
stages:
  page:
    each: "${item.pages}"
    run: [./page.sh]
    out: {words: integer}
    capture: json
)"),
                   {{.key = "a", .data = Json::object({{"pages", Json::array({1, 2, 3})}})}});
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.output(job, "a", "page").text(), R"({"words":[2,5,2]})");
}

TEST(FilesUnderTest, take_the_content_of_a_file_for_the_file) {
  World world;
  world.stage("write", Script{}.then(succeeds({{"page", "# Title\n"}, {"lines", 1}})));
  world.stage("print", Script{}.then(succeeds({{"text", "done"}})));
  const JobId job = world.submit(file(R"(version: 1
workflow: pages
stages:
  write:
    run: [./write.sh]
    out: { page: file, lines: integer }
    refine: { attempts: 2 }
    gates:
      - name: short
        expect: { lines: { at_most: 10 } }
  print:
    needs: [write]
    run: [./print.sh]
    in: { page: "${stages.write.out.page}" }
)"),
                                 items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  const Json page = *field(world.calls("print").at(0).in, "page").json();
  EXPECT_EQ(field(page, "size").json(), Json(8));
  const std::string digest = *field(page, "$file").string();
  EXPECT_EQ(world.records().payload(digest.substr(7)), "# Title\n");
}

TEST(FilesUnderTest, bring_their_own_items_unless_a_command_would_print_them) {
  const TemporaryFolder folder;
  std::ofstream(folder / "orders.jsonl") << R"({"order": "A-1"})"
                                            "\n"
                                            R"({"order": "A-2"})"
                                            "\n";
  const std::string stages = "stages:\n  look:\n    run: [./look.sh]\n";
  const WorkflowFile lines = file(
      ("version: 1\nworkflow: w\nitems: { file: orders.jsonl, id: \"${item.order}\" }\n" + stages)
          .c_str());
  const auto read = items_of(lines, folder.path());
  ASSERT_THAT(read, SizeIs(2));
  EXPECT_EQ(read[1].key, "A-2");
  World world;
  world.stage("look", Script{}.then(succeeds({{"text", "seen"}})));
  const JobId job = world.submit(lines, read);
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.output(job, "A-2", "look").text(), R"({"text":"seen"})");

  const WorkflowFile printed =
      file(("version: 1\nworkflow: w\nitems: { run: [./list.sh] }\n" + stages).c_str());
  EXPECT_THROW((void)items_of(printed, folder.path()), std::logic_error);
}

TEST(FilesUnderTest, with_faults_are_shown_as_the_checker_shows_them) {
  try {
    (void)file("version: 1\nworkflow: bad\nstages:\n  a: {needs: [b], run: [x]}\n");
    FAIL() << "a file with faults was loaded";
  } catch (const std::logic_error& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("workflow.yaml:4"));
  }
  EXPECT_THROW((void)loaded("no/such/file.yaml"), std::logic_error);
}

}  // namespace
