#include <gmock/gmock.h>

#include "pawl/codec/digest.hpp"
#include "service/access/service_gate.hpp"
#include "service/api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using FieldList = std::vector<std::pair<std::string, std::string>>;

/// The real gate in front of the routes.
class SessionRoutes : public ApiTest {
 protected:
  Answer ask(const std::string& method, const std::string& target, const Json& body,
             const FieldList& headers) {
    Request request{.method = method,
                    .target = target,
                    .headers = {},
                    .body = method == "GET" ? "" : std::string(body.text()),
                    .peer = "127.0.0.1"};
    request.headers.add("Host", "127.0.0.1:7878");
    if (method != "GET") request.headers.add("Content-Type", "application/json");
    for (const auto& [name, value] : headers) request.headers.set(name, value);
    const Response response = guarded_.answer(request);
    return {.status = response.status, .body = response.body, .headers = response.headers};
  }
  Answer who_am_i(const FieldList& headers) { return ask("GET", path, Json(), headers); }
  /// As a page of the service does.
  Answer sign_in(const Json& credentials) {
    return ask("POST", path, credentials, {{"Sec-Fetch-Site", "same-origin"}});
  }
  Answer sign_out(FieldList headers) {
    headers.emplace_back("Sec-Fetch-Site", "same-origin");
    return ask("DELETE", path, Json::object({}), headers);
  }
  /// What a browser sends back.
  static FieldList cookie_of(const Answer& answer) {
    const std::string set(answer.headers.find("Set-Cookie").value_or(""));
    return {{"Cookie", set.substr(0, set.find(';'))}};
  }
  void add_person(const std::string& name, Role role, std::vector<std::string> groups = {}) {
    EXPECT_TRUE(store().people().change(
        AddPerson{.name = name, .role = role, .groups = std::move(groups)}, {.name = "root"}));
  }
  std::string token_of(const std::string& name, Role role, ActorKind kind = ActorKind::person) {
    const Secret secret = make_secret();
    EXPECT_TRUE(store().people().change(
        CreateToken{.token = {.sha256 = secret.sha256, .name = name, .kind = kind, .role = role}},
        {.name = "root"}));
    return secret.text;
  }
  static Json code(const std::string& text) { return Json::object({{"code", text}}); }
  static Json token(const std::string& text) { return Json::object({{"token", text}}); }

  static constexpr const char* path = "/api/v1/session";
  ServiceGate real_gate_{store(), sign_in_, Settings{}, "root"};
  Router guarded_{backend_, real_gate_, routes(), [](const RequestRecord&) {}};
};

TEST_F(SessionRoutes, a_browser_signs_in_with_a_code_acts_and_signs_out) {
  add_person("anna", Role::reviewer, {"editors"});
  const Answer in = sign_in(code(sign_in_.make_code("anna")));
  ASSERT_EQ(in.status, 200U) << in.body;
  EXPECT_EQ(in.at("person"), "\"anna\"");
  EXPECT_EQ(in.at("role"), "\"reviewer\"");
  EXPECT_EQ(in.at("groups"), "[\"editors\"]");
  EXPECT_EQ(in.at("rights"), "[\"see\",\"decide\"]");
  EXPECT_EQ(in.at("expires_at"), "\"2023-11-15T10:13:20Z\"");
  EXPECT_THAT(std::string(*in.headers.find("Set-Cookie")),
              ::testing::MatchesRegex("pawl_session=pawl_[0-9a-f]+; Path=/; HttpOnly; "
                                      "SameSite=Strict; Max-Age=43200"));
  const FieldList cookie = cookie_of(in);
  const Answer me = who_am_i(cookie);
  EXPECT_EQ(me.body, in.body) << "the same document";
  const Answer out = sign_out(cookie);
  EXPECT_EQ(out.status, 204U);
  EXPECT_THAT(std::string(*out.headers.find("Set-Cookie")), StartsWith("pawl_session=; "));
  EXPECT_THAT(std::string(*out.headers.find("Set-Cookie")), HasSubstr("Max-Age=0"));
  EXPECT_EQ(who_am_i(cookie).status, 401U);
}

TEST_F(SessionRoutes, the_first_code_of_a_new_store_is_the_local_user_as_admin) {
  const Answer in = sign_in(code(sign_in_.make_code("root")));
  ASSERT_EQ(in.status, 200U) << in.body;
  EXPECT_EQ(in.at("role"), "\"admin\"");
  const FieldList cookie = cookie_of(in);
  FieldList by_page = cookie;
  by_page.emplace_back("Sec-Fetch-Site", "same-origin");
  const Json anna = Json::object({{"name", "anna"}, {"role", "viewer"}});
  EXPECT_EQ(ask("POST", "/api/v1/people", anna, by_page).status, 201U);
  EXPECT_EQ(ask("GET", "/api/v1/people", Json(), cookie).status, 200U) << "not locked out";
}

TEST_F(SessionRoutes, a_token_signs_its_person_in_with_at_most_its_role) {
  add_person("anna", Role::admin);
  const Answer in = sign_in(token(token_of("anna", Role::viewer)));
  ASSERT_EQ(in.status, 200U) << in.body;
  EXPECT_EQ(in.at("role"), "\"viewer\"");
  EXPECT_EQ(who_am_i(cookie_of(in)).at("rights"), "[\"see\"]");
  EXPECT_EQ(ask("GET", "/api/v1/people", Json(), cookie_of(in)).status, 403U);
}

TEST_F(SessionRoutes, a_sign_in_needs_either_a_code_or_a_token) {
  for (const Json& body : {Json::object({}), Json::object({{"code", ""}, {"token", ""}}),
                           Json::object({{"code", "a"}, {"token", "b"}})}) {
    const Answer answer = sign_in(body);
    EXPECT_EQ(answer.status, 400U) << body.text();
    EXPECT_EQ(answer.headers.count("Set-Cookie"), 0U);
  }
  EXPECT_EQ(sign_in(Json::object({{"code", 1}, {"name", "anna"}})).status, 400U);
  EXPECT_EQ(sign_in(code(std::string(1'000, 'a'))).status, 400U);
}

TEST_F(SessionRoutes, wrong_credentials_are_forbidden_and_set_nothing) {
  add_person("anna", Role::admin);
  const std::string used = sign_in_.make_code("anna");
  EXPECT_EQ(sign_in(code(used)).status, 200U);
  for (const Json& body : {code(used), code("x"), token("pawl_x"), token(used),
                           token(token_of("bot", Role::admin, ActorKind::agent)),
                           code(sign_in_.make_code("mallory"))}) {
    const Answer answer = sign_in(body);
    EXPECT_EQ(answer.status, 403U) << answer.body;
    EXPECT_EQ(answer.at("error.code"), "\"forbidden\"");
    EXPECT_EQ(answer.headers.count("Set-Cookie"), 0U);
  }
}

TEST_F(SessionRoutes, no_answer_and_no_trail_has_a_secret_of_somebody) {
  add_person("anna", Role::admin);
  const std::string secret = token_of("anna", Role::admin);
  const Answer in = sign_in(token(secret));
  const std::string cookie = cookie_of(in).front().second.substr(13);
  ASSERT_THAT(cookie, StartsWith("pawl_"));
  std::string shown = in.body + who_am_i(cookie_of(in)).body;
  for (const char* const target : {"/api/v1/audit", "/api/v1/tokens", "/api/v1/people"}) {
    shown += ask("GET", target, Json(), cookie_of(in)).body;
  }
  for (const std::string& hidden : {secret, cookie, sha256_hex(secret), sha256_hex(cookie)}) {
    EXPECT_FALSE(shown.contains(hidden));
  }
}

TEST_F(SessionRoutes, a_page_of_another_site_signs_nobody_in_or_out) {
  add_person("anna", Role::admin);
  const std::string good = sign_in_.make_code("anna");
  for (const FieldList& from : {FieldList{{"Sec-Fetch-Site", "cross-site"}},
                                FieldList{{"Origin", "https://evil.example"}}}) {
    EXPECT_EQ(ask("POST", path, code(good), from).status, 403U);
  }
  const Answer in = sign_in(code(good));
  ASSERT_EQ(in.status, 200U) << "the code was not used up";
  FieldList foreign = cookie_of(in);
  foreign.emplace_back("Sec-Fetch-Site", "cross-site");
  EXPECT_EQ(ask("DELETE", path, Json::object({}), foreign).status, 403U);
  EXPECT_EQ(who_am_i(cookie_of(in)).status, 200U);
}

TEST_F(SessionRoutes, a_program_may_sign_in_without_an_origin) {
  add_person("anna", Role::admin);
  EXPECT_EQ(ask("POST", path, code(sign_in_.make_code("anna")), {}).status, 200U);
}

TEST_F(SessionRoutes, signing_in_again_ends_the_session_before) {
  add_person("anna", Role::admin);
  const FieldList first = cookie_of(sign_in(code(sign_in_.make_code("anna"))));
  FieldList again = first;
  again.emplace_back("Sec-Fetch-Site", "same-origin");
  const Answer second = ask("POST", path, code(sign_in_.make_code("anna")), again);
  EXPECT_EQ(second.status, 200U);
  EXPECT_EQ(who_am_i(first).status, 401U);
  EXPECT_EQ(who_am_i(cookie_of(second)).status, 200U);
}

TEST_F(SessionRoutes, a_session_that_has_ended_can_still_be_signed_out) {
  const Answer out = sign_out({{"Cookie", "pawl_session=gone"}});
  EXPECT_EQ(out.status, 204U);
  EXPECT_EQ(out.headers.count("Set-Cookie"), 1U);
  EXPECT_EQ(sign_out({}).status, 204U);
}

TEST_F(SessionRoutes, whoever_is_not_signed_in_learns_how) {
  const Answer answer = who_am_i({});
  EXPECT_EQ(answer.status, 401U);
  EXPECT_EQ(answer.at("error.code"), "\"not_signed_in\"");
  EXPECT_THAT(std::string(*answer.headers.find("WWW-Authenticate")), StartsWith("Bearer"));
  EXPECT_THAT(who_am_i({{"Authorization", "Bearer pawl_x"}}).at("error.message"),
              HasSubstr("not known"));
}

TEST_F(SessionRoutes, an_agent_and_a_worker_see_who_they_are) {
  const auto document = [&](ActorKind kind) {
    const std::string secret = token_of("x", Role::admin, kind);
    return who_am_i({{"Authorization", "Bearer " + secret}});
  };
  const Answer agent = document(ActorKind::agent);
  EXPECT_EQ(agent.at("kind"), "\"agent\"");
  EXPECT_EQ(agent.at("by"), "\"token\"");
  EXPECT_EQ(agent.at("expires_at"), "null");
  EXPECT_EQ(agent.at("rights"), "[\"see\",\"submit\",\"operate\",\"work\"]");
  EXPECT_EQ(document(ActorKind::worker).at("rights"), "[\"work\"]");
}

TEST_F(SessionRoutes, somebody_whom_the_store_does_not_know_is_told_so) {
  add_person("anna", Role::admin);
  Settings settings;
  settings.proxy = {.trusted = {*AddressRange::parse("127.0.0.1")},
                    .user_header = "X-Forwarded-User"};
  ServiceGate gate(store(), sign_in_, settings, "root");
  Router router(backend_, gate, routes(), [](const RequestRecord&) {});
  for (const char* const target : {path, "/api/v1/people", "/api/v1/audit"}) {
    Request request{
        .method = "GET", .target = target, .headers = {}, .body = {}, .peer = "127.0.0.1"};
    request.headers.add("Host", "localhost");
    request.headers.add("X-Forwarded-User", "mallory");
    const Response response = router.answer(request);
    EXPECT_EQ(response.status, 403U) << target;
    EXPECT_THAT(response.body, HasSubstr("the store does not know this person"));
    EXPECT_THAT(response.body, HasSubstr("pawl user add mallory"));
  }
}

TEST_F(SessionRoutes, a_request_to_another_host_is_misdirected_whatever_it_asks) {
  for (const char* const target : {path, "/api/v1/openapi.json", "/healthz", "/nothing"}) {
    const Answer answer = ask("GET", target, Json(), {{"Host", "evil.example"}});
    EXPECT_EQ(answer.status, 421U) << target;
    EXPECT_EQ(answer.at("error.code"), "\"wrong_host\"");
  }
}

}  // namespace
}  // namespace pawl::service
