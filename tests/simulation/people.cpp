/// Who acts on the store, and what operators do. They act on what they see: late, twice, and
/// against each other.

#include <algorithm>

#include "simulation/simulation.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

}  // namespace

/// The store may have forgotten some of them.
void Simulation::let_people_in() {
  for (const AddPerson& one : scenario_.people) {
    if (!store_->people().person(one.name)) (void)store_->people().change(one, root());
  }
}

/// Opens the store as a file: nothing is kept from them.
Actor Simulation::root() { return {.name = "root"}; }

/// Where nobody is registered, everybody opens the store as a file.
Actor Simulation::as_person(const std::string& name) const {
  if (scenario_.people.empty()) return {.name = name};
  return {.name = name, .method = ActorMethod::session, .address = "10.0.0.7"};
}

/// Somebody, or something, that may do little or nothing.
Actor Simulation::an_outsider() {
  const auto program = [](const char* name, ActorKind kind) {
    return Actor{.name = name, .kind = kind, .method = ActorMethod::token};
  };
  switch (choices_.below(8)) {
    case 0:
      return as_person("vera");
    case 1:
      return {.name = "zoe", .method = ActorMethod::session};
    case 2:
      return {.name = "zoe", .method = ActorMethod::claimed};
    case 3:
      return program("claude", ActorKind::agent);
    case 4: {
      Actor limited = program("claude", ActorKind::agent);
      limited.at_most = Role::viewer;
      return limited;
    }
    case 5:
      return program("w1", ActorKind::worker);
    case 6: {
      Actor limited = as_person("olga");
      limited.at_most = choices_.any_of({Role::viewer, Role::reviewer});
      return limited;
    }
    default:
      return as_person("ann");
  }
}

Actor Simulation::an_operator() {
  switch (choices_.below(8)) {
    case 0:
    case 1:
      return {};
    case 2:
    case 3:
      return root();
    case 4:
      return as_person("sam");
    case 5:
      return an_outsider();
    default:
      return as_person("olga");
  }
}

Actor Simulation::a_reviewer() {
  if (choices_.one_in(8)) return an_outsider();
  const std::string name = choices_.any_of({"ann", "bob", "cy", "olga", "sam"});
  return choices_.one_in(8) ? Actor{.name = name} : as_person(name);
}

Actor Simulation::submitter_of(const PlannedJob& planned) {
  if (scenario_.is_comparable) return planned.job.by;
  // Whoever was planned may have lost their role.
  if (is_calm_) return root();
  return choices_.one_in(6) ? an_outsider() : planned.job.by;
}

Result<Job> Simulation::act(const Act& act, const Actor& actor, const std::string& what) {
  people_->revive();
  Result<Job> acted = people_->act(act, actor);
  if (!acted && acted.error().code == ErrorCode::forbidden) ++run_.happened["something forbidden"];
  tell([&] {
    return (actor.name.empty() ? "somebody" : actor.name) + " " + what +
           (acted ? "" : ": " + acted.error().message);
  });
  return acted;
}

void Simulation::operate(const Job& job) {
  const std::string id = std::to_string(job.id.value());
  const Actor by = an_operator();
  switch (choices_.below(13)) {
    case 0:
    case 1:
    case 2:
      if (is_ended_by_limit(job) && choices_.one_in(2)) {
        (void)act(ReviveJob{.job = job.id, .tolerate_failures = Tolerance{.count = 100}}, by,
                  "revives job " + id);
        return;
      }
      (void)act(ResumeJob{.job = job.id}, by, "resumes job " + id);
      return;
    case 3:
      (void)act(PauseJob{.job = job.id}, by, "pauses job " + id);
      return;
    case 4:
      if (!choices_.one_in(3)) return;
      (void)act(CancelJob{.job = job.id}, by, "cancels job " + id);
      return;
    case 5: {
      Budget budget;
      if (choices_.one_in(2)) budget.max_total_attempts = job.attempts_opened + choices_.below(6);
      if (choices_.one_in(4)) budget.max_attempts_per_task = 1 + choices_.below(4);
      (void)act(SetBudget{.job = job.id, .budget = budget}, by, "sets the budget of job " + id);
      return;
    }
    case 6:
    case 7:
    case 8:
    case 9:
      return operate_on_tasks(job);
    case 10:
    case 11:
      return operate_on_stages(job);
    default:
      for (Submission& one : submissions_) {
        if (one.job != job.id || !one.is_done) continue;
        (void)act(ReopenSubmission{.job = job.id}, by, "reopens job " + id);
        one.is_done = false;  // and it must be closed again
        one.is_unsure = true;
        return;
      }
  }
}

void Simulation::operate_on_tasks(const Job& job) {
  Records& records = store_->records();
  auto tasks = *records.tasks({.job = job.id, .limit = 1'000});
  auto items = *records.items({.job = job.id, .limit = 1'000});
  if (tasks.empty() || items.empty()) return;
  const Actor by = an_operator();
  const Task task = choices_.pick(tasks);
  const Version expected = choices_.one_in(2) ? task.version : 0;
  const std::string id = std::to_string(task.id.value());
  switch (choices_.below(8)) {
    case 0:
    case 1:
      (void)act(CancelItem{.item = choices_.pick(items).id}, by, "cancels an item");
      return;
    case 2:
    case 3:
      (void)act(Rerun{.task = task.id,
                      .note = choices_.one_in(2) ? "once more" : "",
                      .by = {},
                      .expected = expected},
                by, "reruns task " + id);
      return;
    case 4:
      std::erase_if(tasks, [](const Task& one) { return one.kind() != StateKind::failed; });
      if (tasks.empty()) return;
      (void)act(DiscardDeadLetter{.task = choices_.pick(tasks).id, .reason = "old", .by = {}}, by,
                "discards a dead letter");
      return;
    case 5:
      (void)act(PurgeItem{.item = choices_.pick(items).id}, by, "purges an item");
      return;
    default:
      (void)act(SkipTask{.task = task.id,
                         .reason = choices_.one_in(8) ? "" : "not needed",
                         .by = {},
                         .expected = expected},
                by, "skips task " + id);
  }
}

void Simulation::operate_on_stages(const Job& job) {
  const auto stages = static_cast<std::uint32_t>(job.stages.size());
  // Sometimes one that the workflow does not have.
  const auto stage = static_cast<StageIndex>(choices_.below(stages + (choices_.one_in(8) ? 1 : 0)));
  const std::string what =
      "stage " + std::to_string(at(stage)) + " of job " + std::to_string(job.id.value());
  const Actor by = an_operator();
  if (choices_.one_in(2)) {
    (void)act(PauseStage{.job = job.id, .stage = stage}, by, "pauses " + what);
  } else {
    (void)act(ResumeStage{.job = job.id, .stage = stage}, by, "resumes " + what);
  }
}

/// Where people are registered, some come, change and go.
void Simulation::change_people() {
  const std::string name = choices_.any_of({"ann", "bob", "cy", "olga", "vera", "sam"});
  const Role role = choices_.any_of({Role::reviewer, Role::viewer, Role::operate, Role::admin});
  std::vector<std::string> groups;
  if (choices_.one_in(2)) groups.emplace_back("editors");
  if (choices_.one_in(3)) groups.emplace_back("leads");
  PeopleChange change = AddPerson{.name = name, .role = role, .groups = groups};
  if (choices_.one_in(2)) change = ChangePerson{.name = name, .role = role, .groups = groups};
  if (choices_.one_in(4)) change = RemovePerson{.name = name};
  const Status done = store_->people().change(change, choices_.one_in(3) ? an_operator() : root());
  tell([&] { return "people change" + (done ? "" : ": " + done.error().message); });
}

void Simulation::act_as_somebody() {
  if (scenario_.is_comparable) {
    (void)answer_as_agreed();
    return;
  }
  if (!choices_.one_in(4) && treat_a_review_at_random()) return;
  if (scenario_.asks_often && !choices_.one_in(3)) return;
  if (!scenario_.people.empty() && choices_.one_in(12)) return change_people();
  auto jobs = *store_->records().jobs({.limit = 100});
  if (!jobs.empty()) operate(choices_.pick(jobs));
}

}  // namespace pawl::simulation
