// The table "How it ends" of docs/reference/subprocess.md, row by row, and related rules.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/process_table.hpp"
#include "actions/workshop.hpp"

namespace pawl::actions {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class Ending : public ::testing::Test {
 protected:
  /// Checks the class and the kind of the error that a script ends with.
  void expect_error(const std::string& script, ErrorClass error_class, ErrorKind kind,
                    const std::string& code, const std::string& message) {
    const Attempt attempt = shop.run_sh(script);
    ASSERT_TRUE(attempt.error) << script;
    EXPECT_EQ(attempt.error->error_class, error_class) << script;
    EXPECT_EQ(attempt.error->kind, kind) << script;
    EXPECT_EQ(attempt.error->code, code) << script;
    EXPECT_EQ(attempt.error->message, message) << script;
  }
  Workshop shop;
};

TEST_F(Ending, exit_zero_with_a_valid_result_is_a_success) {
  const Attempt attempt = shop.run_sh(
      R"(echo '{"output":{"words":4214},"summary":"31 pages"}' > "$PAWL_RESULT.tmp"
mv "$PAWL_RESULT.tmp" "$PAWL_RESULT")",
      "out: { words: integer }\n");
  EXPECT_EQ(attempt.result, AttemptResult::success);
  EXPECT_EQ(attempt.output.text(), R"({"words":4214})");
  EXPECT_EQ(attempt.summary, "31 pages");
}

TEST_F(Ending, exit_zero_without_a_required_result_is_final) {
  const Attempt attempt = shop.run_sh("true", "out: { words: integer }\n");
  ASSERT_TRUE(attempt.error);
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_EQ(attempt.error->kind, ErrorKind::protocol);
  EXPECT_THAT(attempt.error->message, HasSubstr("$PAWL_RESULT"));
}

TEST_F(Ending, a_result_that_was_not_renamed_is_told_apart) {
  const Attempt attempt =
      shop.run_sh("echo '{}' > \"$PAWL_RESULT.tmp\"", "out: { words: integer }\n");
  EXPECT_THAT(attempt.error->message, HasSubstr("rename it"));
}

TEST_F(Ending, a_result_that_is_not_json_is_final) {
  const Attempt attempt =
      shop.run_sh("echo 'words: 12' > \"$PAWL_RESULT\"", "out: { words: integer }\n");
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_EQ(attempt.error->kind, ErrorKind::protocol);
  EXPECT_THAT(attempt.error->message, HasSubstr("line 1"));
}

TEST_F(Ending, a_result_with_an_unknown_member_is_final_and_names_it) {
  const Attempt attempt = shop.run_sh(R"(echo '{"outputs":{}}' > "$PAWL_RESULT")");
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_THAT(attempt.error->message, HasSubstr("outputs"));
}

TEST_F(Ending, an_output_that_fails_its_types_is_final_and_names_each_field) {
  const Attempt attempt =
      shop.run_sh(R"(echo '{"output":{"words":1.5,"title":7,"more":true}}' > "$PAWL_RESULT")",
                  "out: { words: integer, title: string, body: json }\n");
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_EQ(attempt.error->kind, ErrorKind::protocol);
  EXPECT_THAT(attempt.error->message, HasSubstr("words: expected integer, got 1.5"));
  EXPECT_THAT(attempt.error->message, HasSubstr("title: expected string, got 7"));
  EXPECT_THAT(attempt.error->message, HasSubstr("body: expected json, got missing"));
  EXPECT_THAT(attempt.error->message, HasSubstr("more: expected no such field"));
}

TEST_F(Ending, alternatives_and_what_was_run_are_recorded) {
  const Attempt attempt = shop.run_sh(
      "echo '{\"output\":{},\"alternatives\":[\"b\",{\"c\":1}]}' > \"$PAWL_RESULT\"\n# more\n");
  EXPECT_EQ(attempt.alternatives, (std::vector{Json("b"), Json::object({{"c", 1}})}));
  EXPECT_THAT(attempt.action.text(), HasSubstr(R"({"sh":"echo )"));
  EXPECT_THAT(attempt.action.text(), Not(HasSubstr("more"))) << "the first line is enough";
}

TEST_F(Ending, a_skip_keeps_what_else_was_considered) {
  const Attempt attempt = shop.run_sh(
      R"(echo '{"outcome":"skipped","summary":"no","alternatives":["b"]}' > "$PAWL_RESULT")");
  EXPECT_EQ(attempt.result, AttemptResult::skipped);
  EXPECT_EQ(attempt.alternatives, std::vector{Json("b")});
}

TEST_F(Ending, a_result_with_an_error_says_its_own_class) {
  const auto script = [](const std::string& error) {
    return "echo '{\"error\":" + error + "}' > \"$PAWL_RESULT\"; exit 1";
  };
  expect_error(script(R"({"class":"final","code":"bad_pdf","message":"no pages"})"),
               ErrorClass::final, ErrorKind::reported, "bad_pdf", "no pages");
  expect_error(script(R"({"class":"retryable","message":"busy"})"), ErrorClass::retryable,
               ErrorKind::reported, "1", "busy");
  expect_error(script(R"({"class":"blocked","code":"key","message":"no key"})"),
               ErrorClass::blocked, ErrorKind::reported, "key", "no key");
}

TEST_F(Ending, a_rate_limit_with_a_hint_waits_that_long_and_costs_nothing) {
  const Attempt attempt = shop.run_sh(
      "if [ $PAWL_ATTEMPT = 1 ]; then\n"
      "echo '{\"error\":{\"class\":\"rate_limited\",\"code\":\"http_429\",\"message\":\"quota\","
      "\"retry_after_s\":0.05}}' > \"$PAWL_RESULT\"; exit 79\n"
      "fi\necho now\n");
  EXPECT_EQ(attempt.number, 2U);
  EXPECT_EQ(attempt.cause, Cause::rate_limited);
  EXPECT_EQ(attempt.result, AttemptResult::success);
  const Attempt first = shop.attempts("work").front();
  EXPECT_EQ(first.error->error_class, ErrorClass::rate_limited);
  EXPECT_EQ(first.error->retry_after, Duration(50'000));
}

TEST_F(Ending, a_retryable_error_with_a_hint_waits_at_least_that_long_and_counts) {
  const Attempt last = shop.run_sh(
      "if [ $PAWL_ATTEMPT = 1 ]; then\n"
      "echo '{\"error\":{\"message\":\"busy\",\"retry_after_s\":0.05}}' > \"$PAWL_RESULT\"; exit "
      "75\n"
      "fi\necho now\n",
      "retry: { attempts: 2, backoff: { from: 1ms, to: 1ms } }\n");
  EXPECT_EQ(last.number, 2U);
  EXPECT_EQ(last.cause, Cause::error_retry);
  EXPECT_EQ(last.counts_before.failures, 1U);
  const Attempt first = shop.attempts("work").front();
  EXPECT_EQ(first.error->error_class, ErrorClass::retryable);
  EXPECT_EQ(first.decision.rule, Rule::retry_hint);
  EXPECT_EQ(first.decision.next_run_at - first.ended_at, Duration(50'000));
}

TEST_F(Ending, a_result_that_claims_success_before_a_crash_is_retryable) {
  expect_error("echo '{\"output\":{}}' > \"$PAWL_RESULT\"; echo oops >&2; exit 65",
               ErrorClass::retryable, ErrorKind::exit, "65", "wrote success, then crashed: oops");
}

TEST_F(Ending, seventy_five_is_retryable) {
  expect_error("echo ocr busy >&2; exit 75", ErrorClass::retryable, ErrorKind::exit, "75",
               "ocr busy");
}

TEST_F(Ending, seventy_nine_is_rate_limited) {
  expect_error("exit 79", ErrorClass::rate_limited, ErrorKind::exit, "79", "exit 79");
}

TEST_F(Ending, the_final_codes_of_sysexits_are_final) {
  for (const char* const code : {"64", "65", "66", "77", "78"}) {
    expect_error(std::string("echo encrypted pdf >&2; exit ") + code, ErrorClass::final,
                 ErrorKind::exit, code, "encrypted pdf");
  }
}

TEST_F(Ending, what_a_shell_cannot_run_is_final) {
  expect_error("exit 126", ErrorClass::final, ErrorKind::exit, "126", "exit 126");
  const Attempt attempt = shop.run_sh("no-such-program-here");
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
  EXPECT_EQ(attempt.error->code, "127");
}

TEST_F(Ending, a_signal_is_retryable) {
  expect_error("echo last words >&2; kill -KILL $$", ErrorClass::retryable, ErrorKind::signal,
               "SIGKILL", "last words");
}

TEST_F(Ending, any_other_code_is_retryable) {
  expect_error("exit 1", ErrorClass::retryable, ErrorKind::exit, "1", "exit 1");
}

TEST_F(Ending, the_deadline_ends_the_whole_tree_and_is_a_timeout) {
  const Attempt attempt = shop.run_stage(
      "run: [sh, -c, 'echo begun; sleep 1000 & echo $! > inner; setsid sh -c \"echo \\$\\$ > far; "
      "exec sleep 1000\" & wait']\n"
      "timeout: 400ms\n");
  EXPECT_EQ(attempt.result, AttemptResult::timed_out);
  EXPECT_EQ(attempt.error->kind, ErrorKind::timeout);
  ASSERT_NE(artifact(attempt, "stdout"), nullptr) << "its logs are kept";
  for (const char* const file : {"inner", "far"}) {
    const std::string pid = text_in(shop.folder / file);
    ASSERT_FALSE(pid.empty());
    const auto entry = process_entry(static_cast<pid_t>(std::stoi(pid)));
    EXPECT_FALSE(entry && entry->is_living()) << file;
  }
}

// A worker that is stopped gives its attempts back.
TEST_F(Ending, a_worker_that_is_stopped_gives_the_attempt_back) {
  shop.start(
      "version: 1\nworkflow: one\nstages:\n  work:\n    sh: |\n"
      "      if [ $PAWL_ATTEMPT = 1 ]; then echo here > begun; sleep 1000; fi\n"
      "      echo second\n");
  ASSERT_TRUE(eventually([&] { return text_in(shop.folder / "begun") == "here\n"; }));
  shop.engine->stop();
  EXPECT_EQ(shop.attempts("work").at(0).result, AttemptResult::interrupted);
  shop.make_engine();
  (void)shop.engine->wait(shop.job);
  const std::vector<Attempt> all = shop.attempts("work");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].cause, Cause::interrupted);
  EXPECT_EQ(all[1].result, AttemptResult::success);
}

TEST_F(Ending, exit_codes_may_mean_something_else) {
  const std::string codes = "exit_codes: { retryable: [65], final: [2, 137] }\n";
  EXPECT_EQ(shop.run_sh("exit 65", codes).error->error_class, ErrorClass::retryable);
  EXPECT_EQ(shop.run_sh("exit 2", codes).error->error_class, ErrorClass::final);
  EXPECT_EQ(shop.run_sh("kill -KILL $$", codes).error->error_class, ErrorClass::final);
}

TEST_F(Ending, skipped_and_needs_review_need_a_document) {
  const Attempt skipped =
      shop.run_sh("echo '{\"outcome\":\"skipped\",\"summary\":\"empty\"}' > \"$PAWL_RESULT\"");
  EXPECT_EQ(skipped.result, AttemptResult::skipped);
  EXPECT_EQ(skipped.summary, "empty");
  const Attempt asked = shop.run_sh(
      "echo '{\"outcome\":\"needs_review\",\"summary\":\"odd\",\"output\":{\"n\":1}}' > "
      "\"$PAWL_RESULT\"",
      "out: { n: integer }\nreview: { when: on_escalation }\n");
  EXPECT_EQ(asked.result, AttemptResult::needs_review);
  EXPECT_EQ(asked.output.text(), R"({"n":1})");
}

TEST_F(Ending, a_command_that_cannot_start_tells_why) {
  const auto code = [&](const std::string& body) {
    const Attempt attempt = shop.run_stage(body);
    EXPECT_EQ(attempt.error->error_class, ErrorClass::final) << body;
    return attempt.error->code;
  };
  shop.folder.write("plain.txt", "no program");
  shop.folder.write("long.jsonl", "\"" + std::string(1'000'000, 'x') + "\"\n");
  EXPECT_EQ(code("run: [no-such-program-here]"), "R201");
  EXPECT_EQ(code("run: [./plain.txt]"), "R202");
  EXPECT_EQ(code("run: ['true']\ndir: nowhere"), "R203");
  shop.run(
      "version: 1\nworkflow: long\nitems: { file: long.jsonl }\nstages:\n  work:\n"
      "    run: ['true', '${item}']\n");
  const Item item = shop.store->records().items({.job = shop.job})->at(0);
  EXPECT_EQ(shop.attempts("work", item.key).at(0).error->code, "R204");
  EXPECT_EQ(code("run: ['true', '${item.absent}']"), "R206");
  EXPECT_THAT(shop.attempts("work").back().error->message, HasSubstr("${item.absent} is null"));
}

TEST_F(Ending, capture_json_wants_one_value_on_stdout) {
  const std::string out = "capture: json\nout: { n: integer }\n";
  EXPECT_EQ(shop.run_sh("echo '{\"n\":3}'", out).output.text(), R"({"n":3})");
  EXPECT_EQ(shop.run_sh("echo '{\"n\":3} and more'", out).error->kind, ErrorKind::protocol);
  EXPECT_EQ(shop.run_sh("echo 3", out).error->kind, ErrorKind::protocol);
  const Attempt written =
      shop.run_sh("echo noise; echo '{\"output\":{\"n\":4}}' > \"$PAWL_RESULT\"", out);
  EXPECT_EQ(written.output.text(), R"({"n":4})") << "a document is always read";
}

TEST_F(Ending, without_a_declared_output_stdout_is_the_text) {
  EXPECT_EQ(shop.run_sh("printf 'one\\ntwo\\n'").output.text(), R"({"text":"one\ntwo\n"})");
}

TEST_F(Ending, logs_are_kept_with_their_end) {
  const Attempt attempt = shop.run_sh("seq 1 20000; echo trouble >&2");
  const ArtifactRecord* const out = artifact(attempt, "stdout");
  const ArtifactRecord* const err = artifact(attempt, "stderr");
  ASSERT_TRUE(out != nullptr && err != nullptr);
  EXPECT_EQ(out->kind, ArtifactKind::standard_output);
  EXPECT_EQ(out->size, 108'894);
  EXPECT_THAT(*field(out->summary, "tail").string(), HasSubstr("\n20000\n"));
  EXPECT_LE(field(out->summary, "tail").string()->size(), 2'048U);
  const Result<std::string> kept = shop.store->records().payload(out->sha256);
  ASSERT_TRUE(kept) << kept.error().text() << " " << out->reference;
  EXPECT_THAT(*kept, StartsWith("1\n2\n3\n"));
  EXPECT_THAT(*kept, HasSubstr("bytes left out"));
  EXPECT_EQ(out->reference, "sha256:" + out->sha256);
  EXPECT_EQ(err->summary.text(), R"({"bytes":8,"tail":"trouble\n"})");
  EXPECT_TRUE(err->reference.empty());
}

TEST_F(Ending, a_failure_keeps_its_logs_and_its_costs) {
  const Attempt attempt = shop.run_sh(
      "echo '{\"usage\":{\"cost_usd\":0.25,\"input_tokens\":10,\"output_tokens\":5}}' >> "
      "\"$PAWL_EVENTS\"\necho '{\"usage\":{\"cost_usd\":0.05}}' >> \"$PAWL_EVENTS\"\n"
      "echo not json >> \"$PAWL_EVENTS\"\n"
      "echo '{\"progress\":0.4,\"message\":\"page 12\"}' >> \"$PAWL_EVENTS\"\n"
      "echo broke >&2; exit 1\n");
  EXPECT_EQ(attempt.usage, (Usage{.cost_microusd = 300'000, .tokens = 15}));
  EXPECT_NE(artifact(attempt, "stderr"), nullptr);
  const ArtifactRecord* const note = artifact(attempt, "ignored lines of PAWL_EVENTS");
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(field(note->summary, "lines").text(), "1");
}

TEST_F(Ending, usage_in_the_result_replaces_that_of_the_events) {
  const Attempt attempt = shop.run_sh(
      "echo '{\"usage\":{\"cost_usd\":9}}' >> \"$PAWL_EVENTS\"\n"
      "echo '{\"usage\":{\"cost_usd\":0.031,\"input_tokens\":9120,\"output_tokens\":2210,"
      "\"model\":\"m\"}}' > \"$PAWL_RESULT\"\n");
  EXPECT_EQ(attempt.usage, (Usage{.cost_microusd = 31'000, .tokens = 11'330}));
}

TEST_F(Ending, nothing_is_left_on_the_disk) {
  (void)shop.run_sh("mkdir -p \"$PAWL_DIR/deep\"; echo x > \"$PAWL_DIR/deep/file\"");
  // The files of the attempt; the worker keeps its mark and its folder for as long as it lives.
  EXPECT_TRUE(eventually([&] {
    return std::ranges::all_of(
        std::filesystem::directory_iterator(shop.folder / "run"), [](const auto& entry) {
          return !entry.is_directory() || std::filesystem::is_empty(entry.path());
        });
  }));
  shop.engine->stop();
  shop.engine.reset();
  EXPECT_TRUE(std::filesystem::is_empty(shop.folder / "run"));
}

TEST_F(Ending, files_are_kept_and_handed_on_by_their_names) {
  shop.run(R"(
version: 1
workflow: files
stages:
  make:
    sh: |
      printf '# title' > "$PAWL_DIR/a.md"
      printf png > "$PAWL_DIR/pages.png"
      echo '{"output":{"markdown":"a.md"},"artifacts":[{"name":"pages","path":"pages.png","type":"image/png"}]}' > "$PAWL_RESULT"
    out: { markdown: file }
  use:
    needs: [make]
    in: { doc: "${stages.make.out.markdown}", list: ["${stages.make.out.markdown}"] }
    env: { DOC: "${stages.make.out.markdown}" }
    run: [sh, -c, 'basename "$1"; cat "$1" "$DOC"; cat > envelope.json', sh, "${stages.make.out.markdown}"]
)");
  const Json made = *field(shop.output("make"), "markdown").json();
  EXPECT_EQ(field(made, "name").text(), "\"a.md\"");
  EXPECT_EQ(field(made, "size").text(), "7");
  EXPECT_THAT(*field(made, "$file").string(), StartsWith("sha256:"));
  EXPECT_EQ(shop.text("use"), "a.md\n# title# title");
  const Json envelope = *parse_json(text_in(shop.folder / "envelope.json"));
  EXPECT_THAT(*field(envelope, "in.doc").string(), ::testing::EndsWith("/in/doc/a.md"));
  EXPECT_THAT(*field(envelope, "in.list[0]").string(), ::testing::EndsWith("/a.md"));
  const Attempt made_by = shop.attempts("make").at(0);
  const ArtifactRecord* const pages = artifact(made_by, "pages");
  ASSERT_NE(pages, nullptr);
  ASSERT_TRUE(shop.store->records().payload(pages->sha256));
  EXPECT_EQ(*shop.store->records().payload(pages->sha256), "png");
}

TEST_F(Ending, a_file_must_be_a_regular_one_in_an_allowed_place) {
  const auto message = [&](const std::string& path) {
    const Attempt attempt = shop.run_sh(
        "echo '{\"output\":{\"f\":\"" + path + "\"}}' > \"$PAWL_RESULT\"", "out: { f: file }\n");
    return attempt.error ? attempt.error->message : std::string("fine");
  };
  EXPECT_THAT(message("/etc/passwd"), HasSubstr("/etc/passwd lies outside of $PAWL_DIR"));
  EXPECT_THAT(message("absent.md"), HasSubstr("cannot open absent.md"));
  EXPECT_THAT(message("../result.json"), HasSubstr("leads out of $PAWL_DIR"));
  EXPECT_THAT(message("."), HasSubstr("not a regular file"));
}

}  // namespace
}  // namespace pawl::actions
