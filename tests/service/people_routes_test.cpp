#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "pawl/codec/digest.hpp"
#include "pawl/core/text.hpp"
#include "pawl/store/audit.hpp"
#include "service/api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class PeopleRoutes : public ApiTest {
 protected:
  /// "olga" is the admin who is signed in.
  void SetUp() override { add_person("olga", Role::admin); }

  void add_person(const std::string& name, Role role, std::vector<std::string> groups = {}) {
    EXPECT_TRUE(store().people().change(
        AddPerson{.name = name, .role = role, .groups = std::move(groups)}, {.name = "root"}));
  }
  Answer add(const std::string& name, const std::string& role = "viewer") {
    return post("/api/v1/people", Json::object({{"name", name}, {"role", role}}));
  }
  Answer create_token(const Json& body) { return post("/api/v1/tokens", body); }
  std::vector<std::string> names_in(const Answer& page) {
    std::vector<std::string> names;
    for (const Json& row : elements(field(page.json(), "people"))) {
      names.push_back(field(row, "name").string().value_or("?"));
    }
    return names;
  }
  /// The acts of the newest entries of the trail, oldest first.
  std::vector<std::string> trail() {
    std::vector<std::string> acts;
    const Result<std::vector<AuditEntry>> entries = store().records().audit({.limit = 1'000});
    EXPECT_TRUE(entries);
    for (const AuditEntry& entry : *entries) {
      acts.push_back(entry.actor.name + " " + entry.act + " " + entry.target + ": " +
                     entry.details);
    }
    acts.erase(acts.begin());  // olga herself
    return acts;
  }
};

using TokenRoutes = PeopleRoutes;

TEST_F(PeopleRoutes, a_person_is_added_changed_and_removed_with_entries_in_the_trail) {
  const Answer added = post(
      "/api/v1/people", Json::object({{"name", "anna"},
                                      {"role", "operator"},
                                      {"groups", Json::array({Json("leads"), Json("editors")})}}));
  EXPECT_EQ(added.status, 201U);
  EXPECT_EQ(added.body,
            "{\"name\":\"anna\",\"role\":\"operator\",\"groups\":[\"editors\",\"leads\"],"
            "\"added_at\":\"2023-11-14T22:13:20Z\"}\n");
  EXPECT_EQ(get("/api/v1/people/anna").body, added.body);
  const Answer role = call("PATCH", "/api/v1/people/anna", Json::object({{"role", "viewer"}}));
  EXPECT_EQ(role.at("role"), "\"viewer\"");
  EXPECT_EQ(role.at("groups"), "[\"editors\",\"leads\"]");
  const Answer groups =
      call("PATCH", "/api/v1/people/anna", Json::object({{"groups", Json::array({})}}));
  EXPECT_EQ(groups.at("groups"), "[]");
  EXPECT_EQ(groups.at("role"), "\"viewer\"");
  const Answer removed = call("DELETE", "/api/v1/people/anna");
  EXPECT_EQ(removed.body, "{\"name\":\"anna\",\"removed\":true}\n");
  EXPECT_EQ(get("/api/v1/people/anna").status, 404U);
  EXPECT_THAT(trail(),
              ElementsAre("olga person.add person anna: role operator, groups: leads, editors",
                          "olga person.change person anna: role viewer",
                          "olga person.change person anna: groups: none",
                          "olga person.remove person anna: "));
}

TEST_F(PeopleRoutes, a_person_without_a_role_is_a_reviewer) {
  EXPECT_EQ(post("/api/v1/people", Json::object({{"name", "anna"}})).at("role"), "\"reviewer\"");
}

TEST_F(PeopleRoutes, everything_that_is_wrong_with_a_person_is_reported_at_once) {
  const Answer fields = post("/api/v1/people", Json::object({{"role", "boss"}, {"grops", "x"}}));
  EXPECT_EQ(fields.status, 400U);
  for (const char* const part : {"'role' must be one of viewer, reviewer, operator, admin",
                                 "'grops' (did you mean 'groups'?)", "missing member 'name'"}) {
    EXPECT_THAT(fields.at("error.message"), HasSubstr(part));
  }
  const Answer names =
      post("/api/v1/people",
           Json::object(
               {{"name", "an na"}, {"groups", Json::array({Json("a b"), Json("ok"), Json("")})}}));
  EXPECT_EQ(names.status, 400U);
  for (const char* const part : {"'an na' cannot be the name of a person",
                                 "'a b' cannot be the name of a group", "'' cannot be the name"}) {
    EXPECT_THAT(names.at("error.message"), HasSubstr(part));
  }
  EXPECT_EQ(post("/api/v1/people", Json::object({{"name", "overdue"}})).status, 400U);
  EXPECT_EQ(trail().size(), 0U);
}

TEST_F(PeopleRoutes, a_name_that_is_taken_is_a_conflict_and_one_that_is_not_there_not_found) {
  EXPECT_EQ(add("olga").status, 409U);
  EXPECT_EQ(call("PATCH", "/api/v1/people/anna", Json::object({{"role", "viewer"}})).status, 404U);
  EXPECT_EQ(call("DELETE", "/api/v1/people/anna").status, 404U);
  EXPECT_EQ(call("PATCH", "/api/v1/people/olga").status, 400U) << "nothing to change";
}

TEST_F(PeopleRoutes, a_hostile_name_is_an_error_that_is_valid_json) {
  for (const char* const name :
       {"%FF%FE", "%00", "%1B%5B31m", "a%20b", "..", "%2E%2E%2Fx", "'--"}) {
    for (const char* const method : {"GET", "DELETE", "PATCH"}) {
      const Answer answer = call(
          method, "/api/v1/people/" + std::string(name),
          method == std::string("PATCH") ? Json::object({{"role", "viewer"}}) : Json::object({}));
      EXPECT_TRUE(answer.status == 404 || answer.status == 400) << name << " " << answer.status;
      EXPECT_TRUE(is_object(field(answer.json(), "error"))) << answer.body;
      EXPECT_TRUE(is_valid_text(answer.body));
      EXPECT_FALSE(answer.body.contains('\x1b'));
    }
  }
}

TEST_F(PeopleRoutes, a_list_is_paged_by_name_and_shows_everybody_once) {
  for (const char* const name : {"zoe", "anna", "Ben", "carl", "7up"}) add(name);
  std::vector<std::string> all;
  std::string after;
  for (int pages = 0; pages < 10; ++pages) {
    const Answer page = get("/api/v1/people?limit=2" + after);
    ASSERT_EQ(page.status, 200U) << page.body;
    for (std::string& name : names_in(page)) all.push_back(std::move(name));
    if (page.at("next") == "null") break;
    after = "&after=" + field(page.json(), "next").string().value();
  }
  EXPECT_THAT(all, ElementsAre("7up", "Ben", "anna", "carl", "olga", "zoe"));
  EXPECT_THAT(names_in(get("/api/v1/people?after=b")), ElementsAre("carl", "olga", "zoe"))
      << "also if the last one was removed meanwhile";
  EXPECT_EQ(get("/api/v1/people?after=a%20b").status, 400U);
  EXPECT_THAT(get("/api/v1/people", {{"Accept", "text/csv"}}).body,
              StartsWith("name,role,groups,added_at\n7up,viewer,"));
}

TEST_F(PeopleRoutes, whoever_is_removed_loses_tokens_and_sessions) {
  add("anna");
  const Answer made = create_token(Json::object({{"name", "anna"}}));
  const std::string secret = field(made.json(), "secret").string().value();
  const Result<SignedIn> session = sign_in_.with_token(secret, "127.0.0.1");
  ASSERT_TRUE(session);
  call("DELETE", "/api/v1/people/anna");
  EXPECT_FALSE(sign_in_.session(sha256_hex(session->cookie)));
  EXPECT_FALSE(sign_in_.with_token(secret, "127.0.0.1"));
  EXPECT_NE(get("/api/v1/tokens").at("tokens[0].revoked_at"), "null");
}

// The last admin cannot lock everybody out: the local user remains.
TEST_F(PeopleRoutes, an_admin_may_step_down) {
  EXPECT_EQ(call("PATCH", "/api/v1/people/olga", Json::object({{"role", "viewer"}})).status, 200U);
  EXPECT_EQ(add("anna").status, 403U) << "the store knows the new role, whatever the gate says";
}

TEST_F(TokenRoutes, a_token_is_made_and_its_secret_is_shown_once) {
  const Answer made = create_token(Json::object({{"name", "fts-1"},
                                                 {"kind", "worker"},
                                                 {"role", "operator"},
                                                 {"expires", "1h30m"},
                                                 {"worker_kinds", Json::array({Json("fts")})},
                                                 {"note", "the <b>machine</b> below"}}));
  ASSERT_EQ(made.status, 201U) << made.body;
  const std::string secret = field(made.json(), "secret").string().value();
  EXPECT_THAT(secret, ::testing::MatchesRegex("pawl_[0-9a-f]{64}"));
  EXPECT_EQ(made.at("token"), "1");
  EXPECT_EQ(made.at("expires_at"), "\"2023-11-14T23:43:20Z\"");
  EXPECT_EQ(made.at("worker_kinds"), "[\"fts\"]");
  const Result<TokenRecord> record = store().people().token(sha256_hex(secret));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->kind, ActorKind::worker);
  for (const char* const target : {"/api/v1/tokens", "/api/v1/audit"}) {
    const std::string shown = get(target).body;
    EXPECT_FALSE(shown.contains(secret) || shown.contains(sha256_hex(secret))) << target;
  }
  EXPECT_EQ(get("/api/v1/tokens").at("tokens[0].note"), "\"the <b>machine</b> below\"");
}

TEST_F(TokenRoutes, a_token_without_more_is_for_a_viewer_and_does_not_expire) {
  const Answer made = create_token(Json::object({{"name", "olga"}}));
  EXPECT_EQ(made.at("kind"), "\"person\"");
  EXPECT_EQ(made.at("role"), "\"viewer\"");
  EXPECT_EQ(made.at("expires_at"), "null");
}

TEST_F(TokenRoutes, everything_that_is_wrong_with_a_token_is_reported_at_once) {
  const Answer answer = create_token(Json::object(
      {{"name", "a b"}, {"expires", "soon"}, {"worker_kinds", Json::array({Json("fts")})}}));
  EXPECT_EQ(answer.status, 400U);
  for (const char* const part :
       {"'a b' cannot be the name of a person", "worker_kinds is only for", "is not a duration"}) {
    EXPECT_THAT(answer.at("error.message"), HasSubstr(part));
  }
  for (const char* const expires : {"0s", "-1h", "90", "400000d", "1h\\u001b"}) {
    EXPECT_EQ(create_token(Json::object({{"name", "olga"}, {"expires", expires}})).status, 400U)
        << expires;
  }
  EXPECT_EQ(create_token(Json::object({{"name", "olga"}, {"kind", "engine"}})).status, 400U);
  EXPECT_EQ(create_token(Json::object({{"name", "anna"}})).status, 404U) << "no such person";
  EXPECT_EQ(get("/api/v1/tokens").at("tokens"), "[]");
}

TEST_F(TokenRoutes, a_token_is_revoked_once_and_stays_in_the_list) {
  create_token(Json::object({{"name", "olga"}}));
  EXPECT_EQ(call("DELETE", "/api/v1/tokens/1").body, "{\"token\":1,\"revoked\":true}\n");
  EXPECT_EQ(call("DELETE", "/api/v1/tokens/1").status, 409U);
  for (const char* const missing : {"2", "0", "-1", "x", "1.0", "99999999999999999999"}) {
    EXPECT_EQ(call("DELETE", "/api/v1/tokens/" + std::string(missing)).status, 404U) << missing;
  }
  EXPECT_EQ(get("/api/v1/tokens").at("tokens[0].revoked_at"), "\"2023-11-14T22:13:20Z\"");
}

TEST_F(TokenRoutes, a_list_is_paged_by_number_and_shows_each_token_once) {
  for (int i = 0; i < 5; ++i) create_token(Json::object({{"name", "olga"}}));
  std::vector<std::string> numbers;
  std::string after;
  for (int pages = 0; pages < 10; ++pages) {
    const Answer page = get("/api/v1/tokens?limit=2" + after);
    for (const Json& row : elements(field(page.json(), "tokens"))) {
      numbers.emplace_back(field(row, "token").text());
    }
    if (page.at("next") == "null") break;
    after = "&after=" + field(page.json(), "next").string().value();
  }
  EXPECT_THAT(numbers, ElementsAre("1", "2", "3", "4", "5"));
  for (const char* const cursor : {"x", "0", "-1", "1x", "%201"}) {
    EXPECT_EQ(get("/api/v1/tokens?after=" + std::string(cursor)).status, 400U) << cursor;
  }
}

// Everybody against every route of these nouns.
class AccessMatrix : public PeopleRoutes {
 protected:
  static std::vector<Route> table() {
    std::vector<Route> all;
    for (const auto& some : {people_routes(), token_routes(), audit_routes(), session_routes()}) {
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  unsigned status_of(const Route& route) {
    std::string path(route.path);
    for (const std::string part : {"{name}", "{token}"}) {
      const std::size_t at = path.find(part);
      if (at != std::string::npos) path.replace(at, part.size(), "7");
    }
    return call(std::string(route.method), path).status;
  }
};

TEST_F(AccessMatrix, each_route_refuses_each_role_and_kind_that_lacks_its_right) {
  std::set<std::string_view> refused;
  for (const Role role : {Role::viewer, Role::reviewer, Role::operate, Role::admin}) {
    for (const ActorKind kind : {ActorKind::person, ActorKind::agent, ActorKind::worker}) {
      gate_.caller->standing = {.kind = kind, .role = role, .groups = {}};
      gate_.caller->actor.kind = kind;
      for (const Route& route : table()) {
        const Right* const right = route.access.right();
        const bool is_allowed = right == nullptr || may(gate_.caller->standing, *right);
        const unsigned status = status_of(route);
        EXPECT_EQ(status == 403, !is_allowed)
            << route.method << " " << route.path << " " << static_cast<int>(role) << " " << status;
        if (!is_allowed) refused.insert(route.operation);
      }
    }
  }
  EXPECT_EQ(refused.size(), table().size() - session_routes().size()) << "each refuses somebody";
}

TEST_F(AccessMatrix, nobody_in_particular_only_signs_in_and_out) {
  sign_out();
  for (const Route& route : table()) {
    EXPECT_EQ(status_of(route) == 401, !route.access.is_open()) << route.method << route.path;
  }
}

TEST_F(AccessMatrix, a_person_whom_the_store_does_not_know_may_nothing) {
  gate_.caller->standing.is_known = false;
  for (const Route& route : table()) {
    if (route.access.is_open()) continue;
    EXPECT_EQ(status_of(route), 403U) << route.method << " " << route.path;
  }
}

}  // namespace
}  // namespace pawl::service
