#include "testing/backstage.hpp"

#include <algorithm>
#include <stdexcept>

#include "pawl/codec/names.hpp"
#include "testing/mortal_store.hpp"

namespace pawl::testing {

namespace {

/// After this many polls at one time, the world is considered never to come to rest.
constexpr std::int64_t polls_max = 10'000'000;
constexpr std::int64_t rounds_max = 1'000;

}  // namespace

void wrong(const std::string& sentence) { throw std::logic_error(sentence); }

World::Backstage::Backstage(WorldOptions given)
    : options(std::move(given)), clock(options.start), start(options.start) {
  store = options.store ? must(options.store(clock)) : open_memory_store(clock);
  if (&store->clock() != &clock)
    wrong("the store of a world must be opened with the world's clock");
  start_process();
}

World::Backstage::~Backstage() {
  open_.clear();
  agenda_.clear();
  graves_.clear();
  engine.reset();
}

void World::Backstage::start_process() {
  life_ = std::make_shared<bool>(true);
  EngineOptions as_asked = options.engine;
  as_asked.threads = 0;
  engine = must(Engine::create(std::make_shared<MortalStore>(store, life_), as_asked, clock));
  for (const auto& bring : servings_) bring(*engine);
}

void World::Backstage::serve(std::function<void(Engine&)> bring) {
  bring(*engine);
  servings_.push_back(std::move(bring));
}

void World::Backstage::die() {
  *life_ = false;
  deaths.push_back(clock.now());
}

void World::Backstage::bury() {
  graves_.push_back(std::move(engine));
  start_process();
}

void World::Backstage::crash() {
  die();
  bury();
  // The sweep that recovers the open attempts comes within a third of a lease after its end.
  pass(options.engine.lease + options.engine.lease / 3 + Duration{1});
}

void World::Backstage::at(Timestamp when, std::string what, std::function<void()> happens) {
  agenda_.emplace(when, Due{.what = std::move(what), .happens = std::move(happens)});
}

/// Runs everything on the agenda that is due.
bool World::Backstage::happen() {
  bool any = false;
  while (!agenda_.empty() && agenda_.begin()->first <= clock.now()) {
    const auto first = agenda_.extract(agenda_.begin());
    first.mapped().happens();
    any = true;
  }
  return any;
}

void World::Backstage::run() {
  check_cast();
  check_commands();
  std::int64_t polls = 0;
  for (std::int64_t round = 0; round < rounds_max; ++round) {
    while (*life_ && engine->poll()) {
      if (++polls > polls_max)
        wrong(
            "the world never comes to rest: the engine always has more to do, although no time "
            "passes");
    }
    if (!*life_) {
      bury();
      continue;
    }
    const bool happened = happen();
    const bool invited = invite_reviewers();
    if (!happened && !invited) return;
  }
  wrong(
      "the world never comes to rest: does a reviewer request changes again and again without "
      "delay?");
}

void World::Backstage::pass(Duration time) {
  const Timestamp end = clock.now() + time;
  for (;;) {
    run();
    Timestamp next = engine->next_wake();
    if (!agenda_.empty()) next = std::min(next, agenda_.begin()->first);
    if (next > end) break;
    clock.advance_to(std::max(next, clock.now() + Duration{1}));
  }
  clock.advance_to(end);
  run();
}

JobState World::Backstage::finish(JobId id, Duration within) {
  const Timestamp end = clock.now() + within;
  for (;;) {
    run();
    const Job job = must(store->records().job(id));
    const JobState state = state_of(job);
    if (state != JobState::running) return state;
    if (waits_for_people(job) && agenda_.empty()) return state;
    Timestamp next = engine->next_wake();
    if (!agenda_.empty()) next = std::min(next, agenda_.begin()->first);
    if (next > end) {
      clock.advance_to(end);
      run();
      return state_of(must(store->records().job(id)));
    }
    clock.advance_to(std::max(next, clock.now() + Duration{1}));
  }
}

/// Passes every newly opened review to the reviewers that may answer it.
bool World::Backstage::invite_reviewers() {
  bool any = false;
  for (;;) {
    const auto page = must(store->records().reviews({.after = last_review_, .limit = 100}));
    if (page.empty()) return any;
    for (const Review& review : page) {
      last_review_ = review.id;
      const std::uint32_t which = ++reviews_of_[review.task];
      if (review.status != ReviewStatus::open) continue;
      const Task task = must(store->records().task(review.task));
      const Job job = must(store->records().job(review.job));
      const Workflow workflow = must(store->records().workflow(job.workflow_hash));
      const std::string& stage = workflow.stage(task.stage()).name;
      std::string key = review.item ? must(store->records().item(review.item)).key : "";
      if (task.child) key += "/" + task.child->key;
      for (auto one = reviewers.rbegin(); one != reviewers.rend(); ++one) {
        const auto& [named, reviewer] = *one;
        if (!named.empty() && named != stage && named != workflow.name() + "/" + stage) continue;
        const Reviewer::Timed* timed = reviewer.find(key, which);
        if (timed == nullptr) continue;
        at(review.opened_at + timed->after,
           timed->answer.reviewer + " answers " + key + "/" + stage,
           [this, review, said = timed->answer] { answer(review, said); });
        any = true;
        break;
      }
    }
  }
}

/// An answer that comes too late is ignored. An answer that does not fit is a mistake in the test.
void World::Backstage::answer(const Review& review, const Answer& said) {
  const Result<Job> answered = engine->answer(review.id, said);
  if (answered || answered.error().code == ErrorCode::conflict) return;
  wrong("the answer of " + said.reviewer + " does not fit: " + answered.error().text());
}

bool World::Backstage::knows_stage(const std::string& named) const {
  return std::ranges::any_of(workflows_, [&](const Workflow& workflow) {
    const std::string prefix = workflow.name() + "/";
    return workflow.find(named) ||
           (named.starts_with(prefix) && workflow.find(named.substr(prefix.size())));
  });
}

bool World::Backstage::knows_gate(const std::string& stage, const std::string& gate) const {
  return std::ranges::any_of(workflows_, [&](const Workflow& workflow) {
    const std::string prefix = workflow.name() + "/";
    const auto index =
        workflow.find(stage.starts_with(prefix) ? stage.substr(prefix.size()) : stage);
    return index && std::ranges::any_of(workflow.stage(*index).gates,
                                        [&](const GateRef& one) { return one.name == gate; });
  });
}

/// A script for a stage that does not exist would never be used, and its test would pass.
void World::Backstage::check_cast() const {
  if (workflows_.empty()) return;
  const auto check = [&](const std::string& named, const std::string& what) {
    if (named.empty() || knows_stage(named)) return;
    std::vector<std::string> known;
    for (const Workflow& workflow : workflows_) {
      for (const StageDefinition& stage : workflow.definition().stages) known.push_back(stage.name);
    }
    const std::string near = nearest_name(named, known);
    wrong(what + " names stage '" + named + "', which is not in any workflow of this world" +
          (near.empty() ? "" : "; did you mean '" + near + "'?"));
  };
  for (const auto& [stage, script] : scripts) {
    check(stage, "a script");
    for (const Workflow& workflow : workflows_) {
      const auto index = workflow.find(stage);
      if (!index || !workflow.stage(*index).is_human()) continue;
      wrong("stage '" + stage + "' is a human stage: give it a reviewer, not a script");
    }
  }
  for (const auto& [stage, reviewer] : reviewers) check(stage, "a reviewer");
  for (const Trap& trap : traps) check(trap.stage, "a crash");
  for (const auto& [named, script] : gates) {
    check(named.first, "the script of a gate");
    if (!knows_gate(named.first, named.second)) {
      wrong("stage '" + named.first + "' has no gate '" + named.second + "'");
    }
  }
}

}  // namespace pawl::testing
