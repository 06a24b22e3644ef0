/// The steps that every request goes through before a handler sees it.

#include "service/api/router.hpp"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_test.hpp"
#include "pawl/codec/names.hpp"
#include "service/api/url_text.hpp"

namespace pawl::service {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

int calls = 0;  ///< of handlers

Result<Reply> answer_nothing(Call& /*call*/) {
  ++calls;
  return Nothing{};
}
Result<Reply> answer_input(Call& call) {
  ++calls;
  return Document{Json::object({{"thing", call.part("thing")},
                                {"note", call.body.text("note")},
                                {"count", call.query.integer("count", -1)},
                                {"tags", std::ssize(call.query.texts("tags"))}})};
}
Result<Reply> throw_error(Call& /*call*/) { throw std::runtime_error("the secret is 7"); }
Result<Reply> throw_number(Call& /*call*/) { throw 7; }
template <ErrorCode code>
Result<Reply> fail_with(Call& /*call*/) {
  return fail(code, "it is wrong", "do it right");
}
Result<Reply> answer_number(Call& call) {
  const Result<std::int64_t> number = call.number("thing");
  if (!number) return std::unexpected(number.error());
  return Document{Json(*number)};
}

Route route_of(std::string_view method, std::string_view path, Access access, Handle handle) {
  return {.method = method,
          .path = path,
          .access = access,
          .handle = handle,
          .operation = path,
          .tag = "test",
          .summary = "A test."};
}

std::vector<Route> test_table() {
  const Access see = Access::needs(Right::see);
  std::vector<Route> table = {
      route_of("GET", "/open", Access::open(), answer_nothing),
      route_of("POST", "/open", Access::open(), answer_nothing),
      route_of("GET", "/things/first", see, answer_nothing),
      route_of("GET", "/things/{thing}", see, answer_input),
      route_of("POST", "/things/{thing}", see, answer_input),
      route_of("GET", "/numbers/{thing}", see, answer_number),
      route_of("GET", "/throws", see, throw_error),
      route_of("GET", "/throws/number", see, throw_number),
      route_of("GET", "/fails/not_found", see, fail_with<ErrorCode::not_found>),
      route_of("GET", "/fails/conflict", see, fail_with<ErrorCode::conflict>),
      route_of("GET", "/fails/refused", see, fail_with<ErrorCode::refused>),
      route_of("GET", "/fails/invalid", see, fail_with<ErrorCode::invalid>),
      route_of("GET", "/fails/forbidden", see, fail_with<ErrorCode::forbidden>),
      route_of("GET", "/fails/unavailable", see, fail_with<ErrorCode::unavailable>),
      route_of("GET", "/fails/corrupt", see, fail_with<ErrorCode::corrupt>),
  };
  for (Route& route : table) {
    if (route.path != "/things/{thing}") continue;
    route.query = {{.name = "count", .kind = FieldKind::integer, .min = 1, .max = 9},
                   {.name = "order", .words = {"old", "new"}},
                   {.name = "tags", .kind = FieldKind::texts, .length_max = 2}};
    if (route.method == "POST") {
      route.body = {{.name = "note", .is_required = true, .length_max = 5},
                    {.name = "force", .kind = FieldKind::flag}};
    }
  }
  return table;
}

class RouterTest : public ApiTest {
 protected:
  RouterTest() { calls = 0; }

  Answer ask(std::string method, std::string target, std::string body = {},
             const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    Request request{.method = std::move(method), .target = std::move(target), .peer = "127.0.0.1"};
    for (const auto& [name, value] : headers) request.headers.add(name, value);
    request.body = std::move(body);
    const Response response = own_.answer(request);
    return {.status = response.status, .body = response.body, .headers = response.headers};
  }
  Answer post(const std::string& target, std::string body) {
    return ask("POST", target, std::move(body), {{"Content-Type", "application/json"}});
  }
  static std::string message(const Answer& answer) {
    return field(answer.json(), "error.message").string().value_or("");
  }
  static std::string code(const Answer& answer) {
    return field(answer.json(), "error.code").string().value_or("");
  }

  std::vector<Route> table_ = test_table();
  std::vector<std::string> errors_;
  Router own_{backend_, gate_, table_,
              [this](const RequestRecord& record) { errors_.push_back(record.error); }};
};

TEST_F(RouterTest, an_address_that_does_not_exist_is_404) {
  for (const char* target : {"/", "/nothing", "/things", "/things/", "/things/a/b", "//things/a",
                             "things/a", "*", "/things/%zz", "/things/%", "/things/%2"}) {
    const Answer answer = ask("GET", target);
    EXPECT_EQ(answer.status, 404U) << target;
    EXPECT_EQ(code(answer), "not_found") << target;
  }
  EXPECT_EQ(calls, 0);
}

TEST_F(RouterTest, a_part_of_the_path_is_decoded_once) {
  EXPECT_EQ(ask("GET", "/things/a%2Fb").at("thing"), "\"a/b\"");
  EXPECT_EQ(ask("GET", "/things/a%252Fb").at("thing"), "\"a%2Fb\"");
  EXPECT_EQ(ask("GET", "/things/a+b").at("thing"), "\"a+b\"") << "plus is a space only in a query";
}

TEST_F(RouterTest, the_first_route_that_fits_wins) {
  EXPECT_EQ(ask("GET", "/things/first").status, 204U);
  EXPECT_EQ(ask("GET", "/things/second").status, 200U);
}

TEST_F(RouterTest, a_method_that_an_address_does_not_take_is_405_and_names_those_that_it_does) {
  const Answer answer = ask("DELETE", "/things/a");
  EXPECT_EQ(answer.status, 405U);
  EXPECT_EQ(answer.headers.find("Allow"), "GET, POST");
  EXPECT_EQ(ask("OPTIONS", "/open").status, 405U);
  EXPECT_EQ(ask("get", "/open").status, 405U) << "methods are case-sensitive";
  EXPECT_EQ(calls, 0);
}

TEST_F(RouterTest, head_is_answered_as_get) {
  EXPECT_EQ(ask("HEAD", "/things/a").status, 200U);
  EXPECT_EQ(ask("HEAD", "/open").status, 204U);
}

TEST_F(RouterTest, all_faults_of_a_query_are_told_at_once) {
  const Answer answer =
      ask("GET", "/things/a?count=0&order=odd&tags=a,b,c&colour=red&x=%zz&count=3&count=4");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_THAT(
      message(answer),
      AllOf(HasSubstr("'count' must be at least 1"), HasSubstr("'order' must be one of"),
            HasSubstr("'tags' must have at most 2"), HasSubstr("unknown parameter 'colour'"),
            HasSubstr("malformed escape"), HasSubstr("'count' is given twice")));
  EXPECT_EQ(calls, 0);
}

TEST_F(RouterTest, a_number_in_a_query_must_be_one) {
  for (const char* bad : {"", "x", "1.5", "1e3", "0x1", "+1", " 1", "99999999999999999999", "true",
                          "[1]", "null", "\"1\""}) {
    EXPECT_EQ(ask("GET", std::string("/things/a?count=") + with_escapes(bad)).status, 400U) << bad;
  }
  EXPECT_EQ(ask("GET", "/things/a?count=7").at("count"), "7");
}

TEST_F(RouterTest, an_unknown_parameter_names_the_nearest_one) {
  EXPECT_THAT(message(ask("GET", "/things/a?cuont=1")), HasSubstr("did you mean 'count'?"));
}

TEST_F(RouterTest, all_faults_of_a_body_are_told_at_once) {
  const Answer answer = post("/things/a", R"({"force":"yes","nota":"x"})");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_THAT(message(answer),
              AllOf(HasSubstr("'force' must be true or false"), HasSubstr("unknown member 'nota'"),
                    HasSubstr("did you mean 'note'?"), HasSubstr("missing member 'note'")));
  EXPECT_THAT(message(post("/things/a", R"({"note":"too long"})")), HasSubstr("at most 5 bytes"));
  EXPECT_EQ(calls, 0);
}

TEST_F(RouterTest, a_body_that_is_not_a_json_object_is_400) {
  for (const char* bad :
       {"{", "[]", "7", "null", "{\"note\":\"a\",\"note\":\"b\"}", "\xff", "{} {}"}) {
    EXPECT_EQ(post("/things/a", bad).status, 400U) << bad;
  }
  EXPECT_EQ(calls, 0);
}

TEST_F(RouterTest, a_member_that_is_null_counts_as_missing) {
  EXPECT_THAT(message(post("/things/a", R"({"note":null})")), HasSubstr("missing member 'note'"));
  EXPECT_EQ(post("/things/a", R"({"note":"a","force":null})").status, 200U);
}

TEST_F(RouterTest, a_body_must_say_that_it_is_json) {
  const std::string body = R"({"note":"a"})";
  EXPECT_EQ(ask("POST", "/things/a", body).status, 415U);
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data; boundary=x", "application/jsonp", ""}) {
    EXPECT_EQ(ask("POST", "/things/a", body, {{"Content-Type", type}}).status, 415U) << type;
  }
  for (const char* type :
       {"application/json", "Application/JSON", "application/json; charset=utf-8"}) {
    EXPECT_EQ(ask("POST", "/things/a", body, {{"Content-Type", type}}).status, 200U) << type;
  }
  EXPECT_EQ(ask("POST", "/open").status, 204U) << "without a body there is nothing to say";
}

TEST_F(RouterTest, every_error_code_has_its_status) {
  const std::map<std::string, unsigned> statuses = {
      {"not_found", 404}, {"conflict", 409},    {"refused", 409}, {"invalid", 400},
      {"forbidden", 403}, {"unavailable", 503}, {"corrupt", 500}};
  for (const auto& [word, status] : statuses) {
    const Answer answer = ask("GET", "/fails/" + word);
    EXPECT_EQ(answer.status, status) << word;
    EXPECT_EQ(code(answer), word);
    EXPECT_EQ(message(answer), "it is wrong");
    EXPECT_EQ(answer.at("error.help"), "\"do it right\"");
  }
  EXPECT_TRUE(ask("GET", "/fails/unavailable").headers.find("Retry-After"));
}

TEST_F(RouterTest,
       a_handler_that_throws_is_a_500_without_details_and_the_next_request_is_answered) {
  const Answer answer = ask("GET", "/throws");
  EXPECT_EQ(answer.status, 500U);
  EXPECT_EQ(code(answer), "internal");
  EXPECT_THAT(answer.body, Not(HasSubstr("secret")));
  EXPECT_THAT(errors_.back(), HasSubstr("the secret is 7")) << "the log says what it was";
  EXPECT_EQ(ask("GET", "/throws/number").status, 500U);
  EXPECT_EQ(ask("GET", "/open").status, 204U);
}

TEST_F(RouterTest, a_number_of_a_record_that_cannot_exist_is_404) {
  for (const char* bad : {"0", "-1", "x", "1.0", "99999999999999999999", "%00", "1%20"}) {
    EXPECT_EQ(ask("GET", std::string("/numbers/") + bad).status, 404U) << bad;
  }
  EXPECT_EQ(ask("GET", "/numbers/7").body, "7\n");
}

TEST_F(RouterTest, every_answer_tells_browsers_to_keep_and_guess_nothing) {
  for (const char* target : {"/open", "/nothing", "/throws", "/things/a"}) {
    const Headers headers = ask("GET", target).headers;
    EXPECT_EQ(headers.find("Cache-Control"), "no-store") << target;
    EXPECT_EQ(headers.find("X-Content-Type-Options"), "nosniff") << target;
    EXPECT_EQ(headers.find("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'")
        << target;
  }
}

TEST_F(RouterTest, what_the_server_refuses_itself_has_the_same_form) {
  const Response response = own_.refuse(431, "the head is too long", {.method = "GET"});
  EXPECT_EQ(response.status, 431U);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"too_large\""));
  EXPECT_EQ(errors_.back(), "the head is too long");
}

/// Somebody of each standing, and who is not signed in.
struct Somebody {
  std::string name;
  std::optional<Standing> standing;
};

std::vector<Somebody> everybody() {
  std::vector<Somebody> all = {{"nobody", std::nullopt}};
  for (const ActorKind kind : {ActorKind::person, ActorKind::agent, ActorKind::worker}) {
    for (const Role role : {Role::viewer, Role::reviewer, Role::operate, Role::admin}) {
      all.push_back({std::string(name_of(kind)) + "/" + std::string(name_of(role)),
                     Standing{.kind = kind, .role = role, .groups = {}}});
    }
  }
  return all;
}

/// Written again, so that a change of the rules must be made in two places.
bool has_right(const Standing& standing, Right right) {
  if (standing.kind == ActorKind::worker) return right == Right::work;
  const std::map<Right, Role> least = {
      {Right::see, Role::viewer},     {Right::decide, Role::reviewer},
      {Right::submit, Role::operate}, {Right::operate, Role::operate},
      {Right::assign, Role::operate}, {Right::destroy, Role::operate},
      {Right::trust, Role::operate},  {Right::see_audit, Role::operate},
      {Right::work, Role::operate},   {Right::manage_people, Role::admin}};
  const bool is_for_agents = right == Right::see || right == Right::submit ||
                             right == Right::operate || right == Right::work;
  if (standing.kind == ActorKind::agent && !is_for_agents) return false;
  return standing.role >= least.at(right);
}

/// An address of the route: "1" is a number, and a text.
std::string target_of(const Route& route) {
  std::string target;
  for (std::size_t begin = 0; begin < route.path.size();) {
    const std::size_t open = std::min(route.path.find('{', begin), route.path.size());
    target += route.path.substr(begin, open - begin);
    if (open == route.path.size()) break;
    target += '1';
    begin = route.path.find('}', open) + 1;
  }
  return target;
}

/// The query is wrong for every route, so a 400 says that the rights were enough, and that no
/// handler was called.
class RightsTest : public ApiTest {
 protected:
  Answer ask(const Route& route, const Somebody& who) {
    gate_.caller.reset();
    if (who.standing) {
      gate_.caller = Caller{.actor = {.name = "sam",
                                      .kind = who.standing->kind,
                                      .method = ActorMethod::token,
                                      .address = "127.0.0.1"},
                            .standing = *who.standing,
                            .by = "token"};
    }
    return call(std::string(route.method), target_of(route) + "?no_such_parameter=1");
  }
};

TEST_F(RightsTest, every_route_is_open_to_exactly_those_who_have_its_right) {
  for (const Route& route : routes()) {
    for (const Somebody& who : everybody()) {
      const Answer answer = ask(route, who);
      unsigned expected = 400;
      const Right* const right = route.access.right();
      if (!route.access.is_open()) {
        if (!who.standing) {
          expected = 401;
        } else if (right != nullptr && !has_right(*who.standing, *right)) {
          expected = 403;
        }
      }
      EXPECT_EQ(answer.status, expected)
          << route.method << " " << route.path << " for " << who.name << ": " << answer.body;
    }
  }
}

TEST_F(RightsTest, who_is_not_signed_in_is_told_how_to) {
  const Answer answer = ask(*find_route(routes(), "GET", "/api/v1/events").route, {});
  EXPECT_EQ(answer.status, 401U);
  EXPECT_EQ(answer.headers.find("WWW-Authenticate"), "Bearer realm=\"pawl\"");
  EXPECT_THAT(answer.body, HasSubstr("\"code\":\"not_signed_in\""));
}

/// What may be read without signing in, and what may be changed. Everything new must be added here,
/// by somebody who has thought about it.
TEST_F(RightsTest, few_routes_are_open) {
  std::vector<std::string> open;
  for (const Route& route : routes()) {
    if (!route.access.is_open()) continue;
    open.push_back(std::string(route.method) + " " + std::string(route.path));
  }
  EXPECT_THAT(open, ::testing::UnorderedElementsAre(
                        "GET /", "GET /pages/sign_in.js", "GET /pages/style.css", "GET /healthz",
                        "GET /readyz", "GET /api/v1/openapi.json", "POST /api/v1/session",
                        "DELETE /api/v1/session"));
}

TEST_F(RightsTest, a_route_that_changes_something_needs_more_than_the_right_to_see) {
  for (const Route& route : routes()) {
    if (route.method == "GET" || route.access.is_open()) continue;
    if (route.operation == "checkWorkflow") continue;  // it changes nothing, but takes a body
    const Right* const right = route.access.right();
    const bool is_for_oneself = right == nullptr;
    EXPECT_TRUE(is_for_oneself || *right != Right::see) << route.method << " " << route.path;
  }
}

}  // namespace
}  // namespace pawl::service
