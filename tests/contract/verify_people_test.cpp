// The record of what people did: answers to reviews (I16, I8), stages that were skipped by hand
// (I7) or paused (I12), and the audit trail (I19).

#include "contract/verified_store.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/audit.hpp"

namespace pawl {
namespace {

using namespace verifying;  // NOLINT(google-build-using-namespace): a test of these

using AlterAnswers = std::function<void(std::vector<GivenAnswer>&)>;
using AlterTrail = std::function<void(std::vector<AuditEntry>&)>;

class VerifyPeople : public VerifiedStore {
 protected:
  static StageDefinition reviewed(ReviewRules rules) {
    StageDefinition made = stage("draft");
    made.review = ReviewPolicy::always;
    made.review_rules = std::move(rules);
    return made;
  }
  /// A review of one item that sam submitted.
  Review asked(ReviewRules rules) {
    const Workflow flow = workflow("asked", {reviewed(std::move(rules))});
    const JobId job = drive.submit(flow, {"x"}, NewJob{.workflow = flow, .by = {.name = "sam"}});
    drive.work_once(always(succeeded(Json::object({{"title", "old"}}))));
    return drive.records().reviews({.job = job, .status = ReviewStatus::open})->front();
  }
  void approve(const Review& review, const std::string& who) {
    const Result<Job> done = drive.act(AnswerReview{review.id, {.reviewer = who}});
    EXPECT_TRUE(done) << done.error().text();
  }
  void edit(const Review& review, const std::string& who, const char* title) {
    const Result<Job> done = drive.act(AnswerReview{review.id,
                                                    {.outcome = ReviewOutcome::approve_with_edits,
                                                     .reviewer = who,
                                                     .edits = Json::object({{"title", title}})}});
    EXPECT_TRUE(done) << done.error().text();
  }
  /// anna approved, ben edited, which voided her approval, and anna and cleo approved that.
  Review voted() {
    const Review review = asked({.approvals = 3, .self_approval = false});
    approve(review, "anna");
    edit(review, "ben", "new");
    approve(review, "anna");
    approve(review, "cleo");
    EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::closed);
    expect_clean();
    return review;
  }
  void expect_damage(const AlterAnswers& alter, std::string_view part) {
    RecordsDecorator damaged(drive.records());
    damaged.alter_answers = alter;
    expect_violation(damaged, "I16", part);
    // An answer that was changed may also differ from the audit trail.
    for (const Violation& one : verified(damaged).violations) {
      EXPECT_TRUE(one.invariant == "I16" || one.invariant == "I19") << one.message;
    }
  }

  /// Some acts that leave entries.
  JobId acted_on() {
    const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(drive.act(PauseJob{job}, {.name = "olga", .address = "10.0.0.7"}));
      EXPECT_TRUE(drive.act(ResumeJob{job}));
    }
    expect_clean();
    return job;
  }
  void expect_broken(const AlterTrail& alter, std::string_view part) {
    RecordsDecorator damaged(drive.records());
    damaged.alter_audit = alter;
    expect_only(damaged, "I19", part);
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, VerifyPeople, testing::ValuesIn(driving::store_kinds()),
                         driving::name_of_kind);

// I16
TEST_P(VerifyPeople, finds_an_approval_by_an_agent_a_worker_or_the_engine) {
  voted();
  for (const ActorKind kind : {ActorKind::agent, ActorKind::worker, ActorKind::engine}) {
    expect_damage([&](std::vector<GivenAnswer>& given) { given[3].by_kind = kind; },
                  "'cleo', and not from a person");
  }
  expect_damage([](std::vector<GivenAnswer>& given) { given[0].by_kind = ActorKind::agent; },
                "answer 1 of review 1, approve, came from the agent 'anna'");
}

// I16
TEST_P(VerifyPeople, takes_only_the_rejection_of_an_overdue_review_from_the_engine) {
  asked({.due = 1h, .overdue = OnOverdue::reject});
  drive.clock().advance(1h);
  ASSERT_EQ(drive.store().sweep({})->noticed, 1);
  expect_clean();
  expect_damage(
      [](std::vector<GivenAnswer>& given) {
        given[0].answer.outcome = ReviewOutcome::request_changes;
      },
      "came from the engine 'overdue', and not from a person");
  expect_damage([](std::vector<GivenAnswer>& given) { given[0].answer.reviewer = "rule"; },
                "came from the engine 'rule', and not from a person");
}

// I16
TEST_P(VerifyPeople, finds_an_approval_that_nobody_gave) {
  voted();
  RecordsDecorator damaged(drive.records());
  damaged.alter_answers = [](std::vector<GivenAnswer>& given) { given.clear(); };
  expect_violation(damaged, "I16", "which is not among the answers that count");
  expect_damage([](std::vector<GivenAnswer>& given) { given.pop_back(); },
                "which is not among the answers that count");
  expect_damage([](std::vector<GivenAnswer>& given) { given[3].answer.note = "well done"; },
                "which is not among the answers that count");
  expect_damage([](std::vector<GivenAnswer>& given) { given[3].fate = AnswerFate::withdrawn; },
                "which is not among the answers that count");
  expect_damage([](std::vector<GivenAnswer>& given) { given.erase(given.begin()); },
                "review 1 has answer 2, where answer 1 should be");
}

// I16
TEST_P(VerifyPeople, finds_approvals_that_are_too_few_or_by_the_same_person) {
  voted();
  expect_damage([](std::vector<GivenAnswer>& given) { given[2].fate = AnswerFate::withdrawn; },
                "after approvals by 2 people, where 3 are needed");
  expect_damage([](std::vector<GivenAnswer>& given) { given[2].answer.reviewer = "ben"; },
                "answers 2 and 3 of review 1 both count, and are by 'ben'");
  expect_damage([](std::vector<GivenAnswer>& given) { given[0].fate = AnswerFate::counts; },
                "answers 1 and 2 of review 1 both count, and approve different content");
}

// I16
TEST_P(VerifyPeople, finds_that_only_the_submitter_and_the_editor_approved) {
  const Review review = asked({.approvals = 2, .self_approval = false});
  edit(review, "ben", "new");
  approve(review, "cleo");
  expect_clean();
  RecordsDecorator damaged(drive.records());
  damaged.alter_job = [](Job& job) { job.submitted_by = "cleo"; };
  const Verification found = verified(damaged);
  EXPECT_TRUE(std::ranges::any_of(found.violations, [](const Violation& one) {
    return one.invariant == "I16" &&
           one.message.find("only by those who submitted the job or made the edits") !=
               std::string::npos;
  })) << told(found);
}

// A store of an older version has closed reviews without rows for the answers.
TEST_P(VerifyPeople, does_not_judge_answers_from_before_they_were_recorded_one_by_one) {
  approve(asked({}), "anna");
  RecordsDecorator older(drive.records());
  older.alter_answers = [](std::vector<GivenAnswer>& given) { given.clear(); };
  older.alter_audit = [](std::vector<AuditEntry>& trail) { trail.clear(); };
  older.alter_job = [](Job& job) { job.submitted_by.clear(); };
  EXPECT_TRUE(verified(older).ok()) << told(verified(older));
}

// I19
TEST_P(VerifyPeople, finds_answers_and_submitters_that_the_audit_trail_does_not_have) {
  const Review review = asked({.approvals = 3});
  approve(review, "anna");
  approve(review, "ben");
  ASSERT_TRUE(drive.act(UndoAnswer{review.id, "ben"}));
  expect_clean();
  const auto expect_forgery = [&](const std::function<void(std::vector<GivenAnswer>&)>& alter,
                                  std::string_view part) {
    RecordsDecorator damaged(drive.records());
    damaged.alter_answers = alter;
    expect_violation(damaged, "I19", part);
  };
  expect_forgery([](std::vector<GivenAnswer>& given) { given[0].answer.reviewer = "eve"; },
                 "answer 1 of review 1, by 'eve' at ");
  expect_forgery(
      [](std::vector<GivenAnswer>& given) {
        given.push_back(given[0]);
        given.back().number = 3;
        given.back().answer.reviewer = "eve";
      },
      "answer 3 of review 1, by 'eve' at ");
  expect_forgery([](std::vector<GivenAnswer>& given) { given[0].given_at += 1s; },
                 "has no entry in the audit trail");
  expect_forgery([](std::vector<GivenAnswer>& given) { given.erase(given.begin()); },
                 "by the audit trail, 'anna' answered review 1");
  expect_forgery(
      [](std::vector<GivenAnswer>& given) {
        given[0].fate = AnswerFate::withdrawn;
        given[0].ended_at = given[1].ended_at;
      },
      "that answer 1 of review 1 was withdrawn has no entry in the audit trail");
  RecordsDecorator damaged(drive.records());
  damaged.alter_job = [](Job& job) { job.submitted_by = "eve"; };
  expect_violation(damaged, "I19",
                   "job 1 was submitted by 'eve', and the audit trail says by 'sam'");
}

// I8
TEST_P(VerifyPeople, finds_a_due_time_or_a_notice_that_does_not_follow_from_the_rules) {
  const Review review = asked({.due = 4h});
  const auto expect_review_damage = [&](const std::function<void(Review&)>& alter,
                                        std::string_view part) {
    RecordsDecorator damaged(drive.records());
    damaged.alter_reviews = [&](std::vector<Review>& reviews) {
      for (Review& one : reviews) alter(one);
    };
    expect_violation(damaged, "I8", part);
  };
  expect_clean();
  expect_review_damage([](Review& one) { one.due_at += 1us; },
                       "which is not what the rules of its stage say");
  expect_review_damage([](Review& one) { one.due_at = no_time; }, "review 1 is due at no time");
  approve(review, "anna");
  expect_clean();
  expect_review_damage([](Review& one) { one.notice_at = one.due_at; },
                       "review 1 is closed, and a notice is scheduled for");
}

// I7
TEST_P(VerifyPeople, finds_a_skip_for_which_the_log_names_nobody) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b", {"a"})}), {"x"});
  drive.work_once(always(failed("torn", ErrorClass::final)));
  ASSERT_TRUE(drive.act(SkipTask{.task = drive.task_of(job, "x"), .reason = "late", .by = "eve"}));
  drive.work(always(succeeded()));
  expect_clean();
  RecordsDecorator silent(drive.records());
  silent.alter_event = [](Event& event) {
    if (event.type == EventType::task_skipped) event.text.clear();
  };
  expect_violation(silent, "I7", "skipped");
}

// I12
TEST_P(VerifyPeople, finds_a_paused_stage_that_the_workflow_does_not_have) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b")}), {"x"});
  ASSERT_TRUE(drive.act(PauseStage{job, StageIndex{1}}));
  expect_clean();
  for (const std::vector<StageIndex>& stages :
       {std::vector{StageIndex{2}}, std::vector{StageIndex{1}, StageIndex{0}},
        std::vector{StageIndex{1}, StageIndex{1}}}) {
    RecordsDecorator damaged(drive.records());
    damaged.alter_job = [&](Job& row) { row.paused_stages = stages; };
    expect_violation(damaged, "I12", "where its workflow has the stages 0 to 1");
  }
}

// I19
TEST_P(VerifyPeople, finds_every_change_to_an_entry_of_the_audit_trail) {
  const JobId job = acted_on();
  const std::vector<std::function<void(AuditEntry&)>> changes{
      [](AuditEntry& entry) { entry.at += 1us; },
      [](AuditEntry& entry) { entry.actor.name = "ben"; },
      [](AuditEntry& entry) { entry.actor.kind = ActorKind::agent; },
      [](AuditEntry& entry) { entry.actor.method = ActorMethod::proxy; },
      [](AuditEntry& entry) { entry.actor.address = "10.0.0.8"; },
      [](AuditEntry& entry) { entry.act = "job.cancel"; },
      [&](AuditEntry& entry) { entry.job = JobId{job.value() + 1}; },
      [](AuditEntry& entry) { entry.target = "job 2"; },
      [](AuditEntry& entry) { entry.details = "stage 'a'"; },
      [](AuditEntry& entry) { entry.reason = "because"; },
      [](AuditEntry& entry) { entry.before.clear(); },
      [](AuditEntry& entry) { std::swap(entry.before, entry.after); },
      [](AuditEntry& entry) { entry.origin = "export"; },
      [](AuditEntry& entry) { entry.digest = std::string(64, '0'); },
  };
  for (const auto& change : changes) {
    expect_broken([&](std::vector<AuditEntry>& trail) { change(trail.at(2)); },
                  "entry 3 of the audit trail is not as it was written");
  }
  EXPECT_EQ(verified(drive.records()).audit_entries, 7) << "with that of the submission";
}

// I19
TEST_P(VerifyPeople, finds_entries_of_the_audit_trail_that_were_removed_reordered_or_doubled) {
  acted_on();
  using Trail = std::vector<AuditEntry>;
  expect_broken([](Trail& trail) { trail.erase(trail.begin()); },
                "entry 1 is missing from the audit trail");
  expect_broken([](Trail& trail) { trail.erase(trail.begin() + 1, trail.begin() + 4); },
                "entries 2 to 4 are missing from the audit trail");
  expect_broken([](Trail& trail) { std::swap(trail[1], trail[2]); }, "the audit trail");
  expect_broken(
      [](Trail& trail) {
        std::swap(trail[1], trail[2]);
        std::swap(trail[1].number, trail[2].number);
      },
      "entry 2 of the audit trail is not as it was written");
  expect_broken([](Trail& trail) { trail.insert(trail.begin() + 2, trail[1]); },
                "entry 2 of the audit trail is not as it was written");
}

// I19. One who can change an entry can also compute digests; but not those that others have kept.
TEST_P(VerifyPeople, finds_a_trail_that_was_cut_off_or_written_anew_against_a_digest_kept_apart) {
  acted_on();
  const std::string head = verify_audit(drive.records())->head;
  ASSERT_TRUE(drive.act(PauseJob{JobId{1}}));
  EXPECT_THAT(verify_audit(drive.records(), head)->faults, testing::IsEmpty())
      << "the trail has only grown";

  RecordsDecorator cut(drive.records());
  cut.alter_audit = [](std::vector<AuditEntry>& trail) {
    if (trail.size() > 4) trail.resize(4);
  };
  EXPECT_THAT(verify_audit(cut)->faults, testing::IsEmpty());
  EXPECT_THAT(verify_audit(cut, head)->faults,
              testing::ElementsAre(
                  testing::HasSubstr("no entry of the audit trail has the digest " + head)));
  RecordsDecorator anew(drive.records());
  anew.alter_audit = [](std::vector<AuditEntry>& trail) {
    std::string previous;
    for (AuditEntry& entry : trail) {
      if (entry.number == 2) entry.actor.name = "nobody";
      entry.digest = audit_digest(entry, previous);
      previous = entry.digest;
    }
  };
  EXPECT_THAT(verify_audit(anew)->faults, testing::IsEmpty());
  EXPECT_THAT(verify_audit(anew, head)->faults, testing::SizeIs(1));
}

// I19
TEST_P(VerifyPeople, judges_the_audit_trail_with_the_whole_store_and_not_with_one_job) {
  const JobId job = acted_on();
  RecordsDecorator damaged(drive.records());
  damaged.alter_audit = [](std::vector<AuditEntry>& trail) { trail[0].reason = "x"; };
  EXPECT_FALSE(verified(damaged).ok());
  EXPECT_TRUE(verified(damaged, {.job = job}).ok());
  EXPECT_EQ(verified(damaged, {.job = job}).audit_entries, 0);
}

}  // namespace
}  // namespace pawl
