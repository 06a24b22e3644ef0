#include "simulation/scenario.hpp"

#include <algorithm>

#include "pawl/codec/workflow.hpp"
#include "simulation/unfaithful_store.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

constexpr char gate_name[] = "gate";

/// Spreads every bit of its argument; the same on every machine.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

/// A random number that belongs to a piece of work, whichever process does it and when.
std::uint64_t lot(const Scenario& scenario, const WorkName& work, std::uint64_t about) {
  std::uint64_t made = mixed(scenario.behaviour ^ mixed(about));
  made = mixed(made ^ work.job);
  for (const char letter : work.item) made = mixed(made ^ static_cast<unsigned char>(letter));
  for (const char letter : work.child)
    made = mixed(made ^ static_cast<unsigned char>(letter) << 8U);
  made = mixed(made ^ at(work.stage));
  return mixed(made ^ work.done_before);
}

/// What a world allows.
struct WorldKind {
  bool is_comparable = false;
  bool has_people = false;
  bool asks_often = false;  ///< most stages are reviewed, and little else happens
};

enum About : std::uint64_t { deed, verdict, cost, length, children, wanted, opinion, refusal };

RetryPolicy draw_retry(Choices& choices, bool is_comparable) {
  RetryPolicy retry;
  retry.max_attempts = 1 + choices.below(4);
  retry.backoff = {.initial = choices.any_of<Duration>({0s, 1s, 3'000'001us, 40s}),
                   .max = choices.any_of<Duration>({0s, 5s}),
                   .multiplier = choices.any_of({2.0, 1.0}),
                   .jitter = choices.one_in(4) ? 0.1 : 0.0};
  if (retry.backoff.max != Duration::zero() && retry.backoff.max < retry.backoff.initial) {
    retry.backoff.max = retry.backoff.initial;
  }
  if (choices.one_in(4)) {
    retry.max_attempts = 1;
    retry.retry_attempts = 1 + choices.below(3);
    retry.refine_attempts = 1 + choices.below(3);
  }
  retry.refine_delay = choices.any_of<Duration>({0s, 0s, 2s});
  if (choices.one_in(3)) retry.on_exhausted = OnExhausted::escalate;
  retry.max_rate_limit_waits = choices.any_of({100U, 2U});
  retry.max_interruptions = is_comparable ? 0 : choices.any_of({20U, 0U, 1U, 3U});
  if (!is_comparable && choices.one_in(3))
    retry.attempt_timeout = choices.any_of<Duration>({30s, 5s});
  return retry;
}

/// Their names say what they are: Olga operates, Sam submits, Vera only views.
std::vector<AddPerson> some_people() {
  return {{.name = "ann", .role = Role::reviewer, .groups = {"editors"}},
          {.name = "bob", .role = Role::reviewer, .groups = {"editors"}},
          {.name = "cy", .role = Role::reviewer, .groups = {"editors"}},
          {.name = "olga", .role = Role::operate, .groups = {"leads"}},
          {.name = "sam", .role = Role::operate, .groups = {}},
          {.name = "vera", .role = Role::viewer, .groups = {}}};
}

/// Where outcomes are compared, time decides nothing and enough people can approve.
ReviewRules draw_rules(Choices& choices, const WorldKind& kind) {
  ReviewRules rules;
  if (!choices.one_in(2)) return rules;
  rules.approvals = 1 + choices.below(3);
  rules.self_approval = !choices.one_in(3);
  const std::uint32_t assignees = choices.below(4);
  if (assignees == 1) rules.assign = {"ann", "bob", "cy"};
  if (assignees == 2 && kind.has_people) rules.assign = {"group:editors"};
  if (assignees == 3 && kind.has_people && rules.approvals < 3)
    rules.assign = {"ann", "group:leads"};
  rules.due = choices.any_of<Duration>({0s, 8s, 60s, 10h});
  if (rules.due == 0s || !choices.one_in(2)) return rules;
  if (!kind.is_comparable && choices.one_in(2)) {
    rules.overdue = OnOverdue::reject;
  } else if (!rules.assign.empty()) {
    rules.overdue = OnOverdue::escalate;
    rules.escalate_to = {"olga"};
  }
  return rules;
}

StageDefinition draw_stage(Choices& choices, std::size_t place,
                           const std::vector<StageDefinition>& before, const WorldKind& kind) {
  StageDefinition made{.name = "s" + std::to_string(place), .needs = {}, .handler = "code"};
  for (const StageDefinition& one : before) {
    if (choices.one_in(2)) made.needs.push_back(one.name);
  }
  made.retry = draw_retry(choices, kind.is_comparable);
  if (choices.one_in(2)) {
    made.gates = {{.name = gate_name,
                   .on_uncertain = choices.any_of({OnUncertain::review, OnUncertain::review,
                                                   OnUncertain::accept, OnUncertain::reject})}};
  }
  made.review = choices.any_of({ReviewPolicy::never, ReviewPolicy::never, ReviewPolicy::always,
                                ReviewPolicy::on_escalation, ReviewPolicy::on_uncertain});
  if (kind.asks_often && choices.one_in(2)) made.review = ReviewPolicy::always;
  made.on_failure =
      choices.any_of({OnFailure::dead_letter, OnFailure::dead_letter, OnFailure::proceed});
  if (choices.one_in(3))
    made.limits = {.pool = "pool", .parallel = 1 + choices.below(2), .rate = {}};
  if (choices.one_in(5)) {
    made.limits.rate = {.count = 1 + choices.below(3),
                        .per = choices.any_of<Duration>({1s, 2'500'000us})};
  }
  made.conditional = choices.one_in(6);
  made.joins = choices.one_in(6);
  if (choices.one_in(8)) {
    made.handler.clear();  // a person's
    made.review = ReviewPolicy::always;
    made.joins = false;
  }
  if (made.review != ReviewPolicy::never) made.review_rules = draw_rules(choices, kind);
  if (kind.is_comparable) return made;
  if (choices.one_in(8)) made.on_failure = OnFailure::stop_job;
  if (choices.one_in(4)) made.tolerate_failures.count = static_cast<std::int64_t>(choices.below(2));
  if (!made.needs.empty() && choices.one_in(3)) made.changes_rerun = choices.pick(made.needs);
  if (choices.one_in(24) && !made.is_human()) made.decider = "patient";
  if (choices.one_in(4) && !made.joins) made.rejected = OnRejected::end_item;
  return made;
}

Workflow draw_workflow(Choices& choices, const WorldKind& kind) {
  std::vector<StageDefinition> stages;
  const std::size_t count = 1 + choices.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    stages.push_back(draw_stage(choices, i, stages, kind));
  }
  if (choices.one_in(3)) {
    StageDefinition reduce{.name = "reduce", .needs = {stages.back().name}, .handler = "code"};
    reduce.scope = Scope::all;
    reduce.retry.max_attempts = 1 + choices.below(3);
    stages.push_back(reduce);
  }
  for (;;) {
    auto compiled = compile({.name = "simulated", .stages = stages});
    if (compiled) return *compiled;
    // The random policies contradict each other: leave them out.
    for (StageDefinition& stage : stages) {
      stage = StageDefinition{
          .name = stage.name, .needs = stage.needs, .handler = "code", .scope = stage.scope};
    }
  }
}

/// Nobody who reviews submits where people have roles: somebody else can always approve.
Actor draw_submitter(Choices& choices, bool has_people) {
  const std::uint32_t drawn = choices.below(3);
  if (drawn == 0) return {};
  if (has_people) return {.name = "sam", .method = ActorMethod::session};
  return {.name = drawn == 1 ? "sam" : "ann"};
}

PlannedJob draw_job(Choices& choices, std::size_t number, const WorldKind& kind) {
  PlannedJob planned{.job = {.workflow = draw_workflow(choices, kind)}};
  planned.job.by = draw_submitter(choices, kind.has_people);
  planned.job.key = "job-" + std::to_string(number);
  planned.job.parallel = choices.any_of({0U, 0U, 1U, 2U});
  planned.job.priority = static_cast<std::int32_t>(choices.below(2));
  for (std::size_t i = 0; i < planned.job.workflow.stage_count(); ++i) {
    planned.tempers.push_back(choices.any_of({Temper::reliable, Temper::flaky, Temper::wild}));
    if (kind.asks_often) planned.tempers.back() = Temper::reliable;
  }
  if (!kind.is_comparable && !kind.asks_often) {
    Budget& budget = planned.job.budget;
    if (choices.one_in(4)) budget.max_total_attempts = 1 + choices.below(20);
    if (choices.one_in(5)) budget.max_attempts_per_task = 1 + choices.below(3);
    if (choices.one_in(5)) budget.deadline = choices.any_of<Duration>({200s, 60s});
    if (choices.one_in(6)) budget.cost_microusd = 5 + choices.below(30);
    if (choices.one_in(6)) budget.tokens = 5 + choices.below(60);
    if (choices.one_in(3)) budget.exhausted = OnBudgetEnd::fail;
    if (choices.one_in(5)) planned.job.tolerate_failures.count = choices.below(3);
  }
  const std::size_t count = 1 + choices.below(4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string key(1, static_cast<char>('a' + i));
    planned.items.push_back(
        {.key = key, .category = choices.any_of({"", "", "c"}), .data = Json(key)});
  }
  planned.first_chunk =
      choices.one_in(3) ? choices.below(static_cast<std::uint32_t>(count) + 1) : count;
  return planned;
}

Json output_of(const Scenario& scenario, const WorkName& work) {
  const std::uint64_t chance = lot(scenario, work, verdict) % 8;
  const char* said = chance < 5 ? "accepted" : chance < 7 ? "rejected" : "uncertain";
  if (scenario.jobs[work.job].tempers[at(work.stage)] == Temper::reliable) said = "accepted";
  return Json::object(
      {{"done_before", static_cast<std::int64_t>(work.done_before)}, {"verdict", said}});
}

Usage usage_of(const Scenario& scenario, const WorkName& work) {
  const std::uint64_t chance = lot(scenario, work, cost);
  return {.cost_microusd = static_cast<std::int64_t>(chance % 5),
          .tokens = static_cast<std::int64_t>(chance / 5 % 9)};
}

bool has_job_wide_stage(const Scenario& scenario, const WorkName& work) {
  return !scenario.jobs[work.job].job.workflow.all_scope_stages().empty();
}

}  // namespace

Scenario draw_scenario(Choices& choices) {
  Scenario scenario;
  scenario.is_comparable = choices.one_in(3);
  scenario.behaviour = choices.below(1U << 20U);
  scenario.processes = 1 + choices.below(3);
  scenario.parallel = choices.any_of({2U, 1U, 8U});
  scenario.lease = choices.any_of<Duration>({60s, 10s, 1h});
  scenario.calls_to_a_fate = choices.any_of({24U, 6U, 100U});
  scenario.asks_often = choices.one_in(3);
  const WorldKind kind{.is_comparable = scenario.is_comparable,
                       .has_people = choices.one_in(2),
                       .asks_often = scenario.asks_often};
  if (kind.has_people) scenario.people = some_people();
  const std::size_t jobs = 1 + choices.below(2);
  for (std::size_t i = 0; i < jobs; ++i) {
    scenario.jobs.push_back(draw_job(choices, i, kind));
    for (const StageDefinition& stage : scenario.jobs.back().job.workflow.definition().stages) {
      if (!stage.decider.empty()) scenario.is_modelled = false;
    }
  }
  scenario.has_unstorable_results = choices.one_in(4);
  scenario.may_forget = choices.one_in(2);
  return scenario;
}

bool hangs(const Scenario& scenario, const WorkName& work) {
  const PlannedJob& job = scenario.jobs[work.job];
  return job.tempers[at(work.stage)] != Temper::reliable &&
         job.job.workflow.stage(work.stage).retry.attempt_timeout > Duration::zero() &&
         lot(scenario, work, deed) % 16 == 15;
}

bool is_wanted(const Scenario& scenario, const WorkName& work) {
  return lot(scenario, work, wanted) % 4 != 0;
}

Duration duration_of(const Scenario& scenario, const WorkName& work) {
  constexpr std::uint64_t whole = 4;
  return std::chrono::seconds(lot(scenario, work, length) % whole);
}

Outcome outcome_of(const Scenario& scenario, const WorkName& work, bool may_fan_out) {
  Output output{.json = output_of(scenario, work), .summary = {}, .typed = {}};
  output.usage = usage_of(scenario, work);
  const bool is_refused = scenario.has_unstorable_results && lot(scenario, work, refusal) % 6 == 0;
  if (is_refused) output.summary = unstorable;
  const Temper temper = scenario.jobs[work.job].tempers[at(work.stage)];
  if (temper == Temper::reliable) return output;
  const std::uint64_t chance = lot(scenario, work, deed) % (temper == Temper::wild ? 16 : 5);
  switch (chance) {
    case 0:
    case 1:
      return Failure{.error = retryable("broken", "75"), .artifacts = {}, .usage = output.usage};
    case 13:
      return retryable("busy", "503", 3s);
    case 5:
      return final_error("of no use");
    case 6:
      return rate_limited("slowly", 2'500'000us);
    case 7:
      return rate_limited("slowly");
    case 8:
      return blocked("who am I?");
    case 9:
      return Skip{.why = is_refused ? unstorable : "nothing to do"};
    case 10:
      return NeedsReview{.output = std::move(output), .why = "please look"};
    case 11: {
      if (!may_fan_out) return output;
      FanOut fan_out;
      if (is_refused) fan_out.summary = unstorable;
      for (std::uint64_t i = lot(scenario, work, children) % 4; i > 0; --i) {
        fan_out.children.push_back({.key = "c" + std::to_string(i), .data = Json(i)});
      }
      return fan_out;
    }
    default:
      return output;
  }
}

Judgement judge(const Json& output) {
  if (output.text().contains("\"rejected\"")) {
    return rejected(
        {.summary = "poor", .criteria = {{"words", "100", "7", false}}, .guidance = {}});
  }
  return output.text().contains("\"uncertain\"") ? uncertain("hard to say") : accepted();
}

Advice advise(const StageDefinition&, const Attempt& attempt) {
  switch (attempt.number % 5) {
    case 1:
    case 2:
      return Retry{.delay = 2s, .reason = "once more"};
    case 3:
      return Escalate{.reason = "somebody should look"};
    case 4:
      return Accept{.reason = "good enough"};
    default:
      return MarkDead{.reason = "enough"};
  }
}

Answer answer_of(const Scenario& scenario, const WorkName& work) {
  Answer answer{.note = "because"};
  switch (lot(scenario, work, opinion) % 8) {
    case 0:
      answer.outcome = ReviewOutcome::reject;
      break;
    case 1:
    case 2:
      // The time at which changes are requested decides how often a job-wide stage runs.
      if (scenario.is_comparable && has_job_wide_stage(scenario, work)) break;
      answer.outcome = ReviewOutcome::request_changes;
      break;
    case 3:
      answer.outcome = ReviewOutcome::approve_with_edits;
      answer.edits = Json::object({{"edited", true}});
      break;
    default:
      break;
  }
  return answer;
}

}  // namespace pawl::simulation
