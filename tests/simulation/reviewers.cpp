/// What people do with reviews: as agreed, so that a world comes to its end, or at random.

#include <algorithm>

#include "simulation/simulation.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

}  // namespace

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

/// Those that people can do something about: not those of a cancelled job or item, nor those that
/// the next sweep rejects.
std::vector<Review> Simulation::reviews_to_answer() {
  Records& records = store_->records();
  std::vector<Review> open = *records.reviews({.status = ReviewStatus::open, .limit = 1'000});
  std::erase_if(open, [&](const Review& one) {
    return records.job(one.job)->cancelled || (one.item && records.item(one.item)->cancelled) ||
           (is_calm_ && waits_for_a_sweep(one));
  });
  return open;
}

/// Everybody who may approve the review and has not done so. Whoever opens the store as a file may
/// answer what is everybody's.
std::vector<Actor> Simulation::voters_for(const Review& review) {
  std::vector<Actor> voters;
  if (!scenario_.is_comparable) {
    for (const char* name : {"judge-1", "judge-2", "judge-3", "judge-4"}) {
      voters.push_back({.name = name});
    }
  } else {
    for (const char* name : {"ann", "bob", "cy", "olga"}) voters.push_back(as_person(name));
  }
  const std::vector<GivenAnswer> given = *store_->records().answers(review.id);
  std::erase_if(voters, [&](const Actor& voter) {
    const bool has_voted = std::ranges::any_of(given, [&](const GivenAnswer& one) {
      return one.fate == AnswerFate::counts && one.answer.reviewer == voter.name;
    });
    const Result<Person> person = store_->people().person(voter.name);
    const auto groups = person ? person->groups : std::vector<std::string>();
    const bool is_theirs = std::ranges::any_of(review.assigned, [&](const std::string& assignee) {
      return assignee == voter.name || std::ranges::any_of(groups, [&](const auto& one) {
               return assignee == "group:" + one;
             });
    });
    return has_voted || (!review.assigned.empty() && !is_theirs);
  });
  return voters;
}

/// What others have done to the review does not keep it from being answered.
void Simulation::clear_the_way(const Review& review) {
  if (!review.claimed_by.empty()) {
    const ClaimReview claim{.review = review.id, .until = clock_.now() + 1s, .steal = true};
    (void)act(claim, root(), "takes over a claim");
    (void)act(ReleaseReview{.review = review.id, .by = {}}, root(), "releases it");
  }
  if (!review.assigned.empty()) {
    (void)act(AssignReview{.review = review.id, .to = {}, .note = {}, .by = {}}, root(),
              "gives a review to everybody");
  }
}

/// Answers as the scenario says, whoever's turn it is.
bool Simulation::answer_as_agreed() {
  std::vector<Review> open = reviews_to_answer();
  if (open.empty()) return false;
  Review review = choices_.pick(open);
  people_->revive();
  if (!scenario_.is_comparable) {
    clear_the_way(review);
    review = *store_->records().review(review.id);
  }
  std::vector<Actor> voters = voters_for(review);
  if (voters.empty()) {
    find("I12",
         "everybody has answered review " + std::to_string(review.id.value()) + ", and it is open");
    return true;
  }
  const Actor voter = choices_.pick(voters);
  const std::string what = "answers review " + std::to_string(review.id.value());
  Answer answer = answer_of(scenario_, work_under(review));
  const auto is_impossible = [](const Result<Job>& one) {
    return !one &&
           (one.error().code == ErrorCode::invalid || one.error().code == ErrorCode::refused);
  };
  if (!is_impossible(act(AnswerReview{review.id, answer}, voter, what))) return true;
  // Nothing to change or to edit, or no budget left for it: approve, or reject what is not there.
  answer.outcome = ReviewOutcome::approve;
  answer.edits.reset();
  if (!is_impossible(act(AnswerReview{review.id, answer}, voter, what))) return true;
  answer.outcome = ReviewOutcome::reject;
  (void)act(AnswerReview{review.id, answer}, voter, what);
  return true;
}

/// Somebody answers what they see, or saw, at once or with a delay.
void Simulation::answer_at_random(const Review& review) {
  const Actor by = a_reviewer();
  Answer made{.note = choices_.one_in(12) ? "" : "because", .digest = review.digest};
  if (choices_.one_in(2)) made.digest.clear();
  if (choices_.one_in(12)) made.digest = "sha256:of something else";
  made.outcome = choices_.any_of(
      {ReviewOutcome::approve, ReviewOutcome::approve, ReviewOutcome::approve_with_edits,
       ReviewOutcome::approve_with_edits, ReviewOutcome::request_changes, ReviewOutcome::reject});
  if (made.outcome == ReviewOutcome::approve_with_edits || choices_.one_in(24)) {
    made.edits = Json::object({{"edited", choices_.one_in(3)}});
  }
  if (choices_.one_in(6)) made.attempt = 1 + choices_.below(3);
  if (choices_.one_in(3)) {
    made.effective_at = clock_.now() + choices_.any_of<Duration>({5s, 5s, 60s, 60s + 1us});
  }
  if (choices_.one_in(4)) made.reviewer = choices_.one_in(8) ? "zoe" : by.name;
  (void)act(AnswerReview{.review = review.id, .answer = made}, by,
            "answers review " + std::to_string(review.id.value()));
}

void Simulation::claim_at_random(const Review& review) {
  const std::string id = std::to_string(review.id.value());
  const bool is_steal = choices_.one_in(3);
  const Actor by = is_steal ? an_operator() : a_reviewer();
  ClaimReview claim{.review = review.id,
                    .by = by.name.empty() ? "root" : "",
                    .until = clock_.now() + choices_.any_of<Duration>({10s, 1s, 1h, 1h + 1us}),
                    .steal = is_steal};
  const std::string& claimer = claim.by.empty() ? by.name : claim.by;
  const bool is_other = !review.claimed_by.empty() && review.claimed_by != claimer;
  const bool has_expired = review.claimed_until <= clock_.now();
  if (!act(claim, by, "claims review " + id) || !is_other) return;
  ++run_.happened[has_expired ? "a claim after one that expired" : "a claim that is taken over"];
}

void Simulation::release_at_random(const Review& review) {
  const bool is_own = !review.claimed_by.empty() && !choices_.one_in(3);
  const Actor by = is_own ? as_person(review.claimed_by) : a_reviewer();
  (void)act(ReleaseReview{.review = review.id, .by = {}}, by,
            "releases review " + std::to_string(review.id.value()));
}

/// Somebody takes back an answer, not always their own.
void Simulation::undo_at_random(const Review& review) {
  std::vector<GivenAnswer> given = *store_->records().answers(review.id);
  const bool is_own = !given.empty() && !choices_.one_in(3);
  const Actor by = is_own ? as_person(choices_.pick(given).answer.reviewer) : a_reviewer();
  (void)act(UndoAnswer{.review = review.id, .by = {}}, by,
            "takes back an answer to review " + std::to_string(review.id.value()));
}

void Simulation::assign_at_random(const Review& review) {
  AssignReview assign{.review = review.id, .to = {}, .note = "please", .by = {}};
  for (const char* name : {"ann", "bob", "cy", "olga", "group:editors", "group:leads"}) {
    if (choices_.one_in(3)) assign.to.emplace_back(name);
  }
  if (choices_.one_in(12)) assign.to.emplace_back("no name");
  if (choices_.one_in(12)) assign.to.emplace_back("ann");
  const Actor by = choices_.one_in(2) ? a_reviewer() : an_operator();
  (void)act(assign, by, "assigns review " + std::to_string(review.id.value()));
}

/// People do several things with the same review, also when it is no longer open.
bool Simulation::treat_a_review_at_random() {
  std::vector<Review> pending = reviews_to_answer();
  const std::vector<Review> answered =
      *store_->records().reviews({.status = ReviewStatus::answered, .limit = 1'000});
  pending.insert(pending.end(), answered.begin(), answered.end());
  if (pending.empty()) return false;
  const ReviewId id = choices_.pick(pending).id;
  for (std::uint32_t left = 1 + choices_.below(5); left > 0; --left) {
    // The store may have lost it meanwhile, or its item.
    const Result<Review> review = store_->records().review(id);
    if (!review) break;
    switch (choices_.below(10)) {
      case 5:
        claim_at_random(*review);
        break;
      case 6:
        release_at_random(*review);
        break;
      case 7:
      case 8:
        undo_at_random(*review);
        break;
      case 9:
        assign_at_random(*review);
        break;
      default:
        answer_at_random(*review);
    }
  }
  return true;
}

}  // namespace pawl::simulation
