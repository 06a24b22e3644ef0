/// How a world comes to rest and to its end, once nothing breaks any more.

#include <algorithm>

#include "simulation/simulation.hpp"

namespace pawl::simulation {

namespace {

constexpr std::uint32_t all_at_once = 100'000;
/// A world that is still busy after this many steps without faults will never be idle.
constexpr std::uint64_t rest_within = 20'000;

}  // namespace

/// Whether only paused stages keep the job from going on.
bool Simulation::waits_for_stages(const Job& job) {
  if (job.paused_stages.empty() || job.submission_open || job.cancelled) return false;
  const auto tasks = store_->records().tasks({.job = job.id, .limit = all_at_once});
  bool is_any_ready = false;
  for (const Task& task : *tasks) {
    const StateKind kind = task.kind();
    if (kind == StateKind::running || kind == StateKind::retry_scheduled) return false;
    if (kind != StateKind::ready) continue;
    is_any_ready = true;
    if (!job.is_paused(task.stage())) return false;
  }
  return is_any_ready;
}

/// Whether time will decide something about it without people: an answer that was put off, or a
/// notice that is due.
bool Simulation::waits_for_a_sweep(const Review& review) {
  if (review.status == ReviewStatus::answered) return true;
  return review.status == ReviewStatus::open && review.notice_at != no_time &&
         review.notice_at <= clock_.now();
}

/// Without further faults: works until everything waits for people.
void Simulation::come_to_rest() {
  for (const std::unique_ptr<Process>& one : processes_) {
    one->is_frozen = false;
    one->line().is_cut = false;
  }
  const std::uint64_t begun = run_.steps;
  const auto is_at_rest = [&] {
    for (Submission& one : submissions_) {
      // An operator reopened it while it was submitted: the source is read again.
      if (one.is_done && one.job && store_->records().job(one.job)->submission_open &&
          !store_->records().job(one.job)->cancelled) {
        one.is_done = false;
        one.is_unsure = true;
      }
      if (!one.is_done) return false;
    }
    const Result<std::vector<Job>> jobs = store_->records().jobs({.limit = all_at_once});
    return std::ranges::all_of(*jobs, [&](const Job& job) {
      if (job.has_ended()) return true;
      if (job.attempts_open > 0) return false;
      if (job.paused != PauseCause::none) return true;
      if (!waits_for_people(job) && !waits_for_stages(job)) return false;
      return std::ranges::none_of(*store_->records().reviews({.job = job.id}),
                                  [&](const Review& one) { return waits_for_a_sweep(one); });
    });
  };
  while (may_go_on() && !is_at_rest()) {
    if (!poll_somebody() && !complete_something() && !submit_something()) (void)let_time_pass();
    after_step();
    if (run_.steps - begun > rest_within) {
      find("I12",
           "the world does not come to rest, and nothing names what it waits for:" + unfinished());
    }
  }
}

/// Everything that waits gets what it waits for.
void Simulation::finish() {
  constexpr int rounds_max = 400;
  for (int round = 0; round < rounds_max && may_go_on(); ++round) {
    bool is_over = true;
    const Result<std::vector<Job>> jobs = store_->records().jobs({.limit = all_at_once});
    for (const Job& job : *jobs) {
      if (job.has_ended()) continue;
      is_over = false;
      people_->revive();
      (void)people_->act(SetBudget{.job = job.id, .budget = {}}, root());
      if (job.paused != PauseCause::none) (void)people_->act(ResumeJob{.job = job.id}, root());
      for (const StageIndex stage : job.paused_stages) {
        (void)people_->act(ResumeStage{.job = job.id, .stage = stage}, root());
      }
    }
    if (is_over) return;
    for (std::uint64_t tries = 0; may_go_on() && answer_as_agreed(); ++tries) {
      after_step();
      if (tries > rest_within) find("I12", "a review is open, and no answer is taken");
    }
    after_step();
    come_to_rest();
  }
}

}  // namespace pawl::simulation
