#include <array>

#include <gmock/gmock.h>

#include "pawl/codec/digest.hpp"
#include "service/access/service_gate.hpp"
#include "service/access_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Fields = std::vector<std::pair<std::string, std::string>>;

class GateTest : public AccessTest {
 protected:
  /// A request with these fields, and a Host unless they have one.
  static Request request_with(const Fields& fields, std::string peer = "127.0.0.1") {
    Request request{.method = "POST",
                    .target = "/api/v1/jobs",
                    .headers = {},
                    .body = "{}",
                    .peer = std::move(peer)};
    for (const auto& [name, value] : fields) request.headers.add(name, value);
    if (request.headers.count("Host") == 0) request.headers.add("Host", "127.0.0.1:7878");
    return request;
  }
  void use(Settings settings) {
    settings_ = std::move(settings);
    sign_in_.emplace(store_, settings_.session_time, settings_.public_url);
    gate_.emplace(store_, *sign_in_, settings_, "root");
  }
  void SetUp() override { use({}); }

  /// The gate with another `public_url`.
  void use_site(const std::string& url) { use({.public_url = url}); }
  void use_proxy(std::vector<std::string> trusted) {
    Settings settings{.public_url = "https://pawl.example"};
    settings.proxy.user_header = "X-Forwarded-User";
    for (const std::string& range : trusted) {
      settings.proxy.trusted.push_back(*AddressRange::parse(range));
    }
    use(std::move(settings));
  }

  /// "name by role", "nobody", or the message of the refusal.
  std::string caller_of(const Fields& fields, const std::string& peer = "127.0.0.1") {
    const Result<std::optional<Caller>> caller = gate_->identify(request_with(fields, peer));
    if (!caller) {
      EXPECT_EQ(caller.error().code, ErrorCode::forbidden);
      return caller.error().message;
    }
    if (!*caller) return "nobody";
    const Caller& found = **caller;
    const char* const known = found.standing.is_known ? "" : " unknown";
    return found.actor.name + " by " + std::string(found.by) + known;
  }
  Fields cookie_of(const std::string& person, Role role = Role::admin) {
    const Result<SignedIn> opened = sign_in_->with_token(token_of(person, role), "127.0.0.1");
    EXPECT_TRUE(opened);
    return {{"Cookie", sign_in_->cookie().name() + "=" + opened->cookie}};
  }
  static Fields bearer(const std::string& token) { return {{"Authorization", "Bearer " + token}}; }
  static Fields both(Fields some, const Fields& others) {
    some.insert(some.end(), others.begin(), others.end());
    return some;
  }
  bool is_own_page(const Fields& fields, const Caller* caller) {
    return gate_->check_origin(request_with(fields), caller).has_value();
  }

  Settings settings_;
  std::optional<SignIn> sign_in_;
  std::optional<ServiceGate> gate_;
};

// Host

TEST_F(GateTest, a_request_must_name_a_loopback_host_or_the_host_of_the_public_address) {
  use_site("https://pawl.example:8443/flows");
  for (const char* const host :
       {"127.0.0.1", "127.0.0.1:7878", "127.9.9.9:1", "localhost", "LocalHost:80", "[::1]",
        "[::1]:7878", "[0:0:0::1]:7878", "pawl.example", "PAWL.example:8443", "pawl.example:1"}) {
    EXPECT_TRUE(gate_->check_host(request_with({{"Host", host}}))) << host;
  }
  for (const char* const host : {"",
                                 "evil.example",
                                 "evil.example:7878",
                                 "pawl.example.evil.example",
                                 "xpawl.example",
                                 "192.168.0.7:7878",
                                 "0.0.0.0:7878",
                                 "[::]:7878",
                                 "localhost.evil.example",
                                 "localhost.",
                                 "127.0.0.1.evil.example",
                                 "127.1",
                                 "2130706433",
                                 "0x7f000001",
                                 "pawl.example@evil.example",
                                 "evil.example/pawl.example",
                                 "pawl.example, evil.example",
                                 "pawl.example:80:80",
                                 "pawl.example ",
                                 "\x1b[31m",
                                 "\xff",
                                 "http://pawl.example",
                                 "[::1",
                                 "::1"}) {
    const Status refused = gate_->check_host(request_with({{"Host", host}}));
    ASSERT_FALSE(refused) << host;
    EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
    EXPECT_FALSE(refused.error().message.contains('\x1b'));
  }
}

TEST_F(GateTest, a_request_must_name_exactly_one_host) {
  EXPECT_FALSE(gate_->check_host(request_with({{"Host", "127.0.0.1"}, {"host", "127.0.0.1"}})));
  Request none = request_with({});
  none.headers.remove("Host");
  EXPECT_FALSE(gate_->check_host(none));
}

TEST_F(GateTest, without_a_public_address_only_loopback_names_are_its_own) {
  EXPECT_TRUE(gate_->check_host(request_with({})));
  EXPECT_FALSE(gate_->check_host(request_with({{"Host", "pawl.example"}})));
}

// Origin

struct OriginCase {
  std::string host;
  Fields fields;
  bool is_own;
};

TEST_F(GateTest, a_browser_must_say_that_a_page_of_this_service_asks) {
  use_site("https://pawl.example/flows");
  const std::vector<OriginCase> cases{
      {"127.0.0.1:7878", {{"Sec-Fetch-Site", "same-origin"}}, true},
      {"127.0.0.1:7878", {{"Sec-Fetch-Site", "same-site"}}, false},
      {"127.0.0.1:7878", {{"Sec-Fetch-Site", "cross-site"}}, false},
      {"127.0.0.1:7878", {{"Sec-Fetch-Site", "none"}}, false},
      {"127.0.0.1:7878", {{"Sec-Fetch-Site", ""}}, false},
      {"127.0.0.1:7878", {{"Sec-Fetch-Site", "Same-Origin"}}, false},
      {"127.0.0.1:7878",
       {{"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "cross-site"}},
       false},
      // What the browser knows counts more than the name that it gives.
      {"127.0.0.1:7878",
       {{"Sec-Fetch-Site", "cross-site"}, {"Origin", "http://127.0.0.1:7878"}},
       false},
      {"127.0.0.1:7878", {{"Origin", "http://127.0.0.1:7878"}}, true},
      {"127.0.0.1:7878", {{"Origin", "https://127.0.0.1:7878"}}, true},
      {"127.0.0.1:7878", {{"Origin", "http://127.0.0.1:3000"}}, false},
      {"127.0.0.1:7878", {{"Origin", "http://localhost:7878"}}, false},
      {"127.0.0.1:7878", {{"Origin", "http://127.0.0.1"}}, false},
      {"127.0.0.1", {{"Origin", "http://127.0.0.1"}}, true},
      {"127.0.0.1:80", {{"Origin", "http://127.0.0.1"}}, true},
      {"127.0.0.1", {{"Origin", "https://127.0.0.1:443"}}, true},
      {"[::1]:7878", {{"Origin", "http://[::1]:7878"}}, true},
      {"localhost:7878", {{"Origin", "http://LOCALHOST:7878"}}, true},
      // A proxy may pass on either host.
      {"pawl.example", {{"Origin", "https://pawl.example"}}, true},
      {"127.0.0.1:7878", {{"Origin", "https://pawl.example"}}, true},
      {"pawl.example", {{"Origin", "https://pawl.example:443"}}, true},
      {"pawl.example", {{"Origin", "http://pawl.example"}}, false},
      {"pawl.example", {{"Origin", "https://pawl.example:8443"}}, false},
      {"pawl.example:8443", {{"Origin", "https://pawl.example:8443"}}, false},
      {"pawl.example", {{"Origin", "https://pawl.example/"}}, false},
      {"pawl.example", {{"Origin", "https://pawl.example/flows"}}, false},
      {"pawl.example", {{"Origin", "https://pawl.example.evil.example"}}, false},
      {"pawl.example", {{"Origin", "https://evil.example"}}, false},
      {"pawl.example", {{"Origin", "null"}}, false},
      {"pawl.example", {{"Origin", ""}}, false},
      {"pawl.example", {{"Origin", "https://pawl.example https://evil.example"}}, false},
      {"pawl.example",
       {{"Origin", "https://pawl.example"}, {"Origin", "https://pawl.example"}},
       false},
      {"pawl.example", {{"Referer", "https://pawl.example/"}}, false},
      {"pawl.example", {}, false},
  };
  const Caller session{.actor = {.name = "anna"}, .standing = {}, .by = "session"};
  for (const OriginCase& one : cases) {
    const Fields fields =
        both({{"Host", one.host}, {"Cookie", "__Host-pawl_session=x"}}, one.fields);
    for (const Caller* const caller : {&session, static_cast<const Caller*>(nullptr)}) {
      const Status same = gate_->check_origin(request_with(fields), caller);
      EXPECT_EQ(same.has_value(), one.is_own)
          << one.host << (one.fields.empty() ? "" : " " + one.fields.back().second);
      EXPECT_TRUE(same || same.error().code == ErrorCode::forbidden);
    }
  }
}

TEST_F(GateTest, a_program_needs_no_origin_if_it_brings_nothing_that_browsers_add) {
  const Fields cookie{{"Cookie", "pawl_session=x"}};
  const Fields cross{{"Sec-Fetch-Site", "cross-site"}};
  const Fields foreign{{"Origin", "https://evil.example"}};
  const Caller token{.actor = {.name = "anna"}, .standing = {}, .by = "token"};
  const Caller session{.actor = {.name = "anna"}, .standing = {}, .by = "session"};
  const Caller proxy{.actor = {.name = "anna"}, .standing = {}, .by = "proxy"};
  const Caller nobody{.actor = {.name = "root"}, .standing = {}, .by = "nobody"};
  struct Case {
    const Caller* caller;
    bool alone;
    bool with_cookie;
    bool from_elsewhere;
  };
  const std::array<Case, 5> cases{{{&token, true, false, true},
                                   {&session, false, false, false},
                                   {&proxy, false, false, false},
                                   {&nobody, true, false, false},
                                   {nullptr, true, false, false}}};
  for (const Case& one : cases) {
    const std::string_view by = one.caller != nullptr ? one.caller->by : "none";
    EXPECT_EQ(is_own_page({}, one.caller), one.alone) << by;
    EXPECT_EQ(is_own_page(cookie, one.caller), one.with_cookie) << by;
    EXPECT_EQ(is_own_page(cross, one.caller), one.from_elsewhere) << by;
    EXPECT_EQ(is_own_page(foreign, one.caller), one.from_elsewhere) << by;
    EXPECT_FALSE(is_own_page(both(cookie, cross), one.caller)) << by;
    EXPECT_TRUE(is_own_page(both(cookie, {{"Sec-Fetch-Site", "same-origin"}}), one.caller)) << by;
  }
  EXPECT_TRUE(is_own_page({{"Cookie", "theme=dark"}}, &token)) << "other cookies sign nobody in";
  EXPECT_FALSE(is_own_page({{"Cookie", "pawl_session=x; pawl_session=y"}}, &token));
}

// Tokens and sessions

TEST_F(GateTest, a_token_is_its_person_with_at_most_its_role) {
  add_person("anna", Role::admin, {"editors"});
  const auto caller =
      gate_->identify(request_with(bearer(token_of("anna", Role::operate)), "192.0.2.7"));
  ASSERT_TRUE(caller && *caller);
  EXPECT_EQ((*caller)->actor, (Actor{.name = "anna",
                                     .kind = ActorKind::person,
                                     .method = ActorMethod::token,
                                     .address = "192.0.2.7",
                                     .at_most = Role::operate}));
  EXPECT_EQ((*caller)->standing.role, Role::operate);
  EXPECT_THAT((*caller)->standing.groups, ::testing::ElementsAre("editors"));
  EXPECT_EQ((*caller)->by, "token");
}

TEST_F(GateTest, a_token_of_an_agent_or_a_worker_is_no_person) {
  for (const ActorKind kind : {ActorKind::agent, ActorKind::worker}) {
    const auto caller = gate_->identify(request_with(bearer(token_of("x", Role::admin, kind))));
    ASSERT_TRUE(caller && *caller);
    EXPECT_EQ((*caller)->actor.kind, kind);
    EXPECT_FALSE(may((*caller)->standing, Right::decide));
    EXPECT_FALSE(may((*caller)->standing, Right::manage_people));
  }
}

TEST_F(GateTest, a_token_that_is_not_good_is_refused_with_the_reason) {
  add_person("anna");
  const std::string revoked = token_of("anna");
  revoke(1);
  const std::string expired = token_of("anna", Role::viewer, ActorKind::person, 1h);
  clock_.advance(1h);
  const std::string good = token_of("anna");
  EXPECT_EQ(caller_of(bearer(revoked)), "token 1 was revoked");
  EXPECT_THAT(caller_of(bearer(expired)), HasSubstr("token 2 expired"));
  for (const std::string& wrong :
       {std::string("pawl_"), make_secret().text, good + "0", good.substr(0, good.size() - 1),
        good + " ", "pawl_" + std::string(100'000, 'a'), std::string("pawl_\0\xff\x1b", 8),
        "pawl_" + sha256_hex(good)}) {
    EXPECT_EQ(caller_of(bearer(wrong)), "the token is not known") << wrong.substr(0, 80);
  }
  EXPECT_EQ(caller_of(bearer(sha256_hex(good))), "the token is not one of pawl");
  EXPECT_EQ(caller_of(bearer("")), "the token is not one of pawl");
}

TEST_F(GateTest, credentials_have_one_form) {
  add_person("anna");
  const std::string token = token_of("anna");
  EXPECT_EQ(caller_of({{"authorization", "bearer " + token}}), "anna by token");
  EXPECT_EQ(caller_of({{"Authorization", "Bearer   " + token}}), "anna by token");
  EXPECT_EQ(caller_of({{"Authorization", "Basic YTpi"}}), "nobody") << "a proxy may pass it on";
  EXPECT_EQ(caller_of({{"Authorization", token}}), "nobody");
  EXPECT_EQ(caller_of({{"Authorization", ""}}), "nobody");
  EXPECT_EQ(caller_of(both(bearer(token), bearer(token))),
            "the request has several Authorization fields");
  EXPECT_EQ(caller_of({{"X-Token", token}}), "nobody");
  EXPECT_EQ(caller_of({{"Cookie", "pawl_session=" + token}}), "the session has ended")
      << "a token is not a session";
}

TEST_F(GateTest, a_token_is_noted_as_used_once_a_minute) {
  add_person("anna");
  const Fields token = bearer(token_of("anna"));
  const Timestamp first = clock_.now();
  caller_of(token);
  clock_.advance(59s);
  caller_of(token);
  EXPECT_EQ(store_.people().tokens()->front().used_at, first);
  clock_.advance(1s);
  caller_of(token);
  EXPECT_EQ(store_.people().tokens()->front().used_at, first + 60s);
}

TEST_F(GateTest, a_cookie_is_the_person_who_has_signed_in) {
  add_person("anna");
  const Fields cookie = cookie_of("anna", Role::viewer);
  const auto caller = gate_->identify(request_with(cookie));
  ASSERT_TRUE(caller && *caller);
  EXPECT_EQ((*caller)->by, "session");
  EXPECT_EQ((*caller)->standing.role, Role::viewer);
  EXPECT_EQ((*caller)->actor.method, ActorMethod::session);
  EXPECT_TRUE(is_sha256_hex((*caller)->session));
  clock_.advance(12h);
  EXPECT_EQ(caller_of(cookie), "the session has ended");
  EXPECT_EQ(caller_of({{"Cookie", "pawl_session=\xff\x1b"}}), "the session has ended");
  EXPECT_EQ(caller_of({{"Cookie", "theme=dark"}}), "nobody");
  EXPECT_EQ(caller_of({}), "nobody");
}

TEST_F(GateTest, a_token_counts_before_a_cookie_and_a_wrong_one_is_not_made_up_for) {
  add_person("anna");
  add_person("ben");
  const Fields cookie = cookie_of("anna");
  EXPECT_EQ(caller_of(both(cookie, bearer(token_of("ben")))), "ben by token");
  EXPECT_EQ(caller_of(both(cookie, bearer("pawl_wrong"))), "the token is not known");
}

TEST_F(GateTest, a_role_that_changes_counts_at_once) {
  add_person("anna", Role::admin);
  const Fields cookie = cookie_of("anna");
  ASSERT_TRUE(store_.people().change(ChangePerson{.name = "anna", .role = Role::viewer}, root()));
  const auto caller = gate_->identify(request_with(cookie));
  EXPECT_EQ((*caller)->standing.role, Role::viewer);
}

TEST_F(GateTest, a_store_that_does_not_answer_is_not_a_wrong_token) {
  add_person("anna");
  const std::vector<Fields> credentials{bearer(token_of("anna")), cookie_of("anna")};
  store_.people().is_out_of_reach = true;
  for (const Fields& fields : credentials) {
    const auto caller = gate_->identify(request_with(fields));
    ASSERT_FALSE(caller);
    EXPECT_EQ(caller.error().code, ErrorCode::unavailable);
  }
}

// Proxies

TEST_F(GateTest, a_trusted_proxy_says_who_has_signed_in) {
  add_person("anna");
  use_proxy({"10.0.0.0/8"});
  const Fields says_anna{{"x-forwarded-user", "anna"}};
  EXPECT_EQ(caller_of(says_anna, "10.1.2.3"), "anna by proxy");
  EXPECT_EQ(caller_of(says_anna, "::ffff:10.1.2.3"), "anna by proxy");
  for (const char* const peer : {"127.0.0.1", "11.0.0.1", "::1", "", "10.1.2", "proxy"}) {
    EXPECT_EQ(caller_of(says_anna, peer), "nobody") << peer;
  }
  EXPECT_EQ(caller_of({}, "10.1.2.3"), "nobody");
  EXPECT_EQ(caller_of({{"X-Forwarded-User", ""}}, "10.1.2.3"), "nobody");
  EXPECT_EQ(caller_of({{"X-Remote-User", "anna"}}, "10.1.2.3"), "nobody");
}

TEST_F(GateTest, a_trusted_proxy_does_not_make_people) {
  add_person("anna");
  use_proxy({"10.0.0.1"});
  EXPECT_EQ(caller_of({{"X-Forwarded-User", "mallory"}}, "10.0.0.1"), "mallory by proxy unknown");
}

TEST_F(GateTest, nobody_comes_in_through_a_proxy_before_there_are_people) {
  use_proxy({"10.0.0.1"});
  EXPECT_EQ(caller_of({{"X-Forwarded-User", "anna"}}, "10.0.0.1"), "anna by proxy unknown");
}

TEST_F(GateTest, a_proxy_that_names_nobody_in_particular_is_refused) {
  add_person("anna");
  use_proxy({"10.0.0.1"});
  EXPECT_EQ(caller_of({{"X-Forwarded-User", "anna"}, {"X-Forwarded-User", "anna"}}, "10.0.0.1"),
            "the proxy names several people");
  for (const std::string& name :
       {std::string("anna, ben"), std::string("an na"), std::string("group:editors"),
        std::string("overdue"), std::string("\x1b[31m"), std::string("\xff\xfe"),
        std::string("anna\0", 5), std::string(65, 'a'), std::string(10'000, 'a'),
        std::string("-anna"), std::string(" ")}) {
    const std::string refusal = caller_of({{"X-Forwarded-User", name}}, "10.0.0.1");
    EXPECT_EQ(refusal, "the proxy names somebody who cannot be a person of this store");
  }
}

TEST_F(GateTest, a_proxy_counts_before_a_cookie_and_a_token_of_pawl_before_the_proxy) {
  add_person("anna");
  add_person("ben");
  add_person("carl");
  use_proxy({"10.0.0.1"});
  const Fields proxied{{"X-Forwarded-User", "anna"}};
  EXPECT_EQ(caller_of(both(proxied, cookie_of("ben")), "10.0.0.1"), "anna by proxy");
  EXPECT_EQ(caller_of(both(proxied, bearer(token_of("carl"))), "10.0.0.1"), "carl by token");
  EXPECT_EQ(caller_of(both(proxied, bearer("eyJhbGciOi")), "10.0.0.1"), "anna by proxy")
      << "a token of the proxy's own";
  EXPECT_EQ(caller_of(both(proxied, bearer("eyJhbGciOi")), "10.0.0.2"),
            "the token is not one of pawl");
}

std::string address_of(const ServiceGate& gate, const std::string& peer, const Fields& fields) {
  Request request{.method = "GET", .target = "/", .headers = {}, .body = {}, .peer = peer};
  for (const auto& [name, value] : fields) request.headers.add(name, value);
  return gate.address_of(request);
}

TEST_F(GateTest, the_address_is_the_last_one_that_no_trusted_proxy_has) {
  use_proxy({"10.0.0.0/8", "127.0.0.1"});
  const auto address = [&](const std::string& peer, const std::string& forwarded) {
    return address_of(*gate_, peer, {{"X-Forwarded-For", forwarded}});
  };
  EXPECT_EQ(address("127.0.0.1", "192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(address("127.0.0.1", "192.0.2.66, 192.0.2.1"), "192.0.2.1") << "the client invented 66";
  EXPECT_EQ(address("127.0.0.1", "192.0.2.66, 192.0.2.1, 10.0.0.9"), "192.0.2.1");
  EXPECT_EQ(address("127.0.0.1", "10.0.0.8, 10.0.0.9"), "10.0.0.8");
  EXPECT_EQ(address("127.0.0.1", "192.0.2.66, garbage, 10.0.0.9"), "10.0.0.9");
  EXPECT_EQ(address("127.0.0.1", "garbage"), "127.0.0.1");
  EXPECT_EQ(address("127.0.0.1", ""), "127.0.0.1");
  EXPECT_EQ(address("192.0.2.9", "192.0.2.1"), "192.0.2.9") << "not a trusted peer";
  EXPECT_EQ(address("::ffff:127.0.0.1", "::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(address_of(*gate_, "127.0.0.1", {{"Forwarded", "for=\"[2001:db8::1]:80\";by=x"}}),
            "2001:db8::1");
  EXPECT_EQ(address_of(*gate_, "127.0.0.1", {}), "127.0.0.1");
}

TEST_F(GateTest, without_trusted_proxies_the_address_is_the_peer) {
  EXPECT_EQ(address_of(*gate_, "127.0.0.1", {{"X-Forwarded-For", "192.0.2.1"}}), "127.0.0.1");
}

// No sign-in

TEST_F(GateTest, without_a_sign_in_everybody_on_this_machine_is_the_local_user) {
  add_person("anna", Role::viewer);
  const Fields stale{{"Cookie", "pawl_session=x"}};
  const Fields token = bearer(token_of("anna"));
  use({.sign_in = SignInRule::none});
  EXPECT_EQ(caller_of({}), "root by nobody");
  EXPECT_EQ(caller_of({}, "::1"), "root by nobody");
  EXPECT_EQ(caller_of(stale), "root by nobody") << "an old cookie does not matter";
  EXPECT_EQ(caller_of(token), "anna by token");
  EXPECT_EQ(caller_of(bearer("pawl_wrong")), "the token is not known");
  const auto caller = gate_->identify(request_with({}));
  EXPECT_EQ((*caller)->actor.method, ActorMethod::local);
  EXPECT_EQ((*caller)->standing.role, Role::admin);
}

TEST_F(GateTest, without_a_sign_in_nobody_comes_in_over_a_network) {
  use({.sign_in = SignInRule::none});
  const std::string refusal =
      "this service has no sign-in, so it is for programs on its own machine alone";
  EXPECT_EQ(caller_of({}, "192.0.2.7"), refusal);
  EXPECT_EQ(caller_of({}, ""), refusal);
  for (const char* const field :
       {"X-Forwarded-For", "Forwarded", "x-forwarded-host", "X-Real-IP", "Via"}) {
    EXPECT_EQ(caller_of({{field, "127.0.0.1"}}), refusal) << "a reverse proxy has passed it on";
  }
}

}  // namespace
}  // namespace pawl::service
