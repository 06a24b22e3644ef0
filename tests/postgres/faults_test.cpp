/// What the server's errors mean for a store: only their SQLSTATE counts, whatever the language of
/// their text.

#include "postgres/faults.hpp"

#include <gmock/gmock.h>

namespace pawl::postgres {
namespace {

using testing::HasSubstr;

const Address address{.conninfo = "", .schema = "pawl", .shown = "db:5432/pawl"};

DbError answered(const std::string& state) {
  return {DbError::Kind::answered, state, "etwas ging schief"};
}

TEST(PostgresFaults, what_may_be_mended_on_the_server_is_unavailable_to_an_open_store) {
  for (const char* const state : {
           "25006",                             // read-only: a standby
           "25P02", "40001", "40P01",           // transactions
           "28000", "28P01", "42501", "3D000",  // rights
           "42P01", "3F000",                    // a schema without USAGE looks like a missing one
           "53000", "53100", "53200", "53300", "53400",  // resources
           "55000", "55006", "55P03", "57014",           // locks and cancelled statements
           "58030", "XX000", "22012", "0A000", "42883", "", "99999",
       }) {
    EXPECT_EQ(error_of(answered(state), address).code, ErrorCode::unavailable) << state;
  }
}

TEST(PostgresFaults, what_this_statement_holds_is_refused_or_invalid) {
  EXPECT_EQ(error_of(answered("22021"), address).code, ErrorCode::invalid);
  EXPECT_EQ(error_of(answered("22P05"), address).code, ErrorCode::invalid);
  for (const char* const state : {"22001", "22003", "22P02"}) {
    EXPECT_EQ(error_of(answered(state), address).code, ErrorCode::refused) << state;
  }
  EXPECT_EQ(error_of(answered("54000"), address).code, ErrorCode::invalid)
      << "a row that is too long for its index";
}

TEST(PostgresFaults, what_the_tables_hold_is_corrupt) {
  for (const char* const state : {"23502", "23503", "23505", "23514", "42703", "XX001", "XX002"}) {
    EXPECT_EQ(error_of(answered(state), address).code, ErrorCode::corrupt) << state;
  }
}

TEST(PostgresFaults, a_failed_connection_is_unavailable_whatever_is_said_of_it) {
  for (const char* const said : {
           "FATAL:  password authentication failed for user \"me\"",
           "FATAL:  role \"me\" is not permitted to log in",
           "FATAL:  no pg_hba.conf entry for host \"::1\"",
           "FATAL:  database \"pawl\" does not exist",
           "SSL error: certificate verify failed",
           "SSL SYSCALL error: EOF detected",
           "FATAL:  Passwort-Authentifizierung für Benutzer »me« fehlgeschlagen",
           "FATAL:  die Datenbank »pawl« existiert nicht",
           "",
       }) {
    const DbError failed(DbError::Kind::not_connected, "", said);
    EXPECT_EQ(error_of(failed, address).code, ErrorCode::unavailable) << said;
    EXPECT_EQ(opening_error_of(failed, address).code, ErrorCode::unavailable) << said;
    EXPECT_THAT(error_of(failed, address).message, HasSubstr(said));
    const DbError lost(DbError::Kind::lost, "", said);
    EXPECT_EQ(error_of(lost, address).code, ErrorCode::unavailable) << said;
  }
}

TEST(PostgresFaults, while_it_is_opened_missing_rights_and_tables_are_told_as_such) {
  EXPECT_EQ(opening_error_of(answered("42501"), address).code, ErrorCode::refused);
  EXPECT_EQ(opening_error_of(answered("42P01"), address).code, ErrorCode::corrupt);
  EXPECT_EQ(opening_error_of(answered("57014"), address).code, ErrorCode::unavailable);
  const DbError shared(DbError::Kind::not_our_session, "", "");
  EXPECT_EQ(opening_error_of(shared, address).code, ErrorCode::refused);
  EXPECT_EQ(error_of(shared, address).code, ErrorCode::unavailable) << "results are kept";
}

}  // namespace
}  // namespace pawl::postgres
