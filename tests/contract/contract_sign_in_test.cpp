/// How people, workers and agents prove who they are: tokens and sessions.

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Tokens : public PeopleContract {
 protected:
  Status change(const PeopleChange& wanted) { return people().change(wanted, local_user("root")); }
  static TokenRecord token_for(std::string name, const Secret& secret = make_secret()) {
    return {.sha256 = secret.sha256, .name = std::move(name), .worker_kinds = {}};
  }
  void expect_invalid(const TokenRecord& token, std::string_view part) {
    expect_refusal(change(CreateToken{token}), ErrorCode::invalid, part);
  }
  /// The one token that there is.
  TokenRecord only_token() {
    const std::vector<TokenRecord> all = *people().tokens();
    EXPECT_THAT(all, SizeIs(1));
    return all.empty() ? TokenRecord{} : all.front();
  }
};

class Sessions : public Tokens {
 protected:
  SessionRecord session_of(std::string name, Duration length = 1h) {
    return {.sha256 = make_secret().sha256,
            .person = std::move(name),
            .expires_at = drive.clock().now() + length};
  }
  Status open(const SessionRecord& session, const Actor& actor) {
    return people().change(OpenSession{session}, actor);
  }
  Status close(const SessionRecord& session, const Actor& actor) {
    return people().change(CloseSession{session.sha256}, actor);
  }
  bool is_open(const SessionRecord& session) {
    return people().session(session.sha256).has_value();
  }
};

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, Tokens, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Sessions, kinds, name_of_kind);

TEST(Secrets, are_long_different_and_known_by_their_digest) {
  const Secret one = make_secret();
  const Secret other = make_secret();
  EXPECT_THAT(one.text, testing::MatchesRegex("pawl_[0-9a-f]{64}"));
  EXPECT_EQ(one.sha256, sha256_hex(one.text));
  EXPECT_NE(one.text, other.text);
}

TEST_P(Tokens, are_found_by_the_digest_of_their_secret_alone) {
  add("anna");
  const Secret secret = make_secret();
  TokenRecord wanted = token_for("anna", secret);
  wanted.role = Role::reviewer;
  wanted.note = "phone";
  wanted.expires_at = drive.clock().now() + 24h;
  wanted.number = 77;
  wanted.used_at = drive.clock().now();
  wanted.revoked_at = drive.clock().now();
  ASSERT_TRUE(change(CreateToken{wanted}));
  TokenRecord expected = wanted;
  expected.number = 1;
  expected.created_at = drive.clock().now();
  expected.used_at = no_time;
  expected.revoked_at = no_time;
  EXPECT_EQ(*people().token(secret.sha256), expected) << "the store sets what only it knows";
  EXPECT_THAT(*people().tokens(), ElementsAre(expected));
  for (const std::string& wrong : {secret.text, std::string(), std::string("\xff")}) {
    EXPECT_EQ(people().token(wrong).error().code, ErrorCode::not_found);
  }
}

TEST_P(Tokens, are_good_until_they_expire_or_are_revoked) {
  add("anna");
  TokenRecord wanted = token_for("anna");
  const Timestamp expires_at = drive.clock().now() + 24h;
  wanted.expires_at = expires_at;
  ASSERT_TRUE(change(CreateToken{wanted}));
  EXPECT_TRUE(only_token().is_good(expires_at - 1us));
  EXPECT_FALSE(only_token().is_good(expires_at));
  drive.clock().advance(1h);
  ASSERT_TRUE(change(RevokeToken{1}));
  EXPECT_EQ(only_token().revoked_at, drive.clock().now());
  EXPECT_FALSE(only_token().is_good(drive.clock().now()));
  EXPECT_TRUE(people().token(wanted.sha256)) << "a revoked token stays on record";
  expect_refusal(change(RevokeToken{1}), ErrorCode::conflict, "token 1 has been revoked already");
  expect_refusal(change(RevokeToken{2}), ErrorCode::not_found, "no token 2");
}

TEST_P(Tokens, are_numbered_in_order_and_the_numbers_are_not_used_again) {
  add("anna");
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(change(CreateToken{token_for("anna")}));
  ASSERT_TRUE(change(RevokeToken{3}));
  ASSERT_TRUE(change(CreateToken{token_for("anna")}));
  std::vector<std::int64_t> numbers_found;
  const std::vector<TokenRecord> all = *people().tokens();
  for (const TokenRecord& token : all) numbers_found.push_back(token.number);
  EXPECT_THAT(numbers_found, ElementsAre(1, 2, 3, 4));
}

TEST_P(Tokens, of_workers_and_agents_need_no_person_and_only_workers_name_kinds_of_stages) {
  TokenRecord worker = token_for("w1");
  worker.kind = ActorKind::worker;
  worker.role = Role::operate;
  worker.worker_kinds = {"fts", "ocr\xff"};
  ASSERT_TRUE(change(CreateToken{worker}));
  EXPECT_THAT(only_token().worker_kinds, ElementsAre("fts", "ocr\xEF\xBF\xBD"));
  EXPECT_EQ(only_token().kind, ActorKind::worker);

  TokenRecord helper = token_for("claude");
  helper.kind = ActorKind::agent;
  ASSERT_TRUE(change(CreateToken{helper}));
  EXPECT_EQ(people().token(helper.sha256)->kind, ActorKind::agent);
  helper = token_for("claude");
  helper.kind = ActorKind::agent;
  helper.worker_kinds = {"fts"};
  expect_invalid(helper, "only the token of a worker names kinds of stages");
  EXPECT_THAT(*people().tokens(), SizeIs(2));
}

TEST_P(Tokens, must_be_well_formed) {
  add("anna");
  TokenRecord bad = token_for("anna");
  bad.kind = ActorKind::engine;
  expect_invalid(bad, "a token is for a person, a worker or an agent");
  for (const std::string& digest :
       {std::string("pawl_secret"), std::string(), std::string(64, 'x'), std::string("\xff")}) {
    bad = token_for("anna");
    bad.sha256 = digest;
    expect_invalid(bad, "stored as the SHA-256 of its secret");
  }
  bad = token_for("anna");
  bad.expires_at = drive.clock().now();
  expect_invalid(bad, "must not have expired");
  bad = token_for("w 1");
  bad.kind = ActorKind::worker;
  expect_invalid(bad, "'w 1' cannot be the name of a worker");
  expect_refusal(change(CreateToken{token_for("ben")}), ErrorCode::not_found, "no person 'ben'");
  EXPECT_THAT(*people().tokens(), IsEmpty());

  const TokenRecord good = token_for("anna");
  ASSERT_TRUE(change(CreateToken{good}));
  expect_refusal(change(CreateToken{good}), ErrorCode::conflict,
                 "there is a token with this secret already");
}

TEST_P(Tokens, of_a_removed_person_are_revoked_and_stay_so_when_the_person_comes_back) {
  add("anna");
  add("ben");
  TokenRecord of_agent = token_for("anna");
  of_agent.kind = ActorKind::agent;
  for (const TokenRecord& token : {token_for("anna"), token_for("ben"), of_agent}) {
    ASSERT_TRUE(change(CreateToken{token}));
  }
  drive.clock().advance(1h);
  ASSERT_TRUE(change(RemovePerson{"anna"}));
  add("anna");
  const std::vector<TokenRecord> all = *people().tokens();
  EXPECT_EQ(all[0].revoked_at, drive.clock().now());
  EXPECT_EQ(all[1].revoked_at, no_time);
  EXPECT_EQ(all[2].revoked_at, no_time) << "an agent of that name is somebody else";
}

TEST_P(Tokens, note_their_last_use_once_a_minute_and_not_in_the_audit_trail) {
  add("anna");
  ASSERT_TRUE(change(CreateToken{token_for("anna")}));
  const std::int64_t entries = trail().back().number;
  const Timestamp first_use = drive.clock().now();
  ASSERT_TRUE(people().note_use(1));
  EXPECT_EQ(only_token().used_at, first_use);
  const std::uint64_t mark = drive.store().change_mark();
  drive.clock().advance(60s - 1us);
  ASSERT_TRUE(people().note_use(1));
  EXPECT_EQ(only_token().used_at, first_use);
  EXPECT_EQ(drive.store().change_mark(), mark) << "nothing was written";
  drive.clock().advance(1us);
  ASSERT_TRUE(people().note_use(1));
  EXPECT_EQ(only_token().used_at, first_use + 60s);
  EXPECT_EQ(trail().back().number, entries);
  expect_refusal(people().note_use(2), ErrorCode::not_found, "no token 2");
}

TEST_P(Sessions, are_opened_and_closed_by_the_person_they_are_for) {
  add("vera", Role::viewer);
  SessionRecord session = session_of("vera");
  session.at_most = Role::reviewer;
  ASSERT_TRUE(open(session, person("vera")));
  session.created_at = drive.clock().now();
  EXPECT_EQ(*people().session(session.sha256), session);
  ASSERT_TRUE(close(session, person("vera")));
  EXPECT_FALSE(is_open(session));
  EXPECT_EQ(people().session("\xff").error().code, ErrorCode::not_found);
}

TEST_P(Sessions, of_others_are_the_business_of_those_who_manage_people) {
  add("vera", Role::viewer);
  add("olga", Role::operate);
  add("adam", Role::admin);
  const SessionRecord session = session_of("vera");
  expect_refusal(open(session, person("olga")), ErrorCode::forbidden, "may not manage people");
  ASSERT_TRUE(open(session, person("adam")));
  const std::int64_t before = trail().back().number;
  expect_refusal(close(session, person("olga")), ErrorCode::forbidden, "may not manage people");
  EXPECT_TRUE(is_open(session));
  EXPECT_THAT(trail({.after = before}), IsEmpty());
  ASSERT_TRUE(close(session, person("adam")));
  EXPECT_FALSE(is_open(session));
}

TEST_P(Sessions, are_for_people_and_not_for_programs_of_the_same_name) {
  add("vera", Role::admin);
  const SessionRecord session = session_of("vera");
  for (const Actor& actor : {agent("vera"), worker_program("vera")}) {
    expect_refusal(open(session, actor), ErrorCode::forbidden, "may not manage people");
  }
  EXPECT_FALSE(is_open(session));
  ASSERT_TRUE(open(session, person("vera")));
  for (const Actor& actor : {agent("vera"), worker_program("vera")}) {
    expect_refusal(close(session, actor), ErrorCode::forbidden, "may not manage people");
  }
  EXPECT_TRUE(is_open(session));
}

TEST_P(Sessions, allow_no_more_than_the_token_that_opened_them) {
  add("vera", Role::admin);
  Actor limited = person("vera");
  limited.at_most = Role::reviewer;
  SessionRecord session = session_of("vera");
  expect_refusal(open(session, limited), ErrorCode::forbidden,
                 "a session allows no more than the token that opens it");
  EXPECT_FALSE(is_open(session));
  session.at_most = Role::reviewer;
  ASSERT_TRUE(open(session, limited));
}

TEST_P(Sessions, must_be_well_formed) {
  add("vera");
  SessionRecord bad = session_of("vera");
  bad.sha256 = "cookie";
  expect_refusal(open(bad, person("vera")), ErrorCode::invalid, "SHA-256 of its secret");
  bad = session_of("vera", Duration{0});
  expect_refusal(open(bad, person("vera")), ErrorCode::invalid, "a session must end later");
  for (const std::string& nobody : {std::string("ben"), std::string("\xff")}) {
    expect_refusal(open(session_of(nobody), local_user("root")), ErrorCode::not_found, "no person");
  }
  const SessionRecord good = session_of("vera");
  ASSERT_TRUE(open(good, person("vera")));
  expect_refusal(open(good, person("vera")), ErrorCode::conflict,
                 "there is a session with this secret already");
  expect_refusal(close(session_of("vera"), person("vera")), ErrorCode::not_found,
                 "no such session");
  expect_refusal(close({.sha256 = "\xff"}, local_user("root")), ErrorCode::not_found,
                 "no such session");
}

TEST_P(Sessions, end_when_their_person_is_removed) {
  add("vera");
  add("ben");
  const SessionRecord one = session_of("vera");
  const SessionRecord two = session_of("vera");
  const SessionRecord bens = session_of("ben");
  ASSERT_TRUE(open(one, person("vera")));
  ASSERT_TRUE(open(two, person("vera")));
  ASSERT_TRUE(open(bens, person("ben")));
  ASSERT_TRUE(change(RemovePerson{"vera"}));
  EXPECT_FALSE(is_open(one));
  EXPECT_FALSE(is_open(two));
  EXPECT_TRUE(is_open(bens));
}

TEST_P(Sessions, end_when_a_token_of_their_person_is_revoked) {
  add("vera");
  add("ben");
  TokenRecord of_agent = token_for("ben");
  of_agent.kind = ActorKind::agent;
  ASSERT_TRUE(change(CreateToken{token_for("vera")}));
  ASSERT_TRUE(change(CreateToken{of_agent}));
  const SessionRecord veras = session_of("vera");
  const SessionRecord bens = session_of("ben");
  ASSERT_TRUE(open(veras, person("vera")));
  ASSERT_TRUE(open(bens, person("ben")));
  ASSERT_TRUE(change(RevokeToken{1}));
  ASSERT_TRUE(change(RevokeToken{2}));
  EXPECT_FALSE(is_open(veras)) << "it may have been opened with the token";
  EXPECT_TRUE(is_open(bens)) << "an agent of that name is somebody else";
}

TEST_P(Sessions, that_have_expired_are_forgotten_when_another_opens) {
  add("vera");
  const SessionRecord shorter = session_of("vera", 1h);
  const SessionRecord longer = session_of("vera", 2h);
  ASSERT_TRUE(open(shorter, person("vera")));
  ASSERT_TRUE(open(longer, person("vera")));
  drive.clock().advance(1h);
  EXPECT_EQ(people().session(shorter.sha256)->expires_at, drive.clock().now())
      << "whoever reads it compares the time";
  ASSERT_TRUE(open(session_of("vera"), person("vera")));
  EXPECT_FALSE(is_open(shorter));
  EXPECT_TRUE(is_open(longer));
}

}  // namespace
}  // namespace pawl::driving
