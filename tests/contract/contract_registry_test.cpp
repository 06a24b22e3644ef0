/// The people of a store: who they are, and who may say so.

#include <array>

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class KnownPeople : public PeopleContract {
 protected:
  Status change(const PeopleChange& wanted) { return people().change(wanted, local_user("root")); }
  Person stored_person(std::string_view name) { return *people().person(name); }
  std::vector<std::string> names() {
    std::vector<std::string> found;
    const std::vector<Person> everybody = *people().all();
    for (const Person& one : everybody) found.push_back(one.name);
    return found;
  }
};
using WhoManagesPeople = KnownPeople;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, KnownPeople, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, WhoManagesPeople, kinds, name_of_kind);

TEST_P(KnownPeople, are_nobody_at_first_and_the_store_works_without_them) {
  EXPECT_THAT(*people().all(), IsEmpty());
  EXPECT_THAT(*people().tokens(), IsEmpty());
  EXPECT_EQ(people().person("anna").error().code, ErrorCode::not_found);
  EXPECT_EQ(people().standing(local_user(""))->role, Role::admin);
  EXPECT_EQ(*people().standing(local_user("anna")),
            (Standing{.kind = ActorKind::person, .is_local = true}));
  const Actor claimed{.name = "anna", .method = ActorMethod::claimed};
  EXPECT_EQ(*people().standing(claimed), Standing{});
  EXPECT_FALSE(people().standing(person("anna"))->is_known) << "nobody can have signed in";

  const Review review = asked({}, "sam");
  ASSERT_TRUE(drive.act(PauseJob{review.job}, claimed));
  ASSERT_TRUE(drive.act(ResumeJob{review.job}));
  ASSERT_TRUE(approve(review, "anna"));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(review.job)), JobState::completed);
}

TEST_P(KnownPeople, are_listed_by_name_with_their_groups_in_order) {
  const Timestamp first_came = drive.clock().now();
  add("cleo", Role::admin);
  drive.clock().advance(1h);
  add("anna", Role::reviewer, {"writers", "editors", "writers"});
  EXPECT_THAT(names(), ElementsAre("anna", "cleo"));
  EXPECT_EQ(stored_person("anna"), (Person{.name = "anna",
                                           .role = Role::reviewer,
                                           .groups = {"editors", "writers"},
                                           .added_at = first_came + 1h}));
  EXPECT_EQ(stored_person("cleo").added_at, first_came);
  EXPECT_THAT(stored_person("cleo").groups, IsEmpty());
  expect_refusal(change(AddPerson{"anna", Role::admin, {}}), ErrorCode::conflict,
                 "there is a person 'anna' already");
  EXPECT_EQ(stored_person("anna").role, Role::reviewer);
  EXPECT_EQ(people().person("Anna").error().code, ErrorCode::not_found)
      << "names are compared exactly";
}

TEST_P(KnownPeople, keep_what_a_change_does_not_name) {
  const Timestamp added_at = drive.clock().now();
  add("anna", Role::reviewer, {"editors"});
  drive.clock().advance(1h);
  ASSERT_TRUE(change(ChangePerson{.name = "anna", .role = Role::operate, .groups = {}}));
  const Person promoted{
      .name = "anna", .role = Role::operate, .groups = {"editors"}, .added_at = added_at};
  EXPECT_EQ(stored_person("anna"), promoted);
  using Groups = std::vector<std::string>;
  ASSERT_TRUE(change(ChangePerson{.name = "anna", .role = {}, .groups = Groups{"b", "a"}}));
  EXPECT_EQ(stored_person("anna").role, Role::operate);
  EXPECT_THAT(stored_person("anna").groups, ElementsAre("a", "b"));
  ASSERT_TRUE(change(ChangePerson{.name = "anna", .role = Role::viewer, .groups = Groups{}}));
  EXPECT_EQ(stored_person("anna").role, Role::viewer);
  EXPECT_THAT(stored_person("anna").groups, IsEmpty());
  expect_refusal(change(ChangePerson{.name = "ben", .role = Role::viewer, .groups = {}}),
                 ErrorCode::not_found, "no person 'ben'");
}

TEST_P(KnownPeople, have_names_that_can_be_told_apart_and_so_have_groups) {
  add("anna");
  for (const std::string& bad :
       {std::string(), std::string("-ben"), std::string(".ben"), std::string("be n"),
        std::string("ben\n"), std::string("bén"), std::string("group:x"), std::string("a\0b", 3),
        std::string("\xff"), std::string(65, 'b'), std::string(overdue_name)}) {
    EXPECT_EQ(change(AddPerson{bad, Role::viewer, {}}).error().code, ErrorCode::invalid) << bad;
    EXPECT_EQ(change(AddPerson{"ben", Role::viewer, {bad}}).error().code, ErrorCode::invalid)
        << bad;
    using Groups = std::vector<std::string>;
    EXPECT_EQ(change(ChangePerson{.name = "anna", .role = Role::admin, .groups = Groups{bad}})
                  .error()
                  .code,
              ErrorCode::invalid)
        << bad;
    EXPECT_EQ(change(ChangePerson{.name = bad, .role = {}, .groups = {}}).error().code,
              ErrorCode::not_found);
    EXPECT_EQ(change(RemovePerson{bad}).error().code, ErrorCode::not_found);
    EXPECT_EQ(people().person(bad).error().code, ErrorCode::not_found);
  }
  EXPECT_THAT(names(), ElementsAre("anna"));
  EXPECT_EQ(stored_person("anna").role, Role::reviewer) << "all of a change or nothing";
  add(std::string(64, 'b'));
  add("7.b-c_d@E");
  EXPECT_THAT(names(), ElementsAre("7.b-c_d@E", "anna", std::string(64, 'b')));
}

TEST_P(KnownPeople, leave_what_they_did_when_they_are_removed) {
  add("anna");
  const Review review = asked({.assign = {"anna"}});
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {}}, person("anna")));
  ASSERT_TRUE(change(RemovePerson{"anna"}));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(stored(review).answer->reviewer, "anna");
  EXPECT_EQ(answers(review)[0].answer.reviewer, "anna");
  EXPECT_THAT(trail({.actor = "anna"}), SizeIs(1));
  expect_refusal(change(RemovePerson{"anna"}), ErrorCode::not_found, "no person 'anna'");
}

TEST_P(KnownPeople, are_known_in_every_role_and_only_as_people) {
  add("anna", Role::operate, {"editors"});
  EXPECT_EQ(*people().standing(person("anna")),
            (Standing{.role = Role::operate, .groups = {"editors"}}));
  Actor limited = person("anna");
  limited.at_most = Role::viewer;
  EXPECT_EQ(people().standing(limited)->role, Role::viewer);
  EXPECT_FALSE(people().standing(person("ben"))->is_known);
  const Actor claimed{.name = "ben", .method = ActorMethod::claimed};
  EXPECT_FALSE(people().standing(claimed)->is_known) << "a store with people asks who it is";
  EXPECT_EQ(*people().standing(local_user("ben")), (Standing{.is_local = true}));
  EXPECT_EQ(people().standing(local_user("anna"))->role, Role::operate);
  for (const Actor& actor : {agent("anna"), worker_program("anna")}) {
    EXPECT_EQ(*people().standing(actor), Standing{.kind = actor.kind})
        << "the groups are those of the person";
  }
  EXPECT_FALSE(people().standing(person("\xff"))->is_known);
}

TEST_P(WhoManagesPeople, are_admins_and_the_local_user) {
  add("vera", Role::viewer);
  add("rita", Role::reviewer);
  add("olga", Role::operate);
  add("adam", Role::admin);
  const AddPerson wanted{"new", Role::viewer, {}};
  const std::int64_t before = trail().back().number;
  Actor limited = person("adam");
  limited.at_most = Role::operate;
  Actor admin_agent = agent("claude");
  admin_agent.at_most = Role::admin;
  for (const Actor& actor : {person("vera"), person("rita"), person("olga"), person("nobody"),
                             limited, admin_agent, worker_program("w1")}) {
    expect_refusal(people().change(wanted, actor), ErrorCode::forbidden, "may not manage people");
  }
  EXPECT_EQ(people().person("new").error().code, ErrorCode::not_found);
  EXPECT_THAT(trail({.after = before}), IsEmpty()) << "what was refused did not happen";
  EXPECT_TRUE(people().change(wanted, person("adam")));
  EXPECT_TRUE(people().change(RemovePerson{"new"}, local_user("vera")))
      << "nothing can be kept from whoever opens the store";
}

TEST_P(WhoManagesPeople, are_all_who_open_a_store_in_which_nobody_is_known) {
  const Actor claimed{.name = "anna", .method = ActorMethod::claimed};
  expect_refusal(people().change(AddPerson{"ben", Role::viewer, {}}, person("anna")),
                 ErrorCode::forbidden, "the store does not know this person");
  EXPECT_TRUE(people().change(AddPerson{"ben", Role::viewer, {}}, claimed));
  expect_refusal(people().change(AddPerson{"cleo", Role::viewer, {}}, claimed),
                 ErrorCode::forbidden, "the store does not know this person");
}

// The last admin may go: whoever can open the store can name another.
TEST_P(WhoManagesPeople, can_always_be_named_again_by_the_local_user) {
  add("adam", Role::admin);
  add("anna", Role::reviewer);
  const ChangePerson demotion{.name = "adam", .role = Role::viewer, .groups = {}};
  ASSERT_TRUE(people().change(demotion, person("adam")));
  const ChangePerson promotion{.name = "adam", .role = Role::admin, .groups = {}};
  expect_refusal(people().change(promotion, person("adam")), ErrorCode::forbidden,
                 "as viewer; this needs the role admin");
  ASSERT_TRUE(people().change(promotion, local_user("adam"))) << "at the machine itself he may";
  ASSERT_TRUE(people().change(RemovePerson{"adam"}, person("adam")));
  expect_refusal(people().change(AddPerson{"adam", Role::admin, {}}, person("adam")),
                 ErrorCode::forbidden, "the store does not know this person");
  add("adam", Role::admin);
  EXPECT_TRUE(people().change(RemovePerson{"anna"}, person("adam")));
}

/// One change of each kind, in an order in which each is possible, and its entry.
struct Recorded {
  PeopleChange change;
  std::string act;
  std::string target;
  std::string details;
  std::string reason;
};
std::vector<Recorded> changes_of_each_kind(const Secret& secret, Timestamp later) {
  using Groups = std::vector<std::string>;
  const TokenRecord token{.sha256 = secret.sha256,
                          .name = "anna",
                          .role = Role::reviewer,
                          .worker_kinds = {},
                          .note = "phone\xff"};
  const SessionRecord session{.sha256 = secret.sha256, .person = "anna", .expires_at = later};
  return {
      {AddPerson{"anna", Role::viewer, {"b", "a"}}, "person.add", "person anna",
       "role viewer, groups: b, a", ""},
      {ChangePerson{"anna", Role::reviewer, Groups{}}, "person.change", "person anna",
       "role reviewer, groups: none", ""},
      {CreateToken{token}, "token.create", "person anna", "role reviewer", "phone\xEF\xBF\xBD"},
      {RevokeToken{1}, "token.revoke", "token 1", "", ""},
      {OpenSession{session}, "session.open", "person anna", "", ""},
      {CloseSession{session.sha256}, "session.close", "person anna", "", ""},
      {RemovePerson{"anna"}, "person.remove", "person anna", "", ""},
  };
}

TEST_P(WhoManagesPeople, leave_an_entry_in_the_audit_trail_for_each_change_and_no_secret) {
  add("adam", Role::admin);
  const Secret secret = make_secret();
  const std::vector<Recorded> all = changes_of_each_kind(secret, drive.clock().now() + 1h);
  std::array<bool, std::variant_size_v<PeopleChange>> seen{};
  for (const Recorded& expected : all) {
    SCOPED_TRACE(expected.act);
    const std::int64_t before = trail().back().number;
    drive.clock().advance(1s);
    const Status done = people().change(expected.change, person("adam"));
    ASSERT_TRUE(done) << done.error().text();
    const std::vector<AuditEntry> written = trail({.after = before});
    ASSERT_THAT(written, SizeIs(1));
    EXPECT_EQ(written[0].act, expected.act);
    EXPECT_EQ(written[0].target, expected.target);
    EXPECT_EQ(written[0].details, expected.details);
    EXPECT_EQ(written[0].reason, expected.reason);
    EXPECT_EQ(written[0].actor, person("adam"));
    EXPECT_EQ(written[0].at, drive.clock().now());
    EXPECT_EQ(written[0].job, JobId{});
    seen.at(expected.change.index()) = true;
  }
  EXPECT_THAT(seen, testing::Each(true)) << "a kind of change is not tested";
  for (const AuditEntry& entry : trail()) {
    for (const std::string& text : {entry.target, entry.details, entry.reason}) {
      EXPECT_THAT(text, testing::Not(testing::HasSubstr(secret.sha256)));
    }
  }
}

TEST_P(WhoManagesPeople, may_have_any_name_and_address_that_can_be_written_down) {
  Actor odd = local_user("\xff");
  odd.address = "10.0.0.\xff";
  ASSERT_TRUE(people().change(AddPerson{"anna", Role::viewer, {}}, odd));
  EXPECT_EQ(trail().back().actor.name, "\xEF\xBF\xBD");
  EXPECT_EQ(trail().back().actor.address, "10.0.0.\xEF\xBF\xBD");
  Actor limited = odd;
  limited.at_most = Role::admin;
  ASSERT_TRUE(people().change(RemovePerson{"anna"}, limited));
  EXPECT_EQ(trail().back().actor.at_most, std::nullopt) << "the trail says who, not with what";
}

}  // namespace
}  // namespace pawl::driving
