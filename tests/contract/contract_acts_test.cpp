/// Every act of an operator or reviewer: who may do it, and its entry in the audit trail.
///
/// `prepare` has an overload for each alternative of `Act`, so a new act without a test does not
/// compile.

#include <array>
#include <map>
#include <type_traits>
#include <utility>

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/store/arrival.hpp"

namespace pawl::driving {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// An act that can be done now, and the record that its entry must name.
struct Prepared {
  Act act;
  std::string target;
  JobId job;
  std::string reason;
  std::string details = {};  ///< how the details begin
};

class EveryAct : public PeopleContract {
 protected:
  template <class One>
  using Wanted = std::type_identity<One>;

  /// Prepares each act in turn, for a person of this name.
  template <class Body>
  void for_each_act(const std::string& who, Body body) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (body(prepare(Wanted<std::variant_alternative_t<I, Act>>{}, who)), ...);
    }(std::make_index_sequence<std::variant_size_v<Act>>{});
  }

  JobId ready_job() { return drive.submit(workflow("w", {stage("a")}), {"x"}); }
  JobId failed_job(Tolerance tolerance = {}) {
    const Workflow flow = workflow("w", {stage("a")});
    const JobId job =
        drive.submit(flow, {"x", "y"}, NewJob{.workflow = flow, .tolerate_failures = tolerance});
    for (const Claimed& one : drive.claim()) {
      if (one.task.job == job) drive.close(one, failed("torn", ErrorClass::final));
    }
    return job;
  }
  Review fresh_review() {
    const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x"});
    for (const Claimed& one : drive.claim()) {
      if (one.task.job == job) drive.close(one, succeeded());
    }
    return open_review(job);
  }
  void must(const Act& act, const Actor& actor = local_user("root")) {
    const Result<Job> done = drive.act(act, actor);
    ASSERT_TRUE(done) << done.error().text();
  }
  void must_answer_later(const Review& review, const std::string& who) {
    must(AnswerReview{review.id, {.reviewer = who, .effective_at = drive.clock().now() + 30s}},
         local_user(who));
  }

  static std::string named(JobId id) { return "job " + std::to_string(id.value()); }
  static std::string named(TaskId id) { return "task " + std::to_string(id.value()); }
  static std::string named(ItemId id) { return "item " + std::to_string(id.value()); }
  static std::string named(ReviewId id) { return "review " + std::to_string(id.value()); }

  Prepared prepare(Wanted<CancelJob>, const std::string&) { return about(CancelJob{ready_job()}); }
  Prepared prepare(Wanted<PauseJob>, const std::string&) { return about(PauseJob{ready_job()}); }
  Prepared prepare(Wanted<ResumeJob>, const std::string&) {
    const JobId job = ready_job();
    must(PauseJob{job});
    return about(ResumeJob{job});
  }
  Prepared prepare(Wanted<PauseStage>, const std::string&) {
    return detailed(about(PauseStage{ready_job(), first}), "stage 'a'");
  }
  Prepared prepare(Wanted<ResumeStage>, const std::string&) {
    const JobId job = ready_job();
    must(PauseStage{job, first});
    return detailed(about(ResumeStage{job, first}), "stage 'a'");
  }
  Prepared prepare(Wanted<ReviveJob>, const std::string&) {
    return detailed(about(ReviveJob{failed_job({.count = 0}), Tolerance{.count = 100}}),
                    "tolerance {");
  }
  Prepared prepare(Wanted<SetBudget>, const std::string&) {
    return detailed(about(SetBudget{ready_job(), {.max_total_attempts = 50}}), "budget {");
  }
  Prepared prepare(Wanted<ReopenSubmission>, const std::string&) {
    return about(ReopenSubmission{ready_job()});
  }
  Prepared prepare(Wanted<CancelItem>, const std::string&) {
    const JobId job = ready_job();
    const ItemId item = drive.item(job, "x").id;
    return detailed(
        Prepared{.act = CancelItem{item}, .target = named(item), .job = job, .reason = {}},
        "item 'x'");
  }
  Prepared prepare(Wanted<Rerun>, const std::string&) {
    const JobId job = failed_job();
    const TaskId task = drive.task_of(job, "x");
    return detailed(Prepared{.act = Rerun{.task = task, .note = "once more", .by = {}},
                             .target = named(task),
                             .job = job,
                             .reason = "once more"},
                    "item 'x', stage 'a'");
  }
  Prepared prepare(Wanted<SkipTask>, const std::string&) {
    const JobId job = ready_job();
    const TaskId task = drive.task_of(job, "x");
    return detailed(Prepared{.act = SkipTask{.task = task, .reason = "not needed", .by = {}},
                             .target = named(task),
                             .job = job,
                             .reason = "not needed"},
                    "item 'x', stage 'a'");
  }
  Prepared prepare(Wanted<AnswerReview>, const std::string&) {
    const Review review = fresh_review();
    return detailed(about(review, AnswerReview{review.id, {.note = "well done"}}, "well done"),
                    "approve");
  }
  Prepared prepare(Wanted<UndoAnswer>, const std::string& who) {
    const Review review = fresh_review();
    must_answer_later(review, who);
    return about(review, UndoAnswer{review.id, {}});
  }
  Prepared prepare(Wanted<ClaimReview>, const std::string&) {
    const Review review = fresh_review();
    return detailed(about(review, ClaimReview{review.id, {}, drive.clock().now() + 60s}),
                    "until 2023-11-14T22:1");
  }
  Prepared prepare(Wanted<ReleaseReview>, const std::string& who) {
    const Review review = fresh_review();
    must(ClaimReview{review.id, who, drive.clock().now() + 60s}, local_user(who));
    return about(review, ReleaseReview{review.id, {}});
  }
  Prepared prepare(Wanted<AssignReview>, const std::string&) {
    const Review review = fresh_review();
    return detailed(
        about(review, AssignReview{review.id, {"anna"}, "she knows it", {}}, "she knows it"),
        "to anna");
  }
  Prepared prepare(Wanted<DiscardDeadLetter>, const std::string&) {
    const JobId job = failed_job();
    const TaskId task = drive.task_of(job, "x");
    return detailed(Prepared{.act = DiscardDeadLetter{task, "known", {}},
                             .target = named(task),
                             .job = job,
                             .reason = "known"},
                    "item 'x', stage 'a'");
  }
  Prepared prepare(Wanted<PurgeItem>, const std::string&) {
    const JobId job = ready_job();
    const ItemId item = drive.item(job, "x").id;
    must(CancelItem{item});
    return detailed(
        Prepared{.act = PurgeItem{item}, .target = named(item), .job = job, .reason = {}},
        "item 'x'");
  }
  Prepared prepare(Wanted<TrustJob>, const std::string&) { return about(TrustJob{import(), {}}); }

  /// A job without items that has arrived from elsewhere and waits to be accepted.
  JobId import() {
    const Workflow flow = workflow("w", {stage("a")});
    const Job elsewhere = *drive.store().create_job({.workflow = flow});
    const auto receive = [&](const Arrival& arrival) {
      return *drive.store().receiver().receive(arrival);
    };
    const Arriving begun = receive(
        BeginArrival{.export_id = "export", .workflow = flow, .job = elsewhere, .originals = {}});
    const std::vector<ArrivingRecord> whole{ArrivedWhole{elsewhere}};
    (void)receive(AddArrival{.job = begun.job, .from_line = 0, .to_line = 1, .records = whole});
    return receive(EndArrival{.job = begun.job, .as_it_was = elsewhere, .accepted_by = {}}).job;
  }

 private:
  static Prepared detailed(Prepared prepared, std::string details) {
    prepared.details = std::move(details);
    return prepared;
  }
  template <class One>
  static Prepared about(One act) {
    const JobId job = act.job;
    return {.act = std::move(act), .target = named(job), .job = job, .reason = {}};
  }
  static Prepared about(const Review& review, Act act, std::string reason = {}) {
    return {.act = std::move(act),
            .target = named(review.id),
            .job = review.job,
            .reason = std::move(reason)};
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, EveryAct, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(EveryAct, leaves_one_entry_in_the_audit_trail_of_who_did_what_to_which_record_and_why) {
  add("olga", Role::admin);
  for_each_act("olga", [&](const Prepared& wanted) {
    SCOPED_TRACE(name_of(wanted.act));
    const std::int64_t before = trail().back().number;
    drive.clock().advance(1s);
    Actor actor = person("olga");
    actor.at_most = Role::admin;
    must(wanted.act, actor);
    const std::vector<AuditEntry> written = trail({.after = before});
    ASSERT_THAT(written, SizeIs(1));
    const AuditEntry& entry = written[0];
    EXPECT_EQ(entry.number, before + 1);
    EXPECT_EQ(entry.at, drive.clock().now());
    EXPECT_EQ(entry.actor, person("olga")) << "not with what she could have done";
    EXPECT_EQ(entry.act, name_of(wanted.act));
    EXPECT_EQ(entry.job, wanted.job);
    EXPECT_EQ(entry.target, wanted.target);
    EXPECT_EQ(entry.reason, wanted.reason);
    EXPECT_EQ(entry.details.empty(), wanted.details.empty());
    EXPECT_THAT(entry.details, testing::StartsWith(wanted.details));
    EXPECT_EQ(entry.before.size(), 64U);
    EXPECT_NE(entry.before, entry.after) << "the act changed something";
    const bool is_gone = std::holds_alternative<PurgeItem>(wanted.act);
    EXPECT_EQ(entry.after.empty(), is_gone);
    EXPECT_EQ(entry.origin, "");
  });
  const std::vector<AuditEntry> all = trail();
  std::string previous;
  for (const AuditEntry& entry : all) {
    EXPECT_EQ(entry.digest, audit_digest(entry, previous));
    previous = entry.digest;
  }
  const AuditCheck checked = *verify_audit(drive.records());
  EXPECT_THAT(checked.faults, IsEmpty());
  EXPECT_EQ(checked.entries, static_cast<std::int64_t>(all.size()));
  EXPECT_EQ(checked.head, all.back().digest);
}

TEST_P(EveryAct, has_a_name_of_its_own) {
  std::map<std::string, int> names;
  for_each_act("olga", [&](const Prepared& wanted) { ++names[std::string(name_of(wanted.act))]; });
  EXPECT_THAT(names, SizeIs(std::variant_size_v<Act>));
}

/// The least role that may do an act, and whether an agent may.
struct Rule {
  Role least = Role::admin;
  bool of_agents = false;
};
const std::map<std::string_view, Rule>& rules() {
  constexpr Rule operators{Role::operate, true};
  constexpr Rule people_who_operate{Role::operate, false};
  constexpr Rule reviewers{Role::reviewer, false};
  static const std::map<std::string_view, Rule> all{
      {"job.cancel", operators},
      {"job.pause", operators},
      {"job.resume", operators},
      {"stage.pause", operators},
      {"stage.resume", operators},
      {"job.revive", operators},
      {"job.budget", operators},
      {"job.reopen", operators},
      {"item.cancel", operators},
      {"task.rerun", operators},
      {"task.skip", operators},
      {"review.answer", reviewers},
      {"review.undo", reviewers},
      {"review.claim", reviewers},
      {"review.release", reviewers},
      {"review.assign", people_who_operate},  // one that is assigned to nobody
      {"dead_letter.discard", operators},
      {"item.purge", people_who_operate},
      {"job.trust", people_who_operate},
  };
  return all;
}

TEST_P(EveryAct, is_forbidden_below_its_role_and_then_leaves_no_trace) {
  add("vera", Role::viewer);
  add("rita", Role::reviewer);
  add("olga", Role::operate);
  Actor limited = person("olga");
  limited.at_most = Role::viewer;
  Actor small_agent = agent("claude");
  small_agent.at_most = Role::reviewer;
  for_each_act("rita", [&](const Prepared& wanted) {
    SCOPED_TRACE(name_of(wanted.act));
    const Rule rule = rules().at(name_of(wanted.act));
    std::vector<Actor> refused{person("vera"), limited, worker_program("w1"), small_agent,
                               person("nobody")};
    if (rule.least > Role::reviewer) refused.push_back(person("rita"));
    if (!rule.of_agents) refused.push_back(agent("claude"));
    const std::int64_t before = trail().back().number;
    const EventSeq events_before = *drive.records().last_event();
    for (const Actor& actor : refused) {
      expect_error(drive.act(wanted.act, actor), ErrorCode::forbidden,
                   "'" + actor.name + "' may not");
    }
    EXPECT_THAT(trail({.after = before}), IsEmpty());
    EXPECT_EQ(*drive.records().last_event(), events_before);
  });
}

TEST_P(EveryAct, is_open_to_its_role_to_those_above_it_and_to_agents_where_the_rule_says) {
  add("rita", Role::reviewer);
  add("olga", Role::operate);
  add("adam", Role::admin);
  Actor working_agent = agent("claude");
  working_agent.at_most = Role::operate;
  const std::map<std::string, Role> roles{
      {"rita", Role::reviewer}, {"olga", Role::operate}, {"adam", Role::admin}};
  for (const auto& [name, role] : roles) {
    for_each_act(name, [&](const Prepared& wanted) {
      SCOPED_TRACE(name + " " + std::string(name_of(wanted.act)));
      if (role >= rules().at(name_of(wanted.act)).least) must(wanted.act, person(name));
    });
  }
  for_each_act("rita", [&](const Prepared& wanted) {
    SCOPED_TRACE(name_of(wanted.act));
    if (rules().at(name_of(wanted.act)).of_agents) must(wanted.act, working_agent);
  });
}

TEST_P(EveryAct, on_a_record_that_does_not_exist_is_not_found_and_leaves_no_entry) {
  for_each_act("olga", [&](const Prepared& wanted) {
    SCOPED_TRACE(name_of(wanted.act));
    const std::vector<AuditEntry> before = trail();
    Act act = wanted.act;
    std::visit(
        []<class One>(One& one) {
          if constexpr (requires { one.job; }) one.job = JobId{9'999};
          if constexpr (requires { one.item; }) one.item = ItemId{9'999};
          if constexpr (requires { one.task; }) one.task = TaskId{9'999};
          if constexpr (requires { one.review; }) one.review = ReviewId{9'999};
        },
        act);
    const Result<Job> done = drive.act(act, local_user("olga"));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::not_found) << done.error().text();
    EXPECT_EQ(trail(), before);
  });
}

TEST_P(EveryAct, says_itself_who_did_it_where_nobody_else_does) {
  for_each_act("olga", [&](const Prepared& wanted) {
    SCOPED_TRACE(name_of(wanted.act));
    Act act = wanted.act;
    std::visit(
        []<class One>(One& one) {
          if constexpr (requires { one.by; }) one.by = "olga";
          if constexpr (requires { one.answer.reviewer; }) one.answer.reviewer = "olga";
        },
        act);
    const Result<Job> done = drive.act(act);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(trail().back().actor, Actor{.name = std::string(doer_of(act))});
  });
}

TEST_P(EveryAct, is_done_in_the_name_of_the_actor_alone) {
  for_each_act("olga", [&](const Prepared& wanted) {
    SCOPED_TRACE(name_of(wanted.act));
    Act act = wanted.act;
    std::visit(
        []<class One>(One& one) {
          if constexpr (requires { one.by; }) one.by = "ben";
          if constexpr (requires { one.answer.reviewer; }) one.answer.reviewer = "ben";
        },
        act);
    if (doer_of(act).empty()) return;
    const std::vector<AuditEntry> before = trail();
    expect_error(drive.act(act, local_user("olga")), ErrorCode::invalid,
                 "'olga' acts in the name of 'ben'");
    EXPECT_EQ(trail(), before);
  });
}

}  // namespace
}  // namespace pawl::driving
