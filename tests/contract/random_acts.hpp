#pragma once

/// What people do in a random history: acts, answers, and changes of who they are.

#include <optional>
#include <string>
#include <vector>

#include "contract/dice.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/people.hpp"

namespace pawl::driving {

/// Random rules for the reviews of a stage. Some of them contradict themselves: `compile` tells.
inline ReviewRules random_rules(Dice& dice) {
  using namespace std::chrono_literals;
  using Names = std::vector<std::string>;
  ReviewRules rules;
  rules.assign = dice.any_of<Names>({{}, {}, {"eve"}, {"eve", "bob"}, {"group:editors", "bob"}});
  rules.approvals = static_cast<std::uint32_t>(1 + dice.below(2));
  rules.self_approval = !dice.one_in(3);
  rules.due = dice.any_of<Duration>({0s, 2s, 4s, 400s});
  if (rules.due == 0s) return rules;
  rules.overdue = dice.any_of({OnOverdue::remind, OnOverdue::escalate, OnOverdue::reject});
  if (rules.overdue == OnOverdue::escalate) rules.escalate_to = {"group:leads", "cleo"};
  return rules;
}

class RandomActs {
 public:
  RandomActs(Dice& dice, Store& store, const Clock& clock)
      : dice_(dice), store_(store), clock_(clock) {}

  /// Somebody who acts, by any door.
  Actor some_actor() {
    Actor actor{.name = some_name()};
    actor.method = dice_.any_of({ActorMethod::local, ActorMethod::claimed, ActorMethod::session});
    if (dice_.one_in(8)) actor.kind = dice_.any_of({ActorKind::agent, ActorKind::worker});
    if (dice_.one_in(6)) actor.at_most = some_role();
    return actor;
  }

  Act some_act(const std::vector<JobId>& jobs) {
    using namespace std::chrono_literals;
    const JobId job = jobs.empty() ? JobId{1} : dice_.pick(jobs);
    const auto stage = static_cast<StageIndex>(dice_.below(5));
    const std::string who = some_name();
    switch (dice_.below(25)) {
      case 0:
        return CancelJob{job};
      case 1:
        return PauseJob{job};
      case 2:
      case 3:
        return ResumeJob{job};
      case 4:
        if (dice_.one_in(2)) return ReviveJob{job, Tolerance{.count = 1'000}};
        return SetBudget{job, {.max_total_attempts = 40}};
      case 5:
        if (dice_.one_in(4)) return TrustJob{job, who};
        return ReopenSubmission{job};
      case 6:
        return CancelItem{some_item(job)};
      case 7:
      case 8:
      case 9: {
        const Task task = some_task(job);
        return Rerun{.task = task.id,
                     .note = dice_.any_of<std::string>({"", "again"}),
                     .by = who,
                     .expected = dice_.one_in(4) ? task.version + 1 : Version{0}};
      }
      case 10:
        return UndoAnswer{some_review(), who};
      case 11:
        return ClaimReview{.review = some_review(),
                           .by = who,
                           .until = clock_.now() + dice_.any_of<Duration>({2s, 2h}),
                           .steal = dice_.one_in(3)};
      case 12:
        return ReleaseReview{some_review(), who};
      case 13:
        return DiscardDeadLetter{some_task(job).id, dice_.any_of<std::string>({"known", ""}), who};
      case 14:
        return PurgeItem{some_item(job)};
      case 15:
        return PauseStage{job, stage};
      case 16:
      case 17:
        return ResumeStage{job, stage};
      case 18: {
        const Task task = some_task(job);
        return SkipTask{.task = task.id,
                        .reason = dice_.one_in(6) ? "" : "not needed",
                        .by = who,
                        .expected = dice_.one_in(4) ? task.version + 1 : Version{0}};
      }
      case 19:
        return AssignReview{some_review(), some_assignees(), dice_.one_in(2) ? "" : "away", who};
      default:
        return AnswerReview{some_review(), some_answer(who)};
    }
  }

  /// `tokens`: also tokens and sessions.
  PeopleChange some_change(bool tokens) {
    const std::string name = some_name();
    switch (dice_.below(tokens ? 8 : 3)) {
      case 0:
        return AddPerson{name, some_role(), some_groups()};
      case 1:
        return ChangePerson{
            .name = name,
            .role = dice_.one_in(2) ? std::optional(some_role()) : std::nullopt,
            .groups = dice_.one_in(2) ? std::optional(some_groups()) : std::nullopt};
      case 2:
        return RemovePerson{name};
      case 3:
      case 4: {
        TokenRecord token{.sha256 = some_digest(), .name = name, .worker_kinds = {}};
        token.kind = dice_.any_of({ActorKind::person, ActorKind::worker, ActorKind::agent});
        token.role = some_role();
        if (dice_.one_in(2)) token.worker_kinds = {"ocr"};
        if (dice_.one_in(3)) token.expires_at = clock_.now() + std::chrono::seconds(2);
        return CreateToken{token};
      }
      case 5:
        return RevokeToken{static_cast<std::int64_t>(1 + dice_.below(4))};
      case 6:
        return OpenSession{{.sha256 = some_digest(),
                            .person = name,
                            .at_most = some_role(),
                            .expires_at = clock_.now() + std::chrono::seconds(dice_.below(4))}};
      default:
        return CloseSession{some_digest()};
    }
  }

 private:
  std::string some_name() { return dice_.any_of<std::string>({"eve", "eve", "bob", "cleo"}); }
  Role some_role() {
    return dice_.any_of({Role::viewer, Role::reviewer, Role::operate, Role::admin});
  }
  std::vector<std::string> some_groups() {
    return dice_.any_of<std::vector<std::string>>({{}, {"editors"}, {"leads", "editors"}});
  }
  std::vector<std::string> some_assignees() {
    return dice_.any_of<std::vector<std::string>>(
        {{}, {"eve"}, {"group:editors"}, {"bob", "group:leads"}, {"eve", "eve"}});
  }
  std::string some_digest() {
    return std::string(64, dice_.any_of({'a', 'b', 'c', 'd', 'e', 'f', 'x'}));
  }
  ItemId some_item(JobId job) {
    const std::vector<Item> items = *store_.records().items({.job = job, .limit = 1'000});
    return items.empty() || dice_.one_in(20) ? ItemId{77} : dice_.pick(items).id;
  }
  Task some_task(JobId job) {
    const auto wanted = dice_.any_of<std::optional<StateKind>>(
        {std::nullopt, StateKind::failed, StateKind::failed, StateKind::succeeded});
    const std::vector<Task> tasks =
        *store_.records().tasks({.job = job, .state = wanted, .limit = 1'000});
    return tasks.empty() ? Task{.id = TaskId{99}} : dice_.pick(tasks);
  }
  ReviewId some_review() {
    const std::vector<Review> reviews = *store_.records().reviews({.limit = 1'000});
    return reviews.empty() ? ReviewId{5} : dice_.pick(reviews).id;
  }
  Answer some_answer(const std::string& who) {
    using namespace std::chrono_literals;
    Answer answer{.outcome = dice_.any_of({ReviewOutcome::approve, ReviewOutcome::approve,
                                           ReviewOutcome::approve_with_edits,
                                           ReviewOutcome::request_changes, ReviewOutcome::reject}),
                  .reviewer = who,
                  .note = dice_.one_in(6) ? "" : "because"};
    if (answer.outcome == ReviewOutcome::approve_with_edits && !dice_.one_in(6)) {
      answer.edits = Json(dice_.any_of<std::string>({"edited", "edited again"}));
    }
    if (dice_.one_in(5)) answer.attempt = static_cast<AttemptNumber>(1 + dice_.below(3));
    if (dice_.one_in(3)) {
      answer.effective_at = clock_.now() + dice_.any_of<Duration>({2s, 2s, 60s, 61s});
    }
    if (dice_.one_in(10)) answer.digest = "sha256:other";
    return answer;
  }

  Dice& dice_;
  Store& store_;
  const Clock& clock_;
};

}  // namespace pawl::driving
