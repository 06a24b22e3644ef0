// Valid workflow files: every key gets to its place in the definition.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/codec/workflow.hpp"
#include "pawl/workflow/file.hpp"
#include "workflow/case_files.hpp"

namespace pawl::workflow {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

WorkflowFile loaded(const std::string& text) {
  auto file = load_workflow_file(text, {.project = testing::cases_directory()});
  if (file) return *std::move(file);
  ADD_FAILURE() << render(file.error(), text);
  std::abort();
}

/// A file of tests/workflow/good.
WorkflowFile good(const std::string& name) {
  return loaded(testing::read_whole(testing::source_directory() / "tests/workflow/good" / name));
}

WorkflowFile with_stages(const std::string& stages) {
  return loaded("version: 1\nworkflow: w\nstages:\n" + stages);
}

const StageDefinition& stage_of(const WorkflowFile& file, std::string_view name) {
  return file.workflow.stage(file.workflow.require_stage(name).value());
}

ActionSpec action_of(const WorkflowFile& file, std::string_view name) {
  return action_from(stage_of(file, name).params).value();
}

TEST(Hello, loads_in_ten_lines) {
  const WorkflowFile file = good("hello.yaml");
  EXPECT_EQ(file.workflow.name(), "hello");
  EXPECT_EQ(file.items.kind, ItemsSpec::Kind::list);
  EXPECT_THAT(file.items.list, ElementsAre(Json("ada"), Json("grace"), Json("alan")));
  EXPECT_THAT(file.warnings, IsEmpty());

  EXPECT_EQ(stage_of(file, "greet").handler, command_handler);
  const ActionSpec greet = action_of(file, "greet");
  EXPECT_EQ(greet.kind, ActionKind::sh);
  EXPECT_EQ(greet.script, "echo \"Hello, $NAME\"");
  EXPECT_THAT(greet.env, ElementsAre(Pair("NAME", "${item}")));

  const StageDefinition& check = stage_of(file, "check");
  EXPECT_TRUE(check.is_human());
  EXPECT_THAT(check.needs, ElementsAre("greet"));
  EXPECT_EQ(check.review, ReviewPolicy::always);
  EXPECT_EQ(action_of(file, "check").kind, ActionKind::human);
}

TEST(Defaults, are_safe) {
  const WorkflowFile file = with_stages("  a: { run: [a] }\n");
  EXPECT_EQ(file.items, ItemsSpec{});
  EXPECT_EQ(file.budget, Budget{});
  EXPECT_FALSE(file.tolerate_failures.is_set());
  EXPECT_EQ(file.parallel, 0U);
  const StageDefinition& a = stage_of(file, "a");
  EXPECT_EQ(a.scope, Scope::item);
  EXPECT_EQ(a.retry.retry_attempts, 1U);
  EXPECT_EQ(a.retry.refine_attempts, 1U);
  EXPECT_EQ(a.retry.max_attempts, 1U);
  EXPECT_EQ(a.retry.backoff, Backoff{});
  EXPECT_EQ(a.retry.attempt_timeout, Duration(1h));
  EXPECT_EQ(a.retry.on_exhausted, OnExhausted::fail);
  EXPECT_EQ(a.review, ReviewPolicy::never);
  EXPECT_EQ(a.on_failure, OnFailure::dead_letter);
  EXPECT_EQ(a.limits, Limits{});
  EXPECT_FALSE(a.conditional);
  EXPECT_FALSE(a.joins);
  EXPECT_EQ(action_of(file, "a"), (ActionSpec{.argv = {"a"}}));
}

TEST(Defaults, of_the_file_are_replaced_key_by_key) {
  const WorkflowFile file = good("defaults.yaml");
  const RetryPolicy& a = stage_of(file, "a").retry;
  EXPECT_EQ(a.attempt_timeout, Duration(2min));
  EXPECT_EQ(a.retry_attempts, 4U);
  EXPECT_EQ(a.backoff, (Backoff{.initial = 2s, .max = 1min, .multiplier = 3.0, .jitter = 0.0}));
  EXPECT_EQ(stage_of(file, "a").on_failure, OnFailure::stop_job);
  const RetryPolicy& b = stage_of(file, "b").retry;
  EXPECT_EQ(b.attempt_timeout, Duration(90min));
  EXPECT_EQ(b.retry_attempts, 2U);
  EXPECT_EQ(b.backoff, (Backoff{.initial = 1s, .max = 1min, .multiplier = 2.0, .jitter = 0.1}));
  EXPECT_EQ(stage_of(file, "b").on_failure, OnFailure::dead_letter);
  EXPECT_EQ(stage_of(file, "c").retry.backoff, Backoff{});
  const StageDefinition& check = stage_of(file, "check");
  EXPECT_EQ(check.retry.attempt_timeout, Duration(0));
  EXPECT_EQ(check.retry.retry_attempts, 1U);
  EXPECT_EQ(check.on_failure, OnFailure::stop_job);
}

TEST(Scripts, with_a_nul_character_are_refused) {
  const auto file =
      load_workflow_file("version: 1\nworkflow: w\nstages: { a: { sh: \"echo a\\0; echo b\" } }\n");
  ASSERT_FALSE(file);
  ASSERT_EQ(file.error().size(), 1U);
  EXPECT_EQ(file.error()[0].message, "\"sh\" of stage \"a\" contains a NUL character");
}

TEST(Arguments, with_a_nul_character_are_refused_in_every_command) {
  for (const std::string file_text : {
           R"(stages: { a: { run: [echo, "a\0b"] } })",
           R"(stages: { a: { run: [a], gates: [{ name: g, run: ["g\0"] }] } })",
           "items: { run: [list, \"a\\0b\"] }\nstages: { a: { run: [a] } }",
       }) {
    const auto file = load_workflow_file("version: 1\nworkflow: w\n" + file_text);
    ASSERT_FALSE(file) << file_text;
    ASSERT_EQ(file.error().size(), 1U) << file_text;
    EXPECT_TRUE(file.error()[0].message.starts_with("an argument in \"run\" of ")) << file_text;
    EXPECT_TRUE(file.error()[0].message.ends_with(" contains a NUL character")) << file_text;
  }
}

TEST(RetryPresets, have_exactly_the_figures_of_the_library) {
  const WorkflowFile file = with_stages(R"(  a: { run: [a], retry: service }
  b: { run: [b], retry: task }
  c: { run: [c], retry: batch }
  d: { run: [d], retry: none }
)");
  const auto expect = [&](const char* stage, std::uint32_t attempts, const Backoff& backoff) {
    const RetryPolicy& policy = stage_of(file, stage).retry;
    EXPECT_EQ(policy.retry_attempts, attempts) << stage;
    EXPECT_EQ(policy.refine_attempts, 1U) << stage;
    EXPECT_EQ(policy.backoff, backoff) << stage;
    EXPECT_EQ(policy.backoff.jitter, 0.0) << stage;
  };
  expect("a", 8, {.initial = 60s, .max = 3600s, .multiplier = 2.0});
  expect("b", 5, {.initial = 2s, .max = 0s, .multiplier = 2.0});
  expect("c", 3, {.initial = 1s, .max = 30s, .multiplier = 2.0});
  expect("d", 1, {});
}

TEST(RetryPresets, may_be_defaults_that_a_stage_replaces) {
  const auto file = load_workflow_file(
      "version: 1\nworkflow: w\ndefaults: { retry: service }\n"
      "stages: { a: { run: [a] }, b: { run: [b], retry: none } }\n");
  ASSERT_TRUE(file);
  EXPECT_EQ(stage_of(*file, "a").retry.retry_attempts, 8U);
  EXPECT_EQ(stage_of(*file, "b").retry.retry_attempts, 1U);
}

TEST(ComposedGates, keep_their_parts_and_how_many_must_accept) {
  const WorkflowFile file = with_stages(R"(  a:
    run: [a]
    gates:
      - name: good
        any:
          - { name: judged, run: [judge, "${out.text}"] }
          - all: [{ expect: { text: { present: true } } }, { schema: { type: object } }]
        at_least: 2
        on_uncertain: reject
)");
  const GateSpec gate = action_of(file, "a").gates.at(0);
  EXPECT_EQ(gate.kind, GateSpec::Kind::any);
  EXPECT_EQ(gate.at_least, 2U);
  ASSERT_EQ(gate.parts.size(), 2U);
  EXPECT_EQ(gate.parts[0].name, "judged");
  EXPECT_EQ(gate.parts[0].argv, (std::vector<std::string>{"judge", "${out.text}"}));
  EXPECT_EQ(gate.parts[1].kind, GateSpec::Kind::all);
  EXPECT_EQ(gate.parts[1].parts.at(1).kind, GateSpec::Kind::schema);
  EXPECT_TRUE(gate.runs_command());
  EXPECT_EQ(stage_of(file, "a").gates.at(0).on_uncertain, OnUncertain::reject);
}

TEST(Stages, have_every_key_in_its_place) {
  const WorkflowFile file = good("stages.yaml");
  const StageDefinition& read = stage_of(file, "read");
  EXPECT_EQ(action_of(file, "read"),
            (ActionSpec{.argv = {"read", "--fast", "5", "${item.path}"},
                        .out = {{"pages", FieldType::json}, {"ok", FieldType::boolean}},
                        .capture = Capture::json,
                        .description = "reads pages"}));
  EXPECT_TRUE(read.gates.empty());

  const StageDefinition& page = stage_of(file, "page");
  const ActionSpec page_action = action_of(file, "page");
  EXPECT_EQ(page_action.kind, ActionKind::sh);
  EXPECT_EQ(page_action.script, "convert \"$PAGE\"");
  EXPECT_THAT(
      page_action.in,
      ElementsAre(Pair("page", Json("${each}")),
                  Pair("all", Json::object({{"of", Json::array({"${stages.read.out.pages}"})}}))));
  EXPECT_THAT(page_action.out, ElementsAre(OutField{"words", FieldType::integer},
                                           OutField{"page", FieldType::file}));
  EXPECT_EQ(page_action.capture, Capture::file);
  EXPECT_THAT(page_action.env, ElementsAre(Pair("PAGE", "${each.path}"), Pair("N", "5")));
  EXPECT_EQ(page_action.dir, "work");
  EXPECT_THAT(page_action.secrets, ElementsAre("API_KEY"));
  EXPECT_THAT(page_action.retryable_exits, ElementsAre(137));
  EXPECT_THAT(page_action.final_exits, ElementsAre(2, 3));
  EXPECT_EQ(page_action.when.text(), R"({"${stages.read.out.ok}":{"equals":true}})");
  EXPECT_EQ(page_action.each, "${stages.read.out.pages}");
  EXPECT_TRUE(page.conditional);
  EXPECT_TRUE(page.joins);
  EXPECT_EQ(page.tolerate_failures.percent, 5.0);
  EXPECT_EQ(page.on_failure, OnFailure::stop_job);
  EXPECT_EQ(page.limits, (Limits{.pool = "gpu", .parallel = 2, .rate = {60, 1min}}));
  EXPECT_EQ(page.retry.attempt_timeout, Duration(500ms));
  EXPECT_EQ(page.retry.retry_attempts, 3U);
  EXPECT_EQ(page.retry.backoff.initial, Duration(2h));
  EXPECT_EQ(page.retry.backoff.max, Duration(2h));

  const StageDefinition& judge = stage_of(file, "judge");
  const ActionSpec judge_action = action_of(file, "judge");
  EXPECT_THAT(
      judge.gates,
      ElementsAre(GateRef{.name = "types"}, GateRef{.name = "high", .advisory = true},
                  GateRef{.name = "shaped"},
                  GateRef{.name = "grounded", .on_uncertain = OnUncertain::reject, .timeout = 5s}));
  using Kind = GateSpec::Kind;
  EXPECT_THAT(
      judge_action.gates,
      ElementsAre(
          GateSpec{.name = "types", .kind = Kind::types},
          GateSpec{.name = "high",
                   .kind = Kind::expect,
                   .body = Json::trusted(R"({"score":{"at_least":"${params.min}"}})")},
          GateSpec{.name = "shaped",
                   .kind = Kind::schema,
                   .body = Json::trusted(R"({"type":"object"})")},
          GateSpec{.name = "grounded", .kind = Kind::run, .argv = {"ground", "${out.text}"}}));
  EXPECT_EQ(judge.retry.refine_attempts, 3U);
  EXPECT_EQ(judge.retry.refine_delay, Duration(0));
  EXPECT_EQ(judge.retry.on_exhausted, OnExhausted::escalate);
  EXPECT_EQ(judge.review, ReviewPolicy::on_escalation);
  EXPECT_THAT(judge.editable, ElementsAre("text"));
  EXPECT_EQ(judge.changes_rerun, "page");
  EXPECT_EQ(judge_action.instructions, "Read it.");
  EXPECT_EQ(judge_action.show.text(), R"({"main":"out.text","beside":"in.pages"})");

  EXPECT_EQ(stage_of(file, "report").scope, Scope::all);
}

TEST(Reviews, have_every_rule_in_its_place) {
  const WorkflowFile file = good("reviews.yaml");
  EXPECT_EQ(stage_of(file, "check").review_rules,
            (ReviewRules{.assign = {"ben@example.org", "group:editors"},
                         .approvals = 3,
                         .self_approval = false,
                         .due = 90min,
                         .overdue = OnOverdue::escalate,
                         .escalate_to = {"group:leads", "7seas"},
                         .bulk = false,
                         .reasons = {"a table is broken", "wrong language"}}));
  EXPECT_EQ(stage_of(file, "convert").review_rules,
            (ReviewRules{.assign = {"anna"}, .self_approval = false}));
  EXPECT_EQ(stage_of(file, "rejected_in_time").review_rules,
            (ReviewRules{.due = 24h, .overdue = OnOverdue::reject}));
  EXPECT_EQ(stage_of(file, "defaults").review_rules, ReviewRules{});
}

TEST(Reviews, keep_what_is_shown_first_in_the_action_as_it_is_written) {
  const WorkflowFile file = good("reviews.yaml");
  EXPECT_EQ(action_of(file, "convert").show.text(),
            R"({"main":"out.markdown","beside":["in.pdf","out.notes"]})");
  EXPECT_EQ(stage_of(file, "convert").review_rules.show_main, "");
}

// Items that an earlier job finished are found again by the hash of the workflow.
TEST(Hashes, of_files_never_change) {
  EXPECT_EQ(good("hello.yaml").workflow.hash(),
            "8d1e7bdfc10577726907ef6d30b7646f5d7c5f4a205561f5cd19ce4b688bebc6");
  EXPECT_EQ(good("documents.yaml").workflow.hash(),
            "605a4527580fc77ec9f0243f890b86b617b59daa06435e7a9df5658502252c69");
  EXPECT_EQ(good("stages.yaml").workflow.hash(),
            "98c43e257aac3a6af7584232cad3806d64479f122f098c8ab6d45be649c1a38e");
  EXPECT_EQ(good("job.yaml").workflow.hash(),
            "06b491edc58f35be284d9093bdedc9229a3511288f6d92b27dee1d1ebd74db53");
}

TEST(Assignees, are_listed_with_their_places) {
  const WorkflowFile file = good("reviews.yaml");
  std::vector<std::string> names;
  for (const Assignee& one : file.assignees) names.push_back(one.name);
  EXPECT_THAT(names,
              ElementsAre("anna", "ben@example.org", "group:editors", "group:leads", "7seas"));
  EXPECT_EQ(file.assignees[0].place, (Place{.line = 11, .column = 15, .end_column = 19}));
}

TEST(Assignees, that_the_store_does_not_know_are_warned_of) {
  WorkflowFile file = good("reviews.yaml");
  warn_of_unknown_people(file, {"anna", "7seas", "group:leads", "group:editor"}, "r.yaml");
  ASSERT_EQ(file.warnings.size(), 2U);
  EXPECT_EQ(file.warnings[0].message, "there is no person \"ben@example.org\" yet");
  EXPECT_EQ(file.warnings[0].help, "add the person: pawl user add ben@example.org");
  EXPECT_EQ(file.warnings[0].file, "r.yaml");
  EXPECT_EQ(file.warnings[0].severity, Severity::warning);
  EXPECT_EQ(file.warnings[1].message, "there is no group \"editors\" yet");
  EXPECT_EQ(file.warnings[1].suggestion,
            (Suggestion{.replace = "group:editors", .with = "group:editor"}));
}

TEST(Assignees, are_not_warned_of_if_the_store_has_no_people) {
  WorkflowFile file = good("reviews.yaml");
  warn_of_unknown_people(file, {}, "r.yaml");
  EXPECT_THAT(file.warnings, IsEmpty());
}

TEST(Jobs, have_every_key_in_its_place) {
  const WorkflowFile file = good("job.yaml");
  EXPECT_EQ(file.description, "all of a job");
  EXPECT_THAT(file.params, ElementsAre(ParamSpec{.name = "corpus",
                                                 .fallback = Json("corpus"),
                                                 .description = "where it is"},
                                       ParamSpec{.name = "depth", .type = FieldType::number}));
  EXPECT_EQ(file.items, (ItemsSpec{.kind = ItemsSpec::Kind::run,
                                   .argv = {"list", "${params.corpus}"},
                                   .id = "${item.path}",
                                   .category = "${item.kind}",
                                   .path = "data.rows",
                                   .offset = 2,
                                   .limit = 10}));
  EXPECT_EQ(file.parallel, 8U);
  EXPECT_EQ(file.tolerate_failures, (Tolerance{.count = 3}));
  EXPECT_EQ(file.budget, (Budget{.max_total_attempts = 4000,
                                 .deadline = 6h,
                                 .no_progress = 30min,
                                 .cost_microusd = 25'500'000,
                                 .tokens = 1000,
                                 .exhausted = OnBudgetEnd::fail}));
}

TEST(Items, come_from_globs_and_files) {
  const WorkflowFile glob = loaded(
      "version: 1\nworkflow: w\nitems: { glob: \"a/**/*.pdf\" }\nstages: { a: { sh: echo } }\n");
  EXPECT_EQ(
      glob.items,
      (ItemsSpec{.kind = ItemsSpec::Kind::glob, .source = "a/**/*.pdf", .keyed_by_path = true}));
  const WorkflowFile lines =
      loaded("version: 1\nworkflow: w\nitems: { file: x.jsonl }\nstages: { a: { sh: echo } }\n");
  EXPECT_EQ(lines.items, (ItemsSpec{.kind = ItemsSpec::Kind::file, .source = "x.jsonl"}));
}

// The thirty cells: what happens when attempts are used up follows from `review`, unless it is set.
TEST(Refine, leaves_it_to_the_review_what_exhausted_means) {
  const std::string stage =
      "  a: { run: [a], gates: [{ name: g, run: [g] }], refine: { attempts: 2 }";
  EXPECT_EQ(stage_of(with_stages(stage + " }\n"), "a").retry.on_exhausted, OnExhausted::fail);
  const WorkflowFile asks = with_stages(stage + ", review: { when: on_escalation } }\n");
  EXPECT_EQ(stage_of(asks, "a").retry.on_exhausted, OnExhausted::fail);
  EXPECT_EQ(stage_of(asks, "a").review, ReviewPolicy::on_escalation);
}

TEST(TypesGate, is_added_only_where_a_misfit_can_be_given_back) {
  const WorkflowFile file = with_stages(R"(
  once: { run: [a], out: { x: string }, gates: [{ name: types, run: [g] }] }
  plain: { run: [a], gates: [{ name: g, run: [g] }], refine: { attempts: 2 } }
  fan:
    run: [a, "${each}"]
    each: "${item.pages}"
    out: { x: string }
    gates: [{ name: g, run: [g] }]
    refine: { attempts: 2 }
  typed: { run: [a], out: { x: string }, gates: [{ name: g, run: [g] }], refine: { attempts: 2 } }
)");
  EXPECT_EQ(stage_of(file, "once").gates.size(), 1U);
  EXPECT_EQ(stage_of(file, "plain").gates.size(), 1U);
  EXPECT_EQ(stage_of(file, "fan").gates.size(), 1U);
  EXPECT_EQ(stage_of(file, "typed").gates.size(), 2U);
}

TEST(PeopleStages, hand_on_what_they_were_given) {
  with_stages(R"(
  a: { run: [a], out: { words: integer } }
  b: { run: [b] }
  one: { needs: [a], review: { when: always, editable: [words] } }
  several: { needs: [a, b], review: { when: always, editable: [a] } }
  own:
    needs: [a]
    in: { n: "${stages.a.out.words}", note: text }
    review: { when: always, editable: [note] }
  reads:
    needs: [one, several, own]
    run: [x, "${stages.one.out.words}", "${stages.own.out.n}", "${stages.several.out.b.text}"]
)");
}

// Four fields through forty stages: types are computed once for each stage, not once for each path.
TEST(PeopleStages, may_follow_each_other_in_a_long_row) {
  std::string stages = "  h0: { run: [a], out: { a: string, b: json, c: file, d: integer } }\n";
  for (int i = 1; i <= 40; ++i) {
    const std::string before = "h" + std::to_string(i - 1);
    stages += "  h" + std::to_string(i) + ":\n    needs: [" + before + "]\n    in:\n";
    for (const char* const field : {"a", "b", "c", "d"}) {
      stages +=
          std::string("      ") + field + ": \"${stages." + before + ".out." + field + "}\"\n";
    }
    stages += "    review: { when: always }\n";
  }
  stages += "  last: { needs: [h40], run: [x, \"${stages.h40.out.a}\"] }\n";
  EXPECT_EQ(with_stages(stages).workflow.stage_count(), 42U);
}

TEST(Schemas, of_gates_are_read_from_the_project) {
  const WorkflowFile file =
      with_stages("  a: { run: [a], gates: [{ name: g, schema: good_schema.json }] }\n");
  EXPECT_EQ(action_of(file, "a").gates.front().body.text(), R"({"type":"object"})");
}

TEST(Escapes, stay_as_they_are_written) {
  const WorkflowFile file =
      with_stages("  a: { run: [echo, \"$${item.path}\"], in: { x: \"$${not one}\" } }\n");
  EXPECT_EQ(action_of(file, "a").argv.at(1), "$${item.path}");
}

TEST(WorkflowFiles, of_the_same_meaning_have_the_same_hash) {
  const WorkflowFile one = with_stages("  a: { run: [a], timeout: 60s, env: { A: x, B: y } }\n");
  const WorkflowFile two = with_stages("  a: { env: { B: y, A: x }, timeout: 1m, run: [a] }\n");
  const WorkflowFile other = with_stages("  a: { env: { B: y, A: x }, timeout: 2m, run: [a] }\n");
  EXPECT_EQ(one.workflow.hash(), two.workflow.hash());
  EXPECT_NE(one.workflow.hash(), other.workflow.hash());
}

TEST(WorkflowFiles, survive_the_store) {
  const WorkflowFile file = good("hello.yaml");
  const Result<Workflow> again = workflow_from(describe(file.workflow.definition()));
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ(again->definition(), file.workflow.definition());
}

TEST(DocumentWorkflow, loads_whole) {
  const WorkflowFile file = good("documents.yaml");
  EXPECT_EQ(file.workflow.stage_count(), 7U);
  EXPECT_EQ(file.workflow.topological_order().size(), 7U);
  EXPECT_EQ(stage_of(file, "final_review").changes_rerun, "cross_reference");
  EXPECT_EQ(stage_of(file, "corpus_report").scope, Scope::all);
  EXPECT_EQ(stage_of(file, "generate_embeddings").limits.rate, (Rate{60, 1min}));
  EXPECT_EQ(stage_of(file, "pdf_to_markdown").gates.front().name, "types");
}

}  // namespace
}  // namespace pawl::workflow
