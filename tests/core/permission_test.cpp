#include "pawl/core/permission.hpp"

#include <array>
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl {
namespace {

using testing::HasSubstr;
using enum Right;

constexpr std::array rights{see,     decide, submit,        operate,   assign,
                            destroy, trust,  manage_people, see_audit, work};
constexpr std::array roles{Role::viewer, Role::reviewer, Role::operate, Role::admin};

std::set<Right> rights_of(const Standing& standing) {
  std::set<Right> found;
  for (const Right right : rights) {
    if (may(standing, right)) found.insert(right);
  }
  return found;
}

// The whole table, once more and in other words: every right for every role and kind.
TEST(Permission, each_role_has_the_rights_of_those_before_it_and_its_own) {
  const std::set<Right> viewer{see};
  const std::set<Right> reviewer{see, decide};
  const std::set<Right> operators{see,     decide, submit,    operate, assign,
                                  destroy, trust,  see_audit, work};
  std::set<Right> admin = operators;
  admin.insert(manage_people);
  const std::map<Role, std::set<Right>> expected{{Role::viewer, viewer},
                                                 {Role::reviewer, reviewer},
                                                 {Role::operate, operators},
                                                 {Role::admin, admin}};
  for (const Role role : roles) EXPECT_EQ(rights_of({.role = role}), expected.at(role));
}

TEST(Permission, an_agent_never_decides_trusts_or_manages_people_whatever_its_role) {
  const auto agent = [](Role role) { return rights_of({.kind = ActorKind::agent, .role = role}); };
  EXPECT_EQ(agent(Role::viewer), std::set<Right>{see});
  EXPECT_EQ(agent(Role::reviewer), std::set<Right>{see});
  EXPECT_EQ(agent(Role::operate), (std::set<Right>{see, submit, operate, work}));
  EXPECT_EQ(agent(Role::admin), (std::set<Right>{see, submit, operate, work}));
}

TEST(Permission, a_worker_only_works_and_the_engine_does_what_the_rules_say) {
  for (const Role role : roles) {
    EXPECT_EQ(rights_of({.kind = ActorKind::worker, .role = role}), std::set<Right>{work});
  }
  EXPECT_EQ(rights_of({.kind = ActorKind::engine}).size(), rights.size());
}

TEST(Permission, nobody_in_particular_has_no_right_at_all) {
  EXPECT_TRUE(rights_of({.role = Role::admin, .is_known = false}).empty());
}

TEST(Standing, the_local_user_is_trusted_without_being_listed) {
  const Standing root = standing_of({.name = "root"}, std::nullopt, true);
  EXPECT_EQ(rights_of(root).size(), rights.size());
}

// Otherwise the first person that is added with a small role could lock everybody out.
TEST(Standing, a_listed_local_user_has_the_role_that_is_listed_but_can_always_manage_people) {
  const Person anna{.name = "anna", .role = Role::viewer, .groups = {"editors"}};
  const Standing standing = standing_of({.name = "anna"}, anna, true);
  EXPECT_EQ(rights_of(standing), (std::set<Right>{see, manage_people}));
  EXPECT_EQ(standing.groups, anna.groups);
}

TEST(Standing, a_claimed_name_must_be_listed_once_the_store_has_people) {
  const Actor claims{.name = "anna", .method = ActorMethod::claimed};
  EXPECT_EQ(rights_of(standing_of(claims, std::nullopt, false)).size(), rights.size());
  EXPECT_TRUE(rights_of(standing_of(claims, std::nullopt, true)).empty());
  const Person anna{.name = "anna", .role = Role::reviewer};
  EXPECT_EQ(rights_of(standing_of(claims, anna, true)), (std::set<Right>{see, decide}));
}

TEST(Standing, who_comes_over_the_network_must_be_listed_even_where_nobody_is) {
  for (const ActorMethod method : {ActorMethod::token, ActorMethod::session, ActorMethod::proxy}) {
    const Actor actor{.name = "anna", .method = method};
    EXPECT_TRUE(rights_of(standing_of(actor, std::nullopt, false)).empty());
  }
}

TEST(Standing, a_token_limits_the_role_and_never_widens_it) {
  const Person anna{.name = "anna", .role = Role::operate};
  Actor actor{.name = "anna", .method = ActorMethod::token, .at_most = Role::viewer};
  EXPECT_EQ(standing_of(actor, anna, true).role, Role::viewer);
  actor.at_most = Role::admin;
  EXPECT_EQ(standing_of(actor, anna, true).role, Role::operate);
}

TEST(Permission, a_refusal_names_the_person_the_act_and_the_role_that_is_needed) {
  const Actor bob{.name = "bob", .method = ActorMethod::claimed};
  const Status refused = check_permission(bob, {.role = Role::viewer}, operate);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
  EXPECT_EQ(refused.error().message, "'bob' may not operate jobs and items as viewer");
  EXPECT_EQ(refused.error().help, "this needs the role operator");
  EXPECT_THAT(check_permission(bob, {.is_known = false}, see).error().text(),
              HasSubstr("the store does not know this person"));
  EXPECT_THAT(check_permission({.name = "bot"}, {.kind = ActorKind::agent}, decide).error().text(),
              HasSubstr("for people only"));
}

TEST(Name, of_a_person_or_group_is_plain_and_not_the_engines_own) {
  for (const char* good : {"anna", "a.b-c_d@e", "7", "Anna"}) {
    EXPECT_TRUE(check_name("person", good)) << good;
  }
  for (const std::string bad :
       {"", "-anna", ".anna", "an na", "group:x", "a\x1b[0m", "ännä", "overdue"}) {
    EXPECT_FALSE(check_name("person", bad)) << bad;
  }
  EXPECT_TRUE(check_name("person", std::string(64, 'a')));
  EXPECT_FALSE(check_name("person", std::string(65, 'a')));
}

}  // namespace
}  // namespace pawl
