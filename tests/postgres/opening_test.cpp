/// Opening a store: who may, what is refused, and several at once.

#include <thread>

#include <gmock/gmock.h>

#include "postgres/fixture.hpp"

namespace pawl {
namespace {

using testing::HasSubstr;

Error refusal_of(const PostgresOptions& options) {
  const auto store = open_postgres_store(options);
  EXPECT_FALSE(store);
  return store ? Error{} : store.error();
}

// Bad input: the error names the thing, the place and the remedy, and changes nothing.
TEST(PostgresOpening, says_what_is_wrong_with_an_address) {
  EXPECT_EQ(refusal_of({.url = "mysql://x"}).code, ErrorCode::invalid);
  const Error unknown = refusal_of({.url = "postgres://h/d?colour=red"});
  EXPECT_EQ(unknown.code, ErrorCode::invalid);
  EXPECT_THAT(unknown.message, HasSubstr("colour"));
  const Error schema = refusal_of({.url = "postgres://h/d?schema=A-b"});
  EXPECT_EQ(schema.code, ErrorCode::invalid);
  EXPECT_THAT(schema.message, HasSubstr("A-b"));
}

// Found by fuzz/postgres_address.cpp: libpq quotes the address or a part of it.
TEST(PostgresOpening, an_address_that_is_wrong_is_refused_without_its_password) {
  for (const std::string rest :
       {"me:secret%00@h/d", "me:secret%zz@h/d", "me:secret@[::1/d", "me:secret@[::1]x/d",
        "me:secret@[]/d", "me:secret@h:%zz/d", "me:secret@[::1]query parameter: x/d"}) {
    const Error wrong = refusal_of({.url = "postgres://" + rest});
    EXPECT_EQ(wrong.code, ErrorCode::invalid) << rest;
    EXPECT_THAT(wrong.message, HasSubstr("the address of the store is wrong: ")) << rest;
    EXPECT_THAT(wrong.text(), testing::Not(HasSubstr("secret")));
  }
  const Error cut = refusal_of({.url = std::string("postgres://h/d\0?schema=x", 24)});
  EXPECT_EQ(cut.code, ErrorCode::invalid) << "libpq would see half of it";
}

TEST(PostgresOpening, a_server_that_is_not_there_is_unavailable_and_the_password_is_not_told) {
  const Error nobody = refusal_of({.url = "postgres://me:secret@127.0.0.1:1/d"});
  EXPECT_EQ(nobody.code, ErrorCode::unavailable);
  EXPECT_THAT(nobody.text(), HasSubstr("127.0.0.1:1/d"));
  EXPECT_THAT(nobody.text(), testing::Not(HasSubstr("secret")));
}

TEST(PostgresOpening, a_user_or_database_that_is_not_there_is_told_in_the_words_of_the_server) {
  const PostgresPlace place;
  std::string other_user = place.url();
  other_user.insert(other_user.find("://") + 3, "not_");
  const Error nobody = refusal_of({.url = other_user});
  EXPECT_EQ(nobody.code, ErrorCode::unavailable);
  EXPECT_THAT(nobody.text(), HasSubstr("role \"not_"));
  std::string other_database = place.url();
  other_database.insert(other_database.find('?'), "_missing");
  const Error nowhere = refusal_of({.url = other_database});
  EXPECT_EQ(nowhere.code, ErrorCode::unavailable);
  EXPECT_THAT(nowhere.text(), HasSubstr("_missing\" does not exist"));
}

TEST(PostgresOpening, where_there_is_no_store_none_is_made_unasked) {
  const PostgresPlace place;
  EXPECT_EQ(refusal_of({.url = place.url(), .create = false}).code, ErrorCode::not_found);
  EXPECT_EQ(
      place.execute("SELECT count(*) FROM pg_namespace WHERE nspname = '" + place.schema() + "'"),
      "0");
}

TEST(PostgresOpening, tables_of_another_program_are_left_alone) {
  const PostgresPlace place;
  place.execute("CREATE SCHEMA " + place.schema() + "; CREATE TABLE " + place.schema() +
                ".invoices (id int)");
  const Error refused = refusal_of({.url = place.url()});
  EXPECT_EQ(refused.code, ErrorCode::refused);
  EXPECT_THAT(refused.text(), HasSubstr("another program"));
  EXPECT_EQ(
      place.execute("SELECT count(*) FROM pg_tables WHERE schemaname = '" + place.schema() + "'"),
      "1");
}

TEST(PostgresOpening, a_newer_schema_is_refused_with_both_versions) {
  const PostgresPlace place;
  (void)must_open({.url = place.url()});
  place.execute("UPDATE counters SET value = 99 WHERE name = 'schema'");
  const Error refused = refusal_of({.url = place.url()});
  EXPECT_EQ(refused.code, ErrorCode::refused);
  EXPECT_THAT(refused.text(), HasSubstr("newer pawl (schema 99"));
}

TEST(PostgresOpening, any_number_of_processes_may_make_the_schema_at_once) {
  const PostgresPlace place;
  std::vector<std::jthread> threads;
  std::atomic<int> opened = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      const auto store = open_postgres_store({.url = place.url()});
      EXPECT_TRUE(store) << (store ? "" : store.error().text());
      if (store && (*store)->enlist({.host = "h"})) ++opened;
    });
  }
  threads.clear();
  EXPECT_EQ(opened, 8);
  EXPECT_EQ(place.execute("SELECT count(DISTINCT id) FROM workers"), "8");
}

/// docs/guide/postgres.md, Rights: a worker needs no right to create tables.
TEST(PostgresOpening, a_role_with_the_rights_of_the_guide_can_do_everything) {
  const PostgresPlace place;
  (void)must_open({.url = place.url()});
  const std::string role = place.schema() + "_worker";
  place.execute("CREATE ROLE " + role + " LOGIN; GRANT USAGE ON SCHEMA " + place.schema() + " TO " +
                role + "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA " +
                place.schema() + " TO " + role + "; REVOKE UPDATE, DELETE ON " + place.schema() +
                ".audit FROM " + role);
  std::string url = place.url();
  const std::size_t begin = url.find("://") + 3;
  url.replace(begin, url.find('@') - begin, role);
  {
    const auto store = must_open({.url = url});
    const Workflow flow = driving::workflow("w", {driving::stage("only")});
    const std::vector<NewItem> items{{.key = "a"}};
    const WorkerId worker = *store->enlist({.host = "h"});
    ASSERT_TRUE(store->submit({.workflow = flow}, {.items = items, .close = true}));
    EXPECT_EQ(store->claim(everything(*store, worker))->opened.size(), 1U);
    EXPECT_TRUE(store->keep_payload("some bytes"));
    EXPECT_TRUE(store->retire(worker));
  }
  // Without them, the error says which are missing.
  place.execute("REVOKE INSERT ON ALL TABLES IN SCHEMA " + place.schema() + " FROM " + role);
  const auto store = must_open({.url = url});
  const auto refused = store->enlist({.host = "h"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable) << "they may be granted again";
  EXPECT_THAT(refused.error().text(), HasSubstr("grant"));
  place.execute("DROP OWNED BY " + role + "; DROP ROLE " + role);
}

}  // namespace
}  // namespace pawl
