#include "simulation/simulation.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/names.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t look_at_everything_every = 64;

/// A file cannot be recreated while it is in use.
bool may_forget(const Scenario& scenario, const RunOptions& options) {
  return scenario.may_forget && options.harm && !options.open;
}

}  // namespace

Simulation::Simulation(const Scenario& scenario, Choices& choices, const RunOptions& options)
    : scenario_(scenario),
      choices_(choices),
      options_(options),
      store_(std::make_shared<UnfaithfulStore>(
          clock_, options.open ? options.open : open_memory_store,
          UnfaithfulStore::Kind{.is_modelled = scenario.is_modelled,
                                .may_forget = may_forget(scenario, options)})),
      watch_(*store_) {
  people_ = std::make_shared<Line>(
      store_,
      Line::Ports{.fate = [this](const char* verb) { return fate(verb); },
                  .is_missed = [this] { return is_read_missed(); },
                  .meanwhile = [this] { meanwhile(); },
                  .under_way = [this](OwnedCall call) { under_way_.push_back(std::move(call)); },
                  .said = {},
                  .acknowledged_steps = {},
                  .acknowledged_act = [this](const Act& act,
                                             const Actor& by) { watch_.acknowledge(act, by); }});
  if (options.tell) {
    watch_.on_event = [this](const Event& event) {
      tell([&] {
        std::string text = "    " + std::string(pawl::name_of(event.type));
        if (event.item) text += " item " + std::to_string(event.item.value());
        if (event.task) text += " stage " + std::to_string(at(stage_of(event.task)));
        if (event.attempt > 0) text += " attempt " + std::to_string(event.attempt);
        if (!event.text.empty()) text += " (" + event.text + ")";
        return text;
      });
    };
  }
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) submissions_.push_back({.number = i});
}

Simulation::~Simulation() {
  // Living processes must not write any more during the teardown.
  for (const std::unique_ptr<Process>& one : processes_) one->line().kill();
}

void Simulation::tell(const std::function<std::string()>& what) {
  if (!options_.tell) return;
  const auto at = std::chrono::duration<double>(clock_.now() - Timestamp{1'700'000'000s}).count();
  options_.tell(std::to_string(run_.steps) + " at " + std::to_string(at) + "s: " + what());
}

void Simulation::find(std::string invariant, std::string message) {
  if (!run_.finding) run_.finding = Finding{std::move(invariant), std::move(message)};
}

Run Simulation::run() {
  let_people_in();
  for (std::uint32_t i = 0; i < (options_.harm ? scenario_.processes : 1); ++i) start_process();
  if (options_.harm) {
    while (run_.steps < options_.steps && may_go_on()) step();
  }
  is_calm_ = true;
  tell([] { return std::string("nothing breaks any more"); });
  if (options_.harm) start_process();  // the others may be dead
  while (!under_way_.empty() && may_go_on()) {
    let_arrive(0);
    after_step();
  }
  come_to_rest();
  expect_named_waits();
  finish();
  expect_ended();
  expect_all_told();
  watch_.expect_holdings();
  if (!run_.finding) run_.finding = watch_.look_at_everything();
  if (scenario_.is_modelled) store_->compare_everything();
  compare_with_model();
  if (!run_.finding) read_endings();
  note_what_happened();
  return std::move(run_);
}

bool Simulation::may_go_on() const { return !run_.finding.has_value(); }

void Simulation::step() {
  if (!under_way_.empty() && choices_.one_in(10)) {
    let_arrive(choices_.below(static_cast<std::uint32_t>(under_way_.size())));
    return after_step();
  }
  const std::uint32_t kind = choices_.below(100);
  const std::uint32_t of_people = scenario_.asks_often ? 20 : 6;  // steps of a hundred
  if (kind >= 97) {
    jump();
  } else if (kind >= 92) {
    harm();
  } else if (kind >= 92 - of_people) {
    act_as_somebody();
  } else if (kind >= 70) {
    if (!complete_something() && !poll_somebody()) (void)let_time_pass();
  } else if (kind >= 66) {
    (void)submit_something();
  } else {
    if (!poll_somebody() && !complete_something() && !submit_something()) (void)let_time_pass();
  }
  after_step();
}

void Simulation::compare_with_model() {
  if (!scenario_.is_modelled || store_->differences().empty()) return;
  find("model", store_->differences().front());
}

void Simulation::after_step() {
  ++run_.steps;
  reap();
  compare_with_model();
  const std::uint64_t mark = store_->change_mark();
  if (run_.finding) return;
  if (std::exchange(seen_mark_, mark) == mark) {
    run_.finding = watch_.found();
    return;
  }
  ++stirs_;
  run_.finding =
      run_.steps % look_at_everything_every == 0 ? watch_.look_at_everything() : watch_.look();
}

std::vector<Process*> Simulation::awake() {
  std::vector<Process*> found;
  for (const std::unique_ptr<Process>& one : processes_) {
    if (!one->is_frozen && !one->is_busy && !one->line().is_dead()) found.push_back(one.get());
  }
  return found;
}

bool Simulation::poll_somebody() {
  std::vector<Process*> ready = awake();
  std::erase_if(ready, [&](const Process* one) { return one->quiet_at == stirs_; });
  while (!ready.empty()) {
    const auto which = choices_.below(static_cast<std::uint32_t>(ready.size()));
    Process& one = *ready[which];
    if (one.poll()) return true;
    one.quiet_at = stirs_;
    ready.erase(ready.begin() + which);
  }
  return false;
}

bool Simulation::complete_something() {
  std::vector<std::pair<Process*, std::size_t>> due;
  for (Process* one : awake()) {
    for (std::size_t i = 0; i < one->in_flight().size(); ++i) {
      const InFlight& work = one->in_flight()[i];
      const bool is_done = work.due != no_time && work.due <= clock_.now();
      if (is_done || work.attempt->stop_token().stop_requested()) due.emplace_back(one, i);
    }
  }
  if (due.empty()) return false;
  const auto [process, which] = choices_.pick(due);
  const InFlight& work = process->in_flight()[which];
  const bool is_done = work.due != no_time && work.due <= clock_.now();
  tell([&] {
    return process->name() + (is_done ? " ended '" : " gave up '") + work.work.item + "' stage " +
           std::to_string(at(work.work.stage)) + (work.work.child.empty() ? "" : " child ") +
           work.work.child;
  });
  process->quiet_at = 0;
  if (is_done) {
    process->complete(which);
  } else {
    process->give_up(which);
  }
  return true;
}

/// One try at the first job that is not completely submitted.
bool Simulation::submit_something() {
  const auto open = std::ranges::find(submissions_, false, &Submission::is_done);
  std::vector<Process*> ready = awake();
  if (open == submissions_.end() || ready.empty()) return false;
  Process& process = *choices_.pick(ready);
  const PlannedJob& planned = scenario_.jobs[open->number];
  const bool in_one = planned.first_chunk == planned.items.size();
  const Actor by = submitter_of(planned);
  const auto first = planned.items.begin();
  const auto middle = first + static_cast<std::ptrdiff_t>(planned.first_chunk);
  process.is_busy = true;
  process.quiet_at = 0;
  if (!open->job) {
    const Result<JobId> job =
        process.engine().submit(planned.job.workflow, std::vector<NewItem>(first, middle),
                                {.key = planned.job.key,
                                 .params = Json(static_cast<std::int64_t>(open->number)),
                                 .labels = {},
                                 .budget = planned.job.budget,
                                 .tolerate_failures = planned.job.tolerate_failures,
                                 .parallel = planned.job.parallel,
                                 .priority = planned.job.priority,
                                 .by = by,
                                 .keep_open = !in_one});
    if (job) {
      open->job = *job;
      open->is_done = in_one;
    }
    tell([&] {
      return process.name() + " submits " + planned.job.key +
             (job ? "" : ": " + job.error().message);
    });
  } else if (!open->is_unsure) {
    const Result<Added> added = process.engine().add_items(
        open->job, std::vector<NewItem>(middle, planned.items.end()), true);
    open->is_done = added.has_value();
    open->is_unsure = !added;
    tell([&] {
      return process.name() + " adds to " + planned.job.key +
             (added ? "" : ": " + added.error().message);
    });
  } else {
    const Status resumed = process.engine().resume_submission(
        open->job,
        [&](std::vector<NewItem>& page) -> Result<bool> {
          page = planned.items;
          return false;
        },
        by);
    open->is_done = resumed.has_value();
    tell([&] { return process.name() + " submits the rest of " + planned.job.key; });
    // A job that has ended accepts no more items: it was cancelled, or its deadline passed.
    const bool has_ended = !resumed && resumed.error().code != ErrorCode::unavailable &&
                           resumed.error().code != ErrorCode::forbidden;
    if (has_ended) open->is_done = true;
  }
  if (open->is_done && open->job) {
    const Result<Job> job = store_->records().job(open->job);
    if (job && !job->cancelled) watch_.acknowledge_submission(open->job, planned.items.size());
  }
  process.is_busy = false;
  return true;
}

/// Advances time to the next moment at which a process wants to act.
bool Simulation::let_time_pass() {
  Timestamp next = Timestamp::max();
  for (Process* one : awake()) {
    next = std::min(next, one->engine().next_wake());
    for (const InFlight& work : one->in_flight()) {
      if (work.due != no_time) next = std::min(next, work.due);
    }
  }
  if (next == Timestamp::max()) next = clock_.now() + 1s;
  if (is_calm_) expect_nothing_left_lying();
  clock_.advance_to(std::max(next, clock_.now() + Duration{1}));
  ++stirs_;
  return true;
}

/// Others act while a call is in flight.
void Simulation::meanwhile() {
  if (depth_ >= 2) return;
  ++depth_;
  for (std::uint32_t left = 1 + choices_.below(8); left > 0 && may_go_on(); --left) {
    if (choices_.one_in(4)) {
      clock_.advance(choices_.any_of<Duration>({1s, scenario_.lease / 2, scenario_.lease * 2}));
      ++stirs_;
    }
    step();
  }
  --depth_;
}

void Simulation::start_process() {
  std::string name = "p" + std::to_string(++processes_started_);
  Process::Ports ports{
      .line = {
          .fate = [this](const char* verb) { return fate(verb); },
          .is_missed = [this] { return is_read_missed(); },
          .meanwhile = [this] { meanwhile(); },
          .under_way = [this](OwnedCall call) { under_way_.push_back(std::move(call)); },
          .said = {},
          .holds_back =
              [this](Timestamp until) { held_back_until_ = std::max(held_back_until_, until); },
          .acknowledged_steps = [this](
                                    std::span<const Step> steps,
                                    const Committed& answer) { watch_.acknowledge(steps, answer); },
          .acknowledged_act = [](const Act&, const Actor&) {}},
      .told = [this, name](const Event& event) { watch_.told(name, event); }};
  if (options_.tell) {
    ports.line.said = [this, name](const std::string& what) {
      tell([&] { return "  " + name + " " + what; });
    };
  }
  if (auto made = Process::start(name, scenario_, store_, std::move(ports))) {
    tell([&] { return name + " signs on"; });
    processes_.push_back(std::move(made));
  }
}

void Simulation::reap() {
  if (depth_ > 0) return;
  std::erase_if(processes_, [&](const std::unique_ptr<Process>& one) {
    if (!one->line().is_dead() || one->is_busy) return false;
    tell([&] { return one->name() + " is dead"; });
    ++run_.kills;
    return true;
  });
}

Run simulate(Choices& choices, const RunOptions& options) {
  const Scenario scenario = draw_scenario(choices);
  Run harmed = Simulation(scenario, choices, options).run();
  if (!scenario.is_comparable || harmed.finding || harmed.was_disturbed) return harmed;

  RunOptions calm = options;
  calm.harm = false;
  if (calm.tell) calm.tell("the same undisturbed:");
  Choices plain{Tape{}};
  Run undisturbed = Simulation(scenario, plain, calm).run();
  harmed.steps += undisturbed.steps;
  for (const auto& [what, count] : undisturbed.happened) harmed.happened[what] += count;
  if (undisturbed.finding) {
    harmed.finding = undisturbed.finding;
    return harmed;
  }
  for (const auto& [name, ending] : undisturbed.endings) {
    const auto other = harmed.endings.find(name);
    if (other != harmed.endings.end() && other->second == ending) continue;
    const auto words = [](const TaskEnd& one) {
      std::string text = one.state + " " + one.output + " after";
      for (const AttemptResult result : one.results)
        text += " " + std::string(pawl::name_of(result));
      return text;
    };
    harmed.finding = Finding{
        "I15", name + " ended otherwise: undisturbed " + words(ending) + "; here " +
                   (other == harmed.endings.end() ? "it is missing" : words(other->second))};
    return harmed;
  }
  if (harmed.endings.size() != undisturbed.endings.size()) {
    harmed.finding = Finding{"I15", "there are tasks that an undisturbed run does not have"};
  }
  return harmed;
}

}  // namespace pawl::simulation
