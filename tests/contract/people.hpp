#pragma once

/// People who act on a store, and reviews with rules.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contract/contract.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/audit.hpp"
#include "pawl/store/people.hpp"

namespace pawl::driving {

/// A person who has signed in.
inline Actor person(std::string name) {
  return {.name = std::move(name), .method = ActorMethod::session, .address = "10.0.0.7"};
}
/// The user of the system.
inline Actor local_user(std::string name) { return {.name = std::move(name)}; }
inline Actor agent(std::string name) {
  return {.name = std::move(name), .kind = ActorKind::agent, .method = ActorMethod::token};
}
inline Actor worker_program(std::string name) {
  return {.name = std::move(name), .kind = ActorKind::worker, .method = ActorMethod::token};
}

class PeopleContract : public Contract {
 protected:
  People& people() { return drive.store().people(); }
  void add(const std::string& name, Role role = Role::reviewer,
           std::vector<std::string> groups = {}) {
    const Status added =
        people().change(AddPerson{name, role, std::move(groups)}, local_user("root"));
    EXPECT_TRUE(added) << (added ? "" : added.error().text());
  }

  /// A stage that asks for a review under these rules.
  static StageDefinition ruled(ReviewRules rules) {
    StageDefinition made = reviewed("draft");
    made.review_rules = std::move(rules);
    return made;
  }
  static Json draft() { return Json::object({{"title", "old"}, {"pages", 3}}); }
  static Json edited() { return Json::object({{"title", "new"}, {"pages", 3}}); }
  static Json edited_again() { return Json::object({{"title", "newest"}, {"pages", 3}}); }

  /// Item x, whose output waits for a review under these rules.
  Review asked(ReviewRules rules, const std::string& submitter = {}) {
    const Workflow flow = workflow("w", {ruled(std::move(rules)), stage("after", {"draft"})});
    const JobId job =
        drive.submit(flow, {"x"}, NewJob{.workflow = flow, .by = local_user(submitter)});
    EXPECT_GE(drive.work_once(always(succeeded(draft()))), 1) << "and what waits in other jobs";
    return open_review(job);
  }

  Result<Job> approve(const Review& review, const std::string& who) {
    return drive.act(AnswerReview{review.id, {.reviewer = who}});
  }
  Result<Job> approve_later(const Review& review, const std::string& who, Duration delay) {
    return drive.act(
        AnswerReview{review.id, {.reviewer = who, .effective_at = drive.clock().now() + delay}});
  }
  Result<Job> edit(const Review& review, const std::string& who, Json edits) {
    return drive.act(AnswerReview{review.id,
                                  {.outcome = ReviewOutcome::approve_with_edits,
                                   .reviewer = who,
                                   .edits = std::move(edits)}});
  }
  Result<Job> undo(const Review& review, const std::string& who) {
    return drive.act(UndoAnswer{review.id, who});
  }

  Review stored(const Review& review) { return *drive.records().review(review.id); }
  std::vector<GivenAnswer> answers(const Review& review) {
    return *drive.records().answers(review.id);
  }
  std::vector<AnswerFate> fates(const Review& review) {
    std::vector<AnswerFate> found;
    for (const GivenAnswer& given : answers(review)) found.push_back(given.fate);
    return found;
  }
  Task reviewed_task(const Review& review) { return drive.task_with(review.task); }

  std::vector<AuditEntry> trail(AuditFilter filter = {.limit = 100'000}) {
    return *drive.records().audit(filter);
  }
  std::vector<Event> events_of(EventType type) {
    std::vector<Event> found = events();
    std::erase_if(found, [&](const Event& event) { return event.type != type; });
    return found;
  }
  static void expect_refusal(const Status& answer, ErrorCode code, std::string_view part) {
    ASSERT_FALSE(answer) << "expected an error that says: " << part;
    EXPECT_EQ(answer.error().code, code) << answer.error().text();
    EXPECT_THAT(answer.error().text(), testing::HasSubstr(std::string(part)));
  }
};

}  // namespace pawl::driving
