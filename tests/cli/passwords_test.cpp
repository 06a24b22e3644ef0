#include "text/passwords.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/project/store_place.hpp"
#include "pawl/store/postgres.hpp"

namespace pawl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using text::without_passwords;

/// Addresses as people mistype them. The password is "hunter2", or has it in it.
const std::vector<std::string> mistyped{
    "postgres//me:hunter2@host/db",
    "postgres:/me:hunter2@host/db",
    "postgres:me:hunter2@host/db",
    "postgresql:me:hunter2@host:5432/db",
    "postgresql//me:hunter2@host",
    "postgers://me:hunter2@host/db",
    "Postgres://me:hunter2@host/db",
    "POSTGRES://me:hunter2@host/db",
    "pg://me:hunter2@host/db",
    "mysql://me:hunter2@host/db",
    "http://me:hunter2@host/db",
    "jdbc:postgresql://me:hunter2@host/db",
    "me:hunter2@host/db",
    "me:hunter2@host:5432",
    "//me:hunter2@host/db",
    " postgres://me:hunter2@host/db",
    "'postgres://me:hunter2@host/db'",
    "postgres%3A%2F%2Fme:hunter2@host/db",
    "postgres%3A%2F%2Fme%3Ahunter2@host/db",
    "host=h user=me password=hunter2",
    "host=h password = hunter2 dbname=d",
    "host=h password='hunter2 and more'",
    "password=hunter2",
    "dbname=d PASSWORD=hunter2",
    "db?password=hunter2",
};

/// Those that begin as an address does, so that libpq gets to see them.
const std::vector<std::string> misread{
    "postgres://me:hunter2@x@host:1/db",
    "postgres://me:x@hunter2@host:1/db",
    "postgres://me:x/hunter2@host:1/db",
    "postgres://me:hunter2/x@host:1/db",
    "postgres://me/hunter2@host:1/db",
    "postgres://me:hunter2:host/db",
    "postgres://me:hunter2host:1/db",
    "postgres://me:hunter2%41/db",
    "postgres://me:hunter2]:1/db",
    "postgres://me:hunter2%4@host:1/db",
    "postgres://me:hunter2%00@host:1/db",
    "postgres://host:1/db?password:hunter2",
    "postgres://host:1/db?password=hunter2=x",
    "postgres://host:1/db?schema=x?password=hunter2",
    "postgres://host:1/db?schema=hunter2!",
    "postgres://host:1/db?hunter2",
    "postgres://host:1/db?sslmode=x&y=1&password=hunter2",
    "postgres://host:1/db password=hunter2",
    "postgres://host password=hunter2/db",
    "postgresql://me:hunter2@[::1/db",
    "postgresql://me:hunter2@[::1]x/db",
};

TEST(Passwords, are_hidden_in_whatever_quotes_an_address) {
  for (const std::vector<std::string>* const all : {&mistyped, &misread}) {
    for (const std::string& address : *all) {
      for (const std::string& text : {address, "no file '" + address + "'",
                                      "not expected: --stroe " + address + "\nsee help"}) {
        // What has no sign of a password is not known to be one.
        const bool is_known = address.contains('@') || address.contains("password");
        if (is_known) {
          EXPECT_THAT(without_passwords(text), Not(HasSubstr("hunter2")));
        }
      }
    }
  }
  EXPECT_EQ(without_passwords("postgres://me:hunter2@host:5432/db"),
            "postgres://me:***@host:5432/db");
  EXPECT_EQ(without_passwords("host=h password=hunter2 user=me"), "host=h password=*** user=me");
}

TEST(Passwords, leave_other_messages_alone) {
  for (const std::string text :
       {"cannot connect to PostgreSQL at 127.0.0.1:5432/db: connection refused",
        "password authentication failed for user \"me\"",
        "write postgres://user@host:port/database", "postgres://host:5432/db",
        "name a file, or postgres://user@host:port/database", "no item 'a:b'",
        "no item 'user:bob@example.com'", "at 12:30 the job ended",
        "no store at /srv/postgres/pawl.db", "https://example.com:8080/x", ""}) {
    EXPECT_EQ(without_passwords(text), text);
  }
}

TEST(Passwords, of_a_mistyped_store_are_not_repeated_and_no_file_is_named_after_it) {
  for (const std::string& address : mistyped) {
    const Result<StorePlace> place = read_store_place(address);
    ASSERT_FALSE(place.has_value()) << address;
    EXPECT_THAT(place.error().text(), Not(HasSubstr("hunter2"))) << address;
    EXPECT_THAT(place.error().text(), HasSubstr("postgres://user@host:port/database"));
  }
}

TEST(Passwords, of_an_address_that_libpq_misreads_are_not_repeated) {
  for (const std::string& address : misread) {
    const auto store = open_postgres_store({.url = address});
    ASSERT_FALSE(store.has_value()) << address;
    EXPECT_EQ(store.error().code, ErrorCode::invalid) << store.error().text();
    EXPECT_THAT(store.error().text(), Not(HasSubstr("hunter2"))) << address;
  }
}

TEST(StorePlace, is_a_file_where_nothing_looks_like_an_address) {
  for (const std::string file :
       {"pawl.db", "/srv/postgres/pawl.db", "a@b/pawl.db", "with space.db",
        "/home/passwords/pawl.db", "postgres.db", "x=1/pawl.db", "/data/user=bob/pawl.db"}) {
    EXPECT_TRUE(read_store_place(file).has_value()) << file;
  }
}

}  // namespace
}  // namespace pawl::cli
