/// People who act in several processes at once: each act counts once, no change is lost, and the
/// audit trail stays whole.

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "contract/people.hpp"
#include "postgres/fixture.hpp"

namespace pawl::driving {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Keeps every store from writing to the audit trail.
class AuditLock {
 public:
  explicit AuditLock(const PostgresPlace& place)
      : connection_(PQconnectdb(place.server().c_str()), &PQfinish) {
    run("BEGIN");
    run("SELECT 1 FROM " + place.schema() + ".counters WHERE name = 'audit' FOR UPDATE");
  }
  void release() { run("COMMIT"); }

 private:
  void run(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> answer(
        PQexec(connection_.get(), sql.c_str()), &PQclear);
    const ExecStatusType status = PQresultStatus(answer.get());
    EXPECT_TRUE(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)
        << PQerrorMessage(connection_.get());
  }

  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

class PeopleTogether : public testing::Test {
 protected:
  using Deed = std::function<void(Store&)>;

  PostgresPlace place;
  Drive drive{{.name = "postgres", .open = [this](const Clock& clock) {
                 return must_open({.url = place.url()}, clock);
               }}};

  void TearDown() override { drive.expect_sound(); }

  /// Does each deed with a store of its own, as a process would. While nobody can write to the
  /// audit trail, each comes as far as it can before the next one begins; then all go on at once.
  /// So what reads before it waits for the others, and writes after that, loses their changes in
  /// every run.
  void at_once(const std::vector<Deed>& deeds) {
    std::vector<std::shared_ptr<Store>> stores;
    for (std::size_t i = 0; i < deeds.size(); ++i) {
      stores.push_back(must_open({.url = place.url()}, drive.clock()));
    }
    std::atomic<std::size_t> finished = 0;
    std::vector<std::jthread> threads;
    AuditLock lock(place);
    for (std::size_t i = 0; i < deeds.size(); ++i) {
      threads.emplace_back([&, i] {
        deeds[i](*stores[i]);
        ++finished;
      });
      while (finished + waiting() <= i) std::this_thread::yield();
    }
    lock.release();
  }
  /// The stores that wait for a lock.
  std::size_t waiting() {
    return std::stoul(
        place.execute("SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid) "
                      "WHERE NOT granted AND application_name LIKE 'pawl writer %" +
                      place.schema() + "%'"));
  }

  People& people() { return drive.store().people(); }
  static Status change(Store& store, const PeopleChange& wanted) {
    return store.people().change(wanted, local_user("root"));
  }
  void must_change(const PeopleChange& wanted) {
    const Status changed = change(drive.store(), wanted);
    ASSERT_TRUE(changed) << changed.error().text();
  }
  static Deed changing(const PeopleChange& wanted) {
    return [wanted](Store& store) {
      const Status changed = change(store, wanted);
      EXPECT_TRUE(changed) << changed.error().text();
    };
  }
  static TokenRecord token_for(std::string name) {
    return {.sha256 = make_secret().sha256, .name = std::move(name), .worker_kinds = {}};
  }

  /// The chain has no fault; returns the trail.
  std::vector<AuditEntry> whole_trail() {
    const Result<AuditCheck> checked = verify_audit(drive.records());
    EXPECT_TRUE(checked) << checked.error().text();
    EXPECT_THAT(checked->faults, IsEmpty());
    std::vector<AuditEntry> trail = *drive.records().audit({.limit = 100'000});
    EXPECT_EQ(checked->entries, static_cast<std::int64_t>(trail.size()));
    return trail;
  }
  static std::int64_t count_acts(const std::vector<AuditEntry>& trail, std::string_view act,
                                 std::string_view actor = {}) {
    return std::ranges::count_if(trail, [&](const AuditEntry& entry) {
      return entry.act == act && (actor.empty() || entry.actor.name == actor);
    });
  }
};

// Each person tries twice: from the terminal and from the browser, say.
TEST_F(PeopleTogether, votes_at_once_count_once_each_and_decide_once) {
  const std::vector<std::string> voters{"anna", "ben", "cleo", "dora", "emil"};
  for (const std::string& name : voters) must_change(AddPerson{name, Role::reviewer, {}});
  StageDefinition draft = stage("draft");
  draft.review = ReviewPolicy::always;
  draft.review_rules.approvals = 3;
  const JobId job = drive.submit(workflow("votes", {draft, stage("after", {"draft"})}), {"x"});
  drive.work_once(always(succeeded()));
  const Review review = drive.records().reviews({.job = job, .status = ReviewStatus::open})->at(0);

  std::atomic<std::int64_t> accepted = 0;
  std::vector<Deed> deeds;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& name : voters) {
      deeds.emplace_back([&, name](Store& store) {
        const Result<Job> voted = store.act(AnswerReview{review.id, {}}, person(name));
        if (voted) ++accepted;
        EXPECT_TRUE(voted || voted.error().code == ErrorCode::conflict) << voted.error().text();
      });
    }
  }
  at_once(deeds);

  EXPECT_EQ(accepted, 3);
  const std::vector<GivenAnswer> given = *drive.records().answers(review.id);
  ASSERT_THAT(given, SizeIs(3));
  std::set<std::string> counted;
  for (const GivenAnswer& one : given) {
    EXPECT_EQ(one.fate, AnswerFate::counts);
    counted.insert(one.answer.reviewer);
  }
  EXPECT_THAT(counted, SizeIs(3)) << "three different people";
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::closed);
  EXPECT_EQ(drive.task_with(review.task).kind(), StateKind::succeeded);
  const std::vector<Event> events = *drive.records().events({.limit = 100'000});
  EXPECT_EQ(std::ranges::count(events, EventType::review_decided, &Event::type), 1);
  EXPECT_EQ(std::ranges::count(events, EventType::review_answered, &Event::type), 2);
  const std::vector<AuditEntry> trail = whole_trail();
  EXPECT_EQ(count_acts(trail, "review.answer"), 3);
  for (const std::string& name : counted) EXPECT_EQ(count_acts(trail, "review.answer", name), 1);
}

TEST_F(PeopleTogether, acts_on_different_jobs_and_changes_of_people_write_one_chain) {
  constexpr int jobs = 4;
  constexpr int rounds = 8;
  const Workflow flow = workflow("acts", {stage("only")});
  std::vector<Deed> deeds;
  for (int i = 0; i < jobs; ++i) {
    deeds.emplace_back([job = drive.submit(flow, {"x"})](Store& store) {
      for (int round = 0; round < rounds; ++round) {
        EXPECT_TRUE(store.act(PauseJob{job}, local_user("root")));
        EXPECT_TRUE(store.act(ResumeJob{job}, local_user("root")));
      }
    });
  }
  for (const std::string name : {"anna", "ben"}) {
    deeds.emplace_back([name](Store& store) {
      for (int round = 0; round < rounds; ++round) {
        EXPECT_TRUE(change(store, AddPerson{name, Role::reviewer, {}}));
        EXPECT_TRUE(change(store, CreateToken{token_for(name)}));
        EXPECT_TRUE(change(store, RemovePerson{name}));
      }
    });
  }
  at_once(deeds);

  const std::vector<AuditEntry> trail = whole_trail();
  EXPECT_EQ(count_acts(trail, "job.pause"), jobs * rounds);
  EXPECT_EQ(count_acts(trail, "job.resume"), jobs * rounds);
  EXPECT_EQ(count_acts(trail, "person.add"), 2 * rounds);
  EXPECT_EQ(count_acts(trail, "token.create"), 2 * rounds);
  EXPECT_EQ(count_acts(trail, "person.remove"), 2 * rounds);
  for (int i = 1; i <= jobs; ++i) {
    const std::vector<AuditEntry> of_job = *drive.records().audit({.job = JobId{i}});
    EXPECT_EQ(count_acts(of_job, "job.pause"), rounds) << "job " << i;
    EXPECT_EQ(count_acts(of_job, "job.resume"), rounds) << "job " << i;
  }
  const std::vector<TokenRecord> tokens = *people().tokens();
  ASSERT_THAT(tokens, SizeIs(2 * rounds));
  for (const TokenRecord& token : tokens) EXPECT_NE(token.revoked_at, no_time) << token.number;
}

TEST_F(PeopleTogether, a_token_that_is_used_while_it_is_revoked_stays_revoked) {
  must_change(AddPerson{"anna", Role::reviewer, {}});
  std::int64_t number = 0;
  for (const bool is_revoked_first : {true, false}) {
    must_change(CreateToken{token_for("anna")});
    ++number;
    const Deed revoke = changing(RevokeToken{number});
    const Deed use = [number](Store& store) { EXPECT_TRUE(store.people().note_use(number)); };
    at_once(is_revoked_first ? std::vector{revoke, use} : std::vector{use, revoke});
    const TokenRecord token = people().tokens()->back();
    EXPECT_EQ(token.number, number);
    EXPECT_EQ(token.revoked_at, drive.clock().now()) << "a revoked token works again";
    EXPECT_EQ(token.used_at, drive.clock().now()) << "its use was lost";
  }
  EXPECT_EQ(count_acts(whole_trail(), "token.revoke"), 2);
}

TEST_F(PeopleTogether, a_role_and_groups_that_are_set_at_once_are_both_kept) {
  const ChangePerson demotion{.name = "anna", .role = Role::viewer, .groups = {}};
  const ChangePerson move{.name = "anna", .role = {}, .groups = {{"editors"}}};
  must_change(AddPerson{"anna", Role::admin, {"writers"}});
  for (const std::vector<Deed>& deeds : {std::vector{changing(demotion), changing(move)},
                                         std::vector{changing(move), changing(demotion)}}) {
    must_change(
        ChangePerson{.name = "anna", .role = Role::admin, .groups = std::vector<std::string>{}});
    at_once(deeds);
    const Person anna = *people().person("anna");
    EXPECT_EQ(anna.role, Role::viewer);
    EXPECT_THAT(anna.groups, testing::ElementsAre("editors"));
  }
  EXPECT_EQ(count_acts(whole_trail(), "person.change"), 6);
}

TEST_F(PeopleTogether, a_person_who_is_removed_keeps_no_session_and_no_token) {
  must_change(AddPerson{"ben", Role::admin, {}});  // the store has people all the time
  for (const bool is_removed_first : {true, false}) {
    must_change(AddPerson{"anna", Role::reviewer, {}});
    const SessionRecord session{
        .sha256 = make_secret().sha256, .person = "anna", .expires_at = drive.clock().now() + 1h};
    std::atomic<int> accepted = 0;
    const auto trying = [&accepted](const PeopleChange& wanted, const Actor& actor) -> Deed {
      return [&accepted, wanted, actor](Store& store) {
        const Status done = store.people().change(wanted, actor);
        if (done) ++accepted;
        const bool is_gone = !done && (done.error().code == ErrorCode::not_found ||
                                       done.error().code == ErrorCode::forbidden);
        EXPECT_TRUE(done || is_gone) << done.error().text();
      };
    };
    std::vector<Deed> deeds{trying(OpenSession{session}, person("anna")),
                            trying(CreateToken{token_for("anna")}, local_user("root"))};
    deeds.insert(is_removed_first ? deeds.begin() : deeds.end(), changing(RemovePerson{"anna"}));
    const std::size_t entries = whole_trail().size();
    at_once(deeds);

    EXPECT_EQ(people().person("anna").error().code, ErrorCode::not_found);
    const Result<SessionRecord> left = people().session(session.sha256);
    EXPECT_FALSE(left) << "whoever has the cookie is signed in as a person who is gone";
    const std::vector<TokenRecord> tokens = *people().tokens();
    for (const TokenRecord& token : tokens) {
      EXPECT_FALSE(token.is_good(drive.clock().now())) << "token " << token.number;
    }
    EXPECT_EQ(whole_trail().size(), entries + 1 + static_cast<std::size_t>(accepted))
        << "one entry for each accepted change";
  }
}

TEST_F(PeopleTogether, of_two_who_make_the_same_change_one_is_refused) {
  must_change(AddPerson{"ben", Role::reviewer, {}});
  must_change(CreateToken{token_for("ben")});
  for (const auto& [wanted, code] : std::vector<std::pair<PeopleChange, ErrorCode>>{
           {AddPerson{"anna", Role::reviewer, {}}, ErrorCode::conflict},
           {RevokeToken{1}, ErrorCode::conflict},
           {CreateToken{token_for("ben")}, ErrorCode::conflict},
           {RemovePerson{"anna"}, ErrorCode::not_found}}) {
    std::atomic<int> accepted = 0;
    const Deed deed = [&, refusal = code](Store& store) {
      const Status done = change(store, wanted);
      if (done) ++accepted;
      EXPECT_TRUE(done || done.error().code == refusal) << done.error().text();
    };
    at_once({deed, deed, deed});
    EXPECT_EQ(accepted, 1);
  }
  EXPECT_EQ(whole_trail().size(), 2U + 4U) << "one entry for each accepted change";
}

}  // namespace
}  // namespace pawl::driving
