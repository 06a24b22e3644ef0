#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<StageDefinition>& stages) {
  std::vector<std::string> found;
  for (const Error& fault : faults_of({.name = "invoices", .stages = stages})) {
    EXPECT_EQ(fault.code, ErrorCode::invalid);
    found.push_back(fault.text());
  }
  return found;
}

/// The faults of a workflow with `draft` and a stage `scan` to which `change` was applied.
std::vector<std::string> after(const std::function<void(StageDefinition&)>& change) {
  StageDefinition stage = given::node("scan", {"draft"});
  change(stage);
  return texts({given::node("draft"), stage});
}

TEST(Faults, a_sound_definition_has_none) {
  EXPECT_THAT(after([](StageDefinition&) {}), IsEmpty());
}

TEST(Faults, names_that_no_store_could_hold) {
  EXPECT_THAT(after([](StageDefinition& it) { it.limits.pool = std::string("a\0b", 3); }),
              ElementsAre("stage 'scan': the pool 'a\uFFFDb' is not UTF-8 without NUL"));
  EXPECT_THAT(after([](StageDefinition& it) { it.handler = "\xFF"; }),
              ElementsAre(HasSubstr("the handler '\uFFFD' is not UTF-8")));
  EXPECT_THAT(after([](StageDefinition& it) { it.decider = "\xFF"; }),
              ElementsAre(HasSubstr("the decider '\uFFFD' is not UTF-8")));
  EXPECT_THAT(after([](StageDefinition& it) { it.gates = {{.name = "\xFF"}}; }),
              ElementsAre(HasSubstr("the gate '\uFFFD' is not UTF-8")));
  EXPECT_THAT(after([](StageDefinition& it) { it.editable = {"\xFF"}; }),
              ElementsAre(HasSubstr("the editable field '\uFFFD' is not UTF-8")));
  EXPECT_THAT(after([](StageDefinition& it) { it.params = Json::trusted("\"\xFF\""); }),
              ElementsAre(HasSubstr("the params contain text that is not UTF-8")));
  EXPECT_THAT(after([](StageDefinition& it) { it.params = Json::trusted(R"("\u0000")"); }),
              IsEmpty());
}

TEST(Faults, zero_attempts) {
  EXPECT_THAT(after([](StageDefinition& it) { it.retry.max_attempts = 0; }),
              ElementsAre(HasSubstr("stage 'scan': max_attempts is 0")));
  EXPECT_THAT(after([](StageDefinition& it) { it.retry.retry_attempts = 0; }),
              ElementsAre(HasSubstr("retry.attempts is 0")));
  EXPECT_THAT(after([](StageDefinition& it) { it.retry.refine_attempts = 0; }),
              ElementsAre(HasSubstr("refine.attempts is 0")));
}

TEST(Faults, one_count_and_separate_caps_contradict) {
  EXPECT_THAT(after([](StageDefinition& it) {
                it.retry.max_attempts = 3;
                it.retry.refine_attempts = 2;
              }),
              ElementsAre(HasSubstr("contradicts")));
}

TEST(Faults, negative_durations) {
  EXPECT_THAT(after([](StageDefinition& it) {
                it.retry.backoff.initial = -1s;
                it.retry.backoff.max = -1s;
                it.retry.refine_delay = -1s;
                it.retry.attempt_timeout = -1s;
                it.retry.gate_timeout = -1s;
                it.retry.max_retry_after = -1s;
              }),
              testing::AllOf(testing::SizeIs(6), testing::Each(HasSubstr("is negative"))));
}

TEST(Faults, a_backoff_that_shrinks_or_jitter_out_of_range) {
  for (const double wrong : {0.5, -1.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THAT(after([&](StageDefinition& it) { it.retry.backoff.multiplier = wrong; }),
                ElementsAre(HasSubstr("multiplier")));
  }
  for (const double wrong : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(after([&](StageDefinition& it) { it.retry.backoff.jitter = wrong; }),
                ElementsAre(HasSubstr("jitter")));
  }
}

TEST(Faults, unknown_names_come_with_a_suggestion) {
  EXPECT_THAT(after([](StageDefinition& it) { it.needs = {"darft"}; }),
              ElementsAre("stage 'scan': needs names the unknown stage 'darft'; did you mean "
                          "'draft'?"));
  EXPECT_THAT(after([](StageDefinition& it) { it.changes_rerun = "draftt"; }),
              ElementsAre(HasSubstr("did you mean 'draft'?")));
  EXPECT_THAT(after([](StageDefinition& it) { it.needs = {"zebra"}; }),
              ElementsAre("stage 'scan': needs names the unknown stage 'zebra'"));
}

TEST(Faults, duplicates) {
  EXPECT_THAT(texts({given::node("a"), given::node("a")}),
              ElementsAre(HasSubstr("stage 'a': is defined twice")));
  EXPECT_THAT(after([](StageDefinition& it) { it.needs = {"draft", "draft"}; }),
              ElementsAre(HasSubstr("needs 'draft' twice")));
  EXPECT_THAT(after([](StageDefinition& it) { it.gates = {{.name = "g"}, {.name = "g"}}; }),
              ElementsAre(HasSubstr("names gate 'g' twice")));
  EXPECT_THAT(after([](StageDefinition& it) { it.gates = {{}}; }),
              ElementsAre(HasSubstr("a gate without a name")));
}

TEST(Faults, cycles_are_spelled_out) {
  EXPECT_THAT(texts({given::node("a", {"b"}), given::node("b", {"a"})}),
              ElementsAre(HasSubstr("cycle: a → b → a")));
  EXPECT_THAT(texts({given::node("a", {"a"})}), ElementsAre(HasSubstr("cycle: a → a")));
  EXPECT_THAT(texts({given::node("a", {"b"}), given::node("b", {"a"}), given::node("c", {"d", "a"}),
                     given::node("d", {"c"})}),
              ElementsAre(HasSubstr("cycle: a → b → a"), HasSubstr("cycle: c → d → c")));
}

TEST(Faults, a_cycle_is_told_from_its_first_stage_without_those_that_only_lead_into_it) {
  EXPECT_THAT(texts({given::node("a", {"c"}), given::node("b", {"c"}), given::node("c", {"b"})}),
              ElementsAre(HasSubstr("cycle: b → c → b")));
}

TEST(Faults, more_than_sixty_four_needs) {
  std::vector<StageDefinition> stages;
  std::vector<std::string> names;
  for (int i = 0; i < 65; ++i) {
    names.push_back("s" + std::to_string(i));
    stages.push_back(given::node(names.back()));
  }
  stages.push_back(given::node("join", names));
  EXPECT_THAT(texts(stages), ElementsAre(HasSubstr("stage 'join': has 65 needs")));
}

TEST(Faults, an_item_stage_cannot_need_a_job_wide_one) {
  EXPECT_THAT(texts({given::node("sum", {}, Scope::all), given::node("a", {"sum"})}),
              ElementsAre(HasSubstr("cannot need 'sum'")));
}

TEST(Faults, changes_rerun_must_be_upstream_and_of_the_same_scope) {
  EXPECT_THAT(after([](StageDefinition& it) { it.changes_rerun = "draft"; }), IsEmpty());
  EXPECT_THAT(after([](StageDefinition& it) { it.changes_rerun = "scan"; }),
              ElementsAre(HasSubstr("not upstream")));
  EXPECT_THAT(after([](StageDefinition& it) {
                it.needs.clear();
                it.changes_rerun = "draft";
              }),
              ElementsAre(HasSubstr("not upstream")));
  EXPECT_THAT(after([](StageDefinition& it) {
                it.scope = Scope::all;
                it.changes_rerun = "draft";
              }),
              ElementsAre(HasSubstr("runs once for all items")));
}

TEST(Faults, a_rejection_ends_an_item_only_in_a_stage_that_runs_once_for_it) {
  EXPECT_THAT(after([](StageDefinition& it) { it.rejected = OnRejected::end_item; }), IsEmpty());
  EXPECT_THAT(after([](StageDefinition& it) {
                it.rejected = OnRejected::end_item;
                it.scope = Scope::all;
              }),
              ElementsAre(HasSubstr("runs once for all items, so a rejection cannot end an item")));
  EXPECT_THAT(after([](StageDefinition& it) {
                it.rejected = OnRejected::end_item;
                it.joins = true;
              }),
              ElementsAre(HasSubstr("a rejection may be about one child and cannot end the item")));
}

/// The faults of a stage that is always reviewed, with these rules.
std::vector<std::string> with_rules(const ReviewRules& rules) {
  return after([&](StageDefinition& it) {
    it.review = ReviewPolicy::always;
    it.review_rules = rules;
  });
}

TEST(ReviewRuleFaults, possible_rules_have_none) {
  EXPECT_THAT(with_rules({.assign = {"anna", "ben"}, .approvals = 2}), IsEmpty());
  EXPECT_THAT(with_rules({.assign = {"anna", "group:editors"}, .approvals = 9}), IsEmpty());
  EXPECT_THAT(with_rules({.approvals = 9}), IsEmpty());
  // Somebody else may submit the job, and nobody has to edit.
  EXPECT_THAT(with_rules({.assign = {"anna"}, .self_approval = false}), IsEmpty());
  EXPECT_THAT(with_rules({.due = 1s}), IsEmpty());
  EXPECT_THAT(with_rules({.due = 1s, .overdue = OnOverdue::reject}), IsEmpty());
  EXPECT_THAT(with_rules({.assign = {"anna"},
                          .due = 1s,
                          .overdue = OnOverdue::escalate,
                          .escalate_to = {"anna", "group:leads"}}),
              IsEmpty());
  EXPECT_THAT(with_rules({.show_main = "out.a", .show_beside = {"in.b"}, .reasons = {"unclear"}}),
              IsEmpty());
}

TEST(ReviewRuleFaults, approvals_that_nobody_could_give) {
  EXPECT_THAT(with_rules({.approvals = 0}),
              ElementsAre("stage 'scan': needs 0 approvals; use at least 1"));
  EXPECT_THAT(with_rules({.assign = {"anna", "ben"}, .approvals = 3}),
              ElementsAre("stage 'scan': needs 3 approvals, but only 2 people are assigned; assign "
                          "3 people or a group, or ask for fewer approvals"));
  EXPECT_THAT(with_rules({.assign = {"anna"},
                          .approvals = 2,
                          .due = 1s,
                          .overdue = OnOverdue::escalate,
                          .escalate_to = {"group:leads"}}),
              ElementsAre(HasSubstr("only 1 person is assigned")));
  EXPECT_THAT(
      with_rules({.assign = {"anna", "anna"}, .approvals = 2}),
      ElementsAre(HasSubstr("assign names 'anna' twice"), HasSubstr("only 1 person is assigned")));
}

TEST(ReviewRuleFaults, names_that_nobody_can_have) {
  EXPECT_THAT(with_rules({.assign = {"Anna Blum", "group:", "\xFF", "overdue", "group:group:a"}}),
              ElementsAre(HasSubstr("assign: 'Anna Blum' cannot be the name of a person; 1 to 64"),
                          HasSubstr("assign: '' cannot be the name of a group"),
                          HasSubstr("assign: '\uFFFD' cannot be the name of a person"),
                          HasSubstr("assign: the name 'overdue' is reserved"),
                          HasSubstr("assign: 'group:a' cannot be the name of a group")));
  EXPECT_THAT(with_rules({.assign = {"anna"},
                          .due = 1s,
                          .overdue = OnOverdue::escalate,
                          .escalate_to = {".ben", "zoe", "zoe"}}),
              ElementsAre(HasSubstr("escalate_to: '.ben' cannot be the name of a person"),
                          HasSubstr("escalate_to names 'zoe' twice")));
}

TEST(ReviewRuleFaults, due_times_that_never_come) {
  EXPECT_THAT(with_rules({.due = -1s}),
              ElementsAre("stage 'scan': has a negative due time; leave out due"));
  EXPECT_THAT(with_rules({.due = Duration::max()}), ElementsAre(HasSubstr("more than 285 years")));
  EXPECT_THAT(with_rules({.overdue = OnOverdue::reject}),
              ElementsAre("stage 'scan': says what happens to overdue reviews, but not when they "
                          "are due; set due, too, or leave out overdue"));
}

TEST(ReviewRuleFaults, escalations_that_reach_nobody_else) {
  EXPECT_THAT(with_rules({.assign = {"anna"}, .due = 1s, .overdue = OnOverdue::escalate}),
              ElementsAre(HasSubstr("escalates overdue reviews to nobody")));
  EXPECT_THAT(with_rules({.assign = {"anna"}, .due = 1s, .escalate_to = {"ben"}}),
              ElementsAre(HasSubstr("names people to escalate to, but does not escalate")));
  EXPECT_THAT(with_rules({.due = 1s, .overdue = OnOverdue::escalate, .escalate_to = {"ben"}}),
              ElementsAre(HasSubstr(
                  "escalates reviews that are assigned to nobody: everybody may answer")));
  EXPECT_THAT(with_rules({.assign = {"anna", "ben"},
                          .due = 1s,
                          .overdue = OnOverdue::escalate,
                          .escalate_to = {"ben"}}),
              ElementsAre(HasSubstr("escalates only to those who are assigned already")));
}

TEST(ReviewRuleFaults, rules_of_a_stage_without_reviews) {
  const auto never = [](const ReviewRules& rules) {
    return after([&](StageDefinition& it) { it.review_rules = rules; });
  };
  for (const ReviewRules& rules : {ReviewRules{.assign = {"anna"}},
                                   {.approvals = 2},
                                   {.self_approval = false},
                                   {.due = 1s},
                                   {.bulk = false},
                                   {.show_main = "out.a"},
                                   {.show_beside = {"in.a"}},
                                   {.reasons = {"x"}}}) {
    EXPECT_THAT(never(rules), ElementsAre("stage 'scan': has rules for its reviews, but its review "
                                          "is set to never; choose when a person is asked, such "
                                          "as always, or leave the rules out"));
  }
  EXPECT_THAT(after([](StageDefinition& it) {
                it.handler.clear();
                it.review_rules.assign = {"anna"};
              }),
              ElementsAre(HasSubstr("has no handler and no review")));
}

TEST(ReviewRuleFaults, fields_and_reasons_that_say_nothing) {
  EXPECT_THAT(with_rules({.show_main = "text", .show_beside = {"out.", "in.a", "in.a", ""}}),
              ElementsAre("stage 'scan': show_main names 'text'; name a field of the stage: "
                          "out.FIELD or in.FIELD",
                          HasSubstr("show_beside names 'out.';"),
                          HasSubstr("show_beside names ''; name a field"),
                          HasSubstr("show_beside names 'in.a' twice")));
  EXPECT_THAT(with_rules({.reasons = {"", "a", "a"}}),
              ElementsAre(HasSubstr("reasons names 'a' twice"), HasSubstr("has an empty reason")));
  EXPECT_THAT(with_rules({.reasons = {"\xFF"}}),
              ElementsAre(HasSubstr("the reason '\uFFFD' is not UTF-8")));
}

TEST(ReviewRuleFaults, are_reported_all_at_once) {
  EXPECT_THAT(with_rules({.assign = {"a b"},
                          .approvals = 2,
                          .due = -1s,
                          .escalate_to = {"zoe"},
                          .show_main = "x",
                          .reasons = {""}}),
              testing::SizeIs(6));
}

TEST(Faults, tolerances_out_of_range) {
  for (const double wrong : {-1.0, 101.0, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THAT(after([&](StageDefinition& it) { it.tolerate_failures.percent = wrong; }),
                ElementsAre(HasSubstr("outside 0 … 100")));
  }
  EXPECT_THAT(after([](StageDefinition& it) { it.tolerate_failures.count = -1; }),
              ElementsAre(HasSubstr("negative")));
}

TEST(Faults, names_that_could_not_be_shown_or_addressed) {
  EXPECT_THAT(texts({given::node("")}), Contains(HasSubstr("has no name")));
  EXPECT_THAT(texts({given::node("a/b")}), ElementsAre(HasSubstr("contains a '/'")));
  EXPECT_THAT(texts({given::node("a\nb")}), ElementsAre(HasSubstr("control character")));
  EXPECT_THAT(texts({given::node(std::string(200, 'x'))}), IsEmpty());
  EXPECT_THAT(texts({given::node(std::string(201, 'x'))}), ElementsAre(HasSubstr("201 bytes")));
  EXPECT_THAT(faults_of({.name = "", .stages = {given::node("a")}}), testing::SizeIs(1));
  EXPECT_THAT(texts({}), ElementsAre(HasSubstr("has no stages")));
}

TEST(Faults, a_stage_without_a_handler_must_ask_a_person) {
  EXPECT_THAT(after([](StageDefinition& it) { it.handler.clear(); }),
              ElementsAre(HasSubstr("has no handler and no review")));
  EXPECT_THAT(after([](StageDefinition& it) {
                it.handler.clear();
                it.review = ReviewPolicy::always;
              }),
              IsEmpty());
}

TEST(Faults, one_pool_with_two_limits) {
  StageDefinition a = given::node("a");
  a.limits = {.pool = "gpu", .parallel = 2};
  StageDefinition b = given::node("b");
  b.limits = {.pool = "gpu", .parallel = 3};
  StageDefinition c = given::node("c");
  c.limits = {.pool = "gpu"};
  EXPECT_THAT(texts({a, b, c}), ElementsAre(HasSubstr("gives pool 'gpu' the limit 3")));
}

TEST(Faults, a_rate_needs_a_count_and_a_time_and_is_one_for_its_pool) {
  EXPECT_THAT(after([](StageDefinition& it) { it.limits.rate.count = 60; }),
              ElementsAre(HasSubstr("a rate without a count or a duration")));
  EXPECT_THAT(after([](StageDefinition& it) { it.limits.rate.per = 1s; }),
              ElementsAre(HasSubstr("a rate without a count or a duration")));
  StageDefinition a = given::node("a");
  a.limits = {.pool = "api", .parallel = 0, .rate = {.count = 60, .per = 60s}};
  StageDefinition b = given::node("b");
  b.limits = {.pool = "api", .parallel = 3};
  EXPECT_THAT(texts({a, b}), IsEmpty());
  b.limits.rate = {.count = 1, .per = 1s};
  EXPECT_THAT(texts({a, b}), ElementsAre(HasSubstr("another rate than stage 'a'")));
}

TEST(Faults, a_gate_with_a_negative_timeout) {
  EXPECT_THAT(after([](StageDefinition& it) { it.gates = {{.name = "g", .timeout = -1s}}; }),
              ElementsAre(HasSubstr("gives gate 'g' a negative timeout")));
}

TEST(Faults, every_fault_is_reported_at_once_in_the_order_of_the_definition) {
  StageDefinition first = given::node("scan", {"raed"});
  first.retry.max_attempts = 0;
  StageDefinition second = given::node("read", {"scan", "read"});
  second.retry.attempt_timeout = -1s;
  EXPECT_THAT(texts({first, second, given::node("scan")}),
              ElementsAre(HasSubstr("did you mean 'read'?"), HasSubstr("max_attempts is 0"),
                          HasSubstr("attempt_timeout is negative"), HasSubstr("defined twice"),
                          HasSubstr("cycle: read → read")));
}

TEST(NearestName, forgives_small_slips_and_nothing_else) {
  const std::vector<std::string> known{"scan", "read", "on_escalation"};
  EXPECT_EQ(nearest_name("scann", known), "scan");
  EXPECT_EQ(nearest_name("sacn", known), "scan");
  EXPECT_EQ(nearest_name("SCAN", known), "scan");
  EXPECT_EQ(nearest_name("OnEscalation", known), "on_escalation");
  EXPECT_EQ(nearest_name("export", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("b", {"a"}), "");
}

}  // namespace
}  // namespace pawl
