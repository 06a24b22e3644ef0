#include "service/access/sign_in.hpp"

#include <array>
#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "pawl/codec/digest.hpp"
#include "service/access_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class SignInTest : public AccessTest {
 protected:
  Result<SignedIn> with_code(const std::string& code) {
    return sign_in_.with_code(code, "192.0.2.7");
  }
  Result<SignedIn> with_token(const std::string& token) {
    return sign_in_.with_token(token, "192.0.2.7");
  }
  Result<Session> session_of(const SignedIn& signed_in) {
    return sign_in_.session(sha256_hex(signed_in.cookie));
  }
  static void expect_forbidden(const auto& result, const std::string& part) {
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code, ErrorCode::forbidden);
    EXPECT_THAT(result.error().message, HasSubstr(part));
  }

  SignIn sign_in_{store_, 12h};
};

TEST_F(SignInTest, a_code_opens_a_session_of_its_person) {
  add_person("anna", Role::operate);
  const std::string code = sign_in_.make_code("anna");
  EXPECT_THAT(code, MatchesRegex("[0-9a-f]{64}"));
  const Result<SignedIn> opened = with_code(code);
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(opened->actor.name, "anna");
  EXPECT_EQ(opened->actor.method, ActorMethod::session);
  EXPECT_EQ(opened->expires_at, clock_.now() + 12h);
  const Result<Session> session = session_of(*opened);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->actor.name, "anna");
  EXPECT_EQ(store_.people().standing(session->actor)->role, Role::operate);
  EXPECT_THAT(trail(), ElementsAre("anna session.open person anna"));
}

TEST_F(SignInTest, a_code_works_once) {
  add_person("anna");
  const std::string code = sign_in_.make_code("anna");
  EXPECT_TRUE(with_code(code));
  expect_forbidden(with_code(code), "was used already");
}

TEST_F(SignInTest, a_code_works_once_even_if_many_use_it_at_the_same_time) {
  add_person("anna");
  for (int round = 0; round < 20; ++round) {
    const std::string code = sign_in_.make_code("anna");
    std::atomic<int> opened = 0;
    {
      std::array<std::jthread, 4> racers;
      for (std::jthread& racer : racers) {
        racer = std::jthread([&] { opened += with_code(code) ? 1 : 0; });
      }
    }
    EXPECT_EQ(opened, 1);
  }
}

TEST_F(SignInTest, a_code_is_good_for_ten_minutes_of_the_stores_clock) {
  add_person("anna");
  const std::string in_time = sign_in_.make_code("anna");
  const std::string too_late = sign_in_.make_code("anna");
  clock_.advance(10min - 1us);
  EXPECT_TRUE(with_code(in_time));
  clock_.advance(1us);
  expect_forbidden(with_code(too_late), "too old");
}

TEST_F(SignInTest, what_is_not_a_code_opens_nothing) {
  add_person("anna");
  const std::string code = sign_in_.make_code("anna");
  for (const std::string& wrong :
       {std::string(), code.substr(1), code + "0", std::string(64, '0'), sha256_hex(code),
        std::string("\0\xff", 2), std::string(1'000'000, 'a'), "pawl_" + code}) {
    expect_forbidden(with_code(wrong), "the code is wrong");
  }
  EXPECT_TRUE(with_code(code)) << "wrong ones change nothing";
}

TEST_F(SignInTest, only_the_newest_codes_are_kept) {
  add_person("anna");
  const std::string oldest = sign_in_.make_code("anna");
  clock_.advance(1s);
  std::vector<std::string> codes;
  for (std::size_t i = 0; i < SignIn::codes_max; ++i) codes.push_back(sign_in_.make_code("anna"));
  EXPECT_FALSE(with_code(oldest));
  for (const std::string& code : codes) EXPECT_TRUE(with_code(code));
}

TEST_F(SignInTest, a_code_survives_a_store_that_does_not_answer) {
  add_person("anna");
  const std::string code = sign_in_.make_code("anna");
  store_.people().is_out_of_reach = true;
  EXPECT_EQ(with_code(code).error().code, ErrorCode::unavailable);
  store_.people().is_out_of_reach = false;
  EXPECT_TRUE(with_code(code));
  EXPECT_FALSE(with_code(code));
}

TEST_F(SignInTest,
       in_a_store_without_people_the_code_signs_in_the_local_user_who_may_do_everything) {
  const Result<SignedIn> opened = with_code(sign_in_.make_code("root"));
  ASSERT_TRUE(opened) << opened.error().text();
  const Result<Session> session = session_of(*opened);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->actor, (Actor{.name = "root", .method = ActorMethod::local}));
  EXPECT_EQ(opened->actor.method, ActorMethod::local);
  const Standing standing = *store_.people().standing(session->actor);
  EXPECT_EQ(standing.role, Role::admin);
  EXPECT_TRUE(may(standing, Right::manage_people));
}

TEST_F(SignInTest, the_local_user_who_adds_the_first_person_is_not_locked_out) {
  const Result<SignedIn> opened = with_code(sign_in_.make_code("root"));
  ASSERT_TRUE(opened);
  add_person("anna", Role::viewer);
  EXPECT_TRUE(may(*store_.people().standing(session_of(*opened)->actor), Right::manage_people));
}

TEST_F(SignInTest, the_session_of_the_local_user_ends_like_others) {
  const Result<SignedIn> first = with_code(sign_in_.make_code("root"));
  const Result<SignedIn> second = with_code(sign_in_.make_code("root"));
  EXPECT_TRUE(sign_in_.sign_out(sha256_hex(first->cookie), first->actor));
  expect_forbidden(session_of(*first), "the session has ended");
  EXPECT_TRUE(session_of(*second));
  clock_.advance(12h);
  expect_forbidden(session_of(*second), "the session has ended");
}

TEST_F(SignInTest, a_code_does_not_sign_in_a_stranger_where_there_are_people) {
  const std::string code = sign_in_.make_code("root");
  add_person("anna");
  const Result<SignedIn> refused = with_code(code);
  expect_forbidden(refused, "'root' is not among the people of this store");
  EXPECT_THAT(refused.error().help, HasSubstr("pawl user add root"));
  EXPECT_THAT(trail(), IsEmpty());
}

TEST_F(SignInTest, a_token_opens_a_session_with_at_most_its_role) {
  add_person("anna", Role::admin);
  const Result<SignedIn> opened = with_token(token_of("anna", Role::viewer));
  ASSERT_TRUE(opened) << opened.error().text();
  EXPECT_EQ(store_.people().standing(opened->actor)->role, Role::viewer);
  EXPECT_EQ(store_.people().standing(session_of(*opened)->actor)->role, Role::viewer);
  EXPECT_THAT(trail(), ElementsAre("anna session.open person anna"));
  EXPECT_NE(store_.people().tokens()->front().used_at, no_time);
}

TEST_F(SignInTest, a_session_lasts_no_longer_than_the_token_that_opened_it) {
  add_person("anna");
  const Result<SignedIn> opened = with_token(token_of("anna", Role::viewer, ActorKind::person, 1h));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->expires_at, clock_.now() + 1h);
  clock_.advance(1h);
  expect_forbidden(session_of(*opened), "the session has ended");
}

TEST_F(SignInTest, a_token_that_is_not_good_opens_nothing) {
  add_person("anna");
  const std::string revoked = token_of("anna");
  revoke(1);
  const std::string expired = token_of("anna", Role::viewer, ActorKind::person, 1h);
  clock_.advance(1h);
  expect_forbidden(with_token(revoked), "token 1 was revoked");
  expect_forbidden(with_token(expired), "token 2 expired at 2023-11-14T23:13:20Z");
  expect_forbidden(with_token(make_secret().text), "not known");
  expect_forbidden(with_token(""), "not known");
  expect_forbidden(with_token(std::string("\xff\0", 2)), "not known");
  const std::string worker = token_of("w1", Role::admin, ActorKind::worker);
  const std::string agent = token_of("a1", Role::admin, ActorKind::agent);
  expect_forbidden(with_token(worker), "not a person's");
  expect_forbidden(with_token(agent), "not a person's");
  EXPECT_THAT(trail(), IsEmpty());
}

TEST_F(SignInTest, each_session_has_a_secret_of_its_own_and_the_store_has_only_its_digest) {
  add_person("anna");
  const std::string token = token_of("anna");
  const Result<SignedIn> first = with_token(token);
  const Result<SignedIn> second = with_token(token);
  EXPECT_NE(first->cookie, second->cookie);
  EXPECT_NE(first->cookie, token);
  EXPECT_TRUE(store_.people().session(sha256_hex(first->cookie)));
  EXPECT_FALSE(store_.people().session(first->cookie));
  EXPECT_FALSE(sign_in_.session(first->cookie));
}

TEST_F(SignInTest, signing_out_ends_one_session_and_can_be_repeated) {
  add_person("anna");
  const Result<SignedIn> here = with_token(token_of("anna"));
  const Result<SignedIn> there = with_token(token_of("anna"));
  EXPECT_TRUE(sign_in_.sign_out(sha256_hex(here->cookie), here->actor));
  EXPECT_TRUE(sign_in_.sign_out(sha256_hex(here->cookie), here->actor));
  expect_forbidden(session_of(*here), "the session has ended");
  EXPECT_TRUE(session_of(*there));
  EXPECT_THAT(trail(), ElementsAre("anna session.open person anna", "anna session.open person anna",
                                   "anna session.close person anna"));
}

TEST_F(SignInTest, nobody_ends_the_session_of_another) {
  add_person("anna");
  add_person("ben");
  const Result<SignedIn> anna = with_token(token_of("anna"));
  const Result<SignedIn> ben = with_token(token_of("ben"));
  expect_forbidden(sign_in_.sign_out(sha256_hex(anna->cookie), ben->actor), "ben");
  EXPECT_TRUE(session_of(*anna));
}

TEST_F(SignInTest, a_person_who_is_removed_has_no_session_any_more) {
  add_person("anna");
  add_person("ben");
  const Result<SignedIn> opened = with_token(token_of("anna"));
  ASSERT_TRUE(store_.people().change(RemovePerson{.name = "anna"}, root()));
  expect_forbidden(session_of(*opened), "the session has ended");
}

TEST_F(SignInTest, a_token_that_is_revoked_takes_the_sessions_of_its_person_with_it) {
  add_person("anna");
  const Result<SignedIn> opened = with_token(token_of("anna"));
  revoke(1);
  expect_forbidden(session_of(*opened), "the session has ended");
}

TEST_F(SignInTest, a_store_that_does_not_answer_is_no_reason_to_sign_out) {
  add_person("anna");
  const Result<SignedIn> opened = with_token(token_of("anna"));
  store_.people().is_out_of_reach = true;
  EXPECT_EQ(session_of(*opened).error().code, ErrorCode::unavailable);
  EXPECT_EQ(with_token("pawl_x").error().code, ErrorCode::unavailable);
}

std::optional<std::string> cookie_in(const SessionCookie& cookie,
                                     const std::vector<std::string>& fields) {
  Request request;
  for (const std::string& field : fields) request.headers.add("Cookie", field);
  const auto found = cookie.of(request);
  EXPECT_TRUE(found.has_value());
  return found.value_or(std::nullopt);
}

TEST(SessionCookie, is_for_this_site_alone_and_not_for_scripts) {
  EXPECT_EQ(SessionCookie().set("secret", 90s),
            "pawl_session=secret; Path=/; HttpOnly; SameSite=Strict; Max-Age=90");
  EXPECT_EQ(SessionCookie("https://pawl.example/flows").set("secret", 1h),
            "__Host-pawl_session=secret; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=3600");
  EXPECT_EQ(SessionCookie("http://pawl.example/flows").set("secret", -1h),
            "pawl_session=secret; Path=/flows; HttpOnly; SameSite=Strict; Max-Age=0");
  EXPECT_EQ(SessionCookie().expired(),
            "pawl_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
}

TEST(SessionCookie, is_found_among_others) {
  const SessionCookie cookie;
  EXPECT_EQ(cookie_in(cookie, {}), std::nullopt);
  EXPECT_EQ(cookie_in(cookie, {"a=b; pawl_session=x; c=d"}), "x");
  EXPECT_EQ(cookie_in(cookie, {"a=b;pawl_session=x=y;"}), "x=y");
  EXPECT_EQ(cookie_in(cookie, {"a=b", "pawl_session=x"}), "x");
  EXPECT_EQ(cookie_in(cookie, {"pawl_session=x; pawl_session=x"}), "x");
  for (const char* const none : {"", ";", "=", "pawl_session", "pawl_session=", "xpawl_session=x",
                                 "PAWL_SESSION=x", "__Host-pawl_session=x", "a=pawl_session=x"}) {
    EXPECT_EQ(cookie_in(cookie, {none}), std::nullopt) << none;
  }
}

TEST(SessionCookie, of_an_https_site_is_not_the_one_that_another_host_can_set) {
  const SessionCookie cookie("https://pawl.example");
  EXPECT_EQ(cookie_in(cookie, {"pawl_session=x"}), std::nullopt);
  EXPECT_EQ(cookie_in(cookie, {"__Host-pawl_session=x"}), "x");
}

TEST(SessionCookie, is_refused_if_there_are_two) {
  Request request;
  request.headers.add("Cookie", "pawl_session=x; pawl_session=y");
  const auto found = SessionCookie().of(request);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, ErrorCode::forbidden);
}

}  // namespace
}  // namespace pawl::service
