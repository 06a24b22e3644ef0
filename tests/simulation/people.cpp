/// Operators and reviewers. They act on what they see: late, twice, and against each other.

#include <algorithm>

#include "simulation/simulation.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

}  // namespace

void Simulation::act(const Act& act, const std::string& what) {
  people_->revive();
  const Result<Job> acted = people_->act(act);
  tell([&] { return what + (acted ? "" : ": " + acted.error().message); });
}

WorkName Simulation::work_under(const Review& review) {
  Records& records = store_->records();
  const Job job = *records.job(review.job);
  WorkName work{.stage = stage_of(review.task)};
  const auto planned = std::ranges::find_if(
      scenario_.jobs, [&](const PlannedJob& one) { return one.job.key == job.key; });
  work.job = static_cast<std::size_t>(planned - scenario_.jobs.begin());
  if (review.item) work.item = records.item(review.item)->key;
  const Result<std::vector<Attempt>> attempts = records.attempts(review.task);
  work.done_before = static_cast<std::uint32_t>(std::ranges::count_if(
      *attempts, [](const Attempt& one) { return one.result != AttemptResult::interrupted; }));
  return work;
}

/// Answers as the scenario says, whenever it is their turn.
bool Simulation::answer_a_review(bool as_agreed) {
  Records& records = store_->records();
  std::vector<Review> open = *records.reviews({.status = ReviewStatus::open, .limit = 1'000});
  // Reviews of a cancelled job or item are not answered.
  std::erase_if(open, [&](const Review& one) {
    return records.job(one.job)->cancelled || (one.item && records.item(one.item)->cancelled);
  });
  if (open.empty()) return false;
  const Review review = choices_.pick(open);
  if (!as_agreed) {
    answer_at_random(review);
    return true;
  }
  people_->revive();
  Answer answer = answer_of(scenario_, work_under(review));
  const Result<Job> acted = people_->act(AnswerReview{.review = review.id, .answer = answer});
  tell([&] {
    return "ann answers review " + std::to_string(review.id.value()) +
           (acted ? "" : ": " + acted.error().message);
  });
  const auto is_refused = [](const Result<Job>& one) {
    return !one && one.error().code != ErrorCode::unavailable;
  };
  if (is_refused(acted)) {
    // Nothing to change or to edit, or no budget left for it: approve.
    answer.outcome = ReviewOutcome::approve;
    answer.edits.reset();
    const Result<Job> approved = people_->act(AnswerReview{.review = review.id, .answer = answer});
    if (is_refused(approved)) {
      answer.outcome = ReviewOutcome::reject;
      (void)people_->act(AnswerReview{.review = review.id, .answer = answer});
    }
  }
  return true;
}

/// Ann and Bob answer what they saw, at once or with a delay, and sometimes both.
void Simulation::answer_at_random(const Review& review) {
  const std::string id = std::to_string(review.id.value());
  const auto answer = [&](const char* reviewer) {
    Answer made{.reviewer = reviewer, .note = "because", .digest = review.digest};
    made.outcome = choices_.any_of({ReviewOutcome::approve, ReviewOutcome::approve_with_edits,
                                    ReviewOutcome::request_changes, ReviewOutcome::reject});
    if (made.outcome == ReviewOutcome::approve_with_edits) {
      made.edits = Json::object({{"edited", true}});
    }
    if (choices_.one_in(3)) made.effective_at = clock_.now() + 5s;
    if (choices_.one_in(8)) made.digest = "sha256:of something else";
    return made;
  };
  switch (choices_.below(6)) {
    case 0:
    case 1:
      return act(AnswerReview{.review = review.id, .answer = answer("ann")}, "ann answers " + id);
    case 2:
      act(AnswerReview{.review = review.id, .answer = answer("ann")}, "ann answers " + id);
      return act(AnswerReview{.review = review.id, .answer = answer("bob")}, "bob answers " + id);
    case 3:
      return act(ClaimReview{.review = review.id, .by = "ann", .until = clock_.now() + 10s},
                 "ann claims " + id);
    case 4:
      return act(ReleaseReview{.review = review.id, .by = "ann"}, "ann releases " + id);
    default: {
      const auto answered = store_->records().reviews({.status = ReviewStatus::answered});
      if (answered->empty()) return;
      watch_.forget_answer(answered->front().id);
      return act(UndoAnswer{.review = answered->front().id, .by = "ann"}, "ann thinks again");
    }
  }
}

void Simulation::operate(const Job& job) {
  Records& records = store_->records();
  const std::string id = std::to_string(job.id.value());
  auto tasks = *records.tasks({.job = job.id, .limit = 1'000});
  auto items = *records.items({.job = job.id, .limit = 1'000});
  switch (choices_.below(12)) {
    case 0:
    case 1:
    case 2:
      if (is_ended_by_limit(job) && choices_.one_in(2)) {
        return act(ReviveJob{.job = job.id, .tolerate_failures = Tolerance{.count = 100}},
                   "somebody revives job " + id);
      }
      return act(ResumeJob{.job = job.id}, "somebody resumes job " + id);
    case 3:
      return act(PauseJob{.job = job.id}, "somebody pauses job " + id);
    case 4:
      if (!choices_.one_in(3)) return;
      return act(CancelJob{.job = job.id}, "somebody cancels job " + id);
    case 5: {
      Budget budget;
      if (choices_.one_in(2)) budget.max_total_attempts = job.attempts_opened + choices_.below(6);
      if (choices_.one_in(4)) budget.max_attempts_per_task = 1 + choices_.below(4);
      return act(SetBudget{.job = job.id, .budget = budget},
                 "somebody sets the budget of job " + id);
    }
    case 6:
      if (items.empty()) return;
      return act(CancelItem{.item = choices_.pick(items).id}, "somebody cancels an item");
    case 7:
    case 8: {
      if (tasks.empty()) return;
      const Task& task = choices_.pick(tasks);
      return act(Rerun{.task = task.id,
                       .note = choices_.one_in(2) ? "once more" : "",
                       .by = "olga",
                       .expected = choices_.one_in(2) ? task.version : 0},
                 "somebody reruns task " + std::to_string(task.id.value()));
    }
    case 9:
      std::erase_if(tasks, [](const Task& one) { return one.kind() != StateKind::failed; });
      if (tasks.empty()) return;
      return act(DiscardDeadLetter{.task = choices_.pick(tasks).id, .reason = "old", .by = "olga"},
                 "somebody discards a dead letter");
    case 10:
      if (items.empty()) return;
      return act(PurgeItem{.item = choices_.pick(items).id}, "somebody purges an item");
    default:
      for (Submission& one : submissions_) {
        if (one.job != job.id || !one.is_done) continue;
        act(ReopenSubmission{.job = job.id}, "somebody reopens job " + id);
        one.is_done = false;  // and it must be closed again
        one.is_unsure = true;
        return;
      }
  }
}

void Simulation::act_as_somebody() {
  if (scenario_.is_comparable) {
    (void)answer_a_review(true);
    return;
  }
  if (choices_.one_in(2) && answer_a_review(false)) return;
  auto jobs = *store_->records().jobs({.limit = 100});
  if (!jobs.empty()) operate(choices_.pick(jobs));
}

}  // namespace pawl::simulation
