#include "sql/people_rows.hpp"

#include <string>

#include "sql/fault.hpp"
#include "sql/name_list.hpp"
#include "sql/sql_text.hpp"

namespace pawl::sql {

namespace {

// Lists begin at the first key, so that the primary key is used.

constexpr char select_any_person[] = "SELECT 1 FROM people WHERE name >= '' LIMIT 1";
constexpr char person_changing_columns[] = "role, member_of, added_at";
constexpr auto person_columns = joined("name, ", person_changing_columns);
constexpr auto select_people =
    joined("SELECT ", person_columns, " FROM people WHERE name >= '' ORDER BY name");
constexpr auto select_person = joined("SELECT ", person_columns, " FROM people WHERE name = ?1");
constexpr auto insert_person_row =
    joined("INSERT INTO people (", person_columns, ") VALUES (", places(person_columns), ")");
constexpr auto update_person =
    joined("UPDATE people SET ", assigned(person_changing_columns, 2), " WHERE name = ?1");
constexpr char delete_person_row[] = "DELETE FROM people WHERE name = ?1";

constexpr char token_new_columns[] =
    "sha256, name, kind, role, worker_kinds, note, created_at, expires_at, revoked_at, used_at";
constexpr auto token_columns = joined("number, ", token_new_columns);
constexpr auto select_tokens =
    joined("SELECT ", token_columns, " FROM tokens WHERE number > 0 ORDER BY number");
constexpr auto select_token = joined("SELECT ", token_columns, " FROM tokens WHERE number = ?1");
constexpr auto select_token_with_digest =
    joined("SELECT ", token_columns, " FROM tokens WHERE sha256 = ?1");
/// Tokens are never deleted, so a number is never used again.
constexpr auto insert_token_row = joined(
    "INSERT INTO tokens (", token_new_columns, ", number) VALUES (", places(token_new_columns),
    ", (SELECT 1 + coalesce(max(number), 0) FROM tokens)) RETURNING number");
constexpr char update_revoked[] = "UPDATE tokens SET revoked_at = ?2 WHERE number = ?1";
constexpr char update_used[] = "UPDATE tokens SET used_at = ?2 WHERE number = ?1";

constexpr char session_columns[] = "sha256, person, at_most, created_at, expires_at";
constexpr auto select_session =
    joined("SELECT ", session_columns, " FROM sessions WHERE sha256 = ?1");
constexpr auto insert_session_row =
    joined("INSERT INTO sessions (", session_columns, ") VALUES (", places(session_columns), ")");
constexpr char delete_session_row[] = "DELETE FROM sessions WHERE sha256 = ?1";
constexpr char delete_sessions_of_person[] = "DELETE FROM sessions WHERE person = ?1";
constexpr char delete_ended_sessions[] = "DELETE FROM sessions WHERE expires_at <= ?1";

Person person_of(const Cursor& row) {
  Columns columns(row);
  Person person;
  columns.into(person.name);
  columns.into(person.role);
  person.groups = names_from(columns.view());
  columns.into(person.added_at);
  return person;
}

TokenRecord token_of(const Cursor& row) {
  Columns columns(row);
  TokenRecord token;
  columns.into(token.number);
  columns.into(token.sha256);
  columns.into(token.name);
  columns.into(token.kind);
  columns.into(token.role);
  token.worker_kinds = names_from(columns.view());
  columns.into(token.note);
  columns.into(token.created_at);
  columns.into(token.expires_at);
  columns.into(token.revoked_at);
  columns.into(token.used_at);
  return token;
}

SessionRecord session_of(const Cursor& row) {
  Columns columns(row);
  SessionRecord session;
  columns.into(session.sha256);
  columns.into(session.person);
  columns.into(session.at_most);
  columns.into(session.created_at);
  columns.into(session.expires_at);
  return session;
}

template <class Read>
auto first_of(Cursor row, Read read) -> std::optional<decltype(read(row))> {
  if (!row.next()) return std::nullopt;
  return read(row);
}
template <class Read>
auto all_of(Cursor row, Read read) {
  std::vector<decltype(read(row))> all;
  while (row.next()) all.push_back(read(row));
  return all;
}

}  // namespace

template <class... Values>
void SqlPeopleRows::run(const char* sql, const Values&... values) {
  Cursor rows = session_.prepared(sql).query(values...);
  while (rows.next()) continue;
}

bool SqlPeopleRows::is_empty() {
  Cursor row = session_.prepared(select_any_person).query();
  return !row.next();
}

std::vector<Person> SqlPeopleRows::people() {
  return all_of(session_.prepared(select_people).query(), person_of);
}

std::optional<Person> SqlPeopleRows::person(std::string_view name) {
  return first_of(session_.prepared(select_person).query(name), person_of);
}

void SqlPeopleRows::insert_person(const Person& person) {
  run(insert_person_row, person.name, person.role, names_text(person.groups), person.added_at);
}

void SqlPeopleRows::put_person(const Person& person) {
  run(update_person, person.name, person.role, names_text(person.groups), person.added_at);
}

void SqlPeopleRows::delete_person(std::string_view name) { run(delete_person_row, name); }

std::vector<TokenRecord> SqlPeopleRows::tokens() {
  return all_of(session_.prepared(select_tokens).query(), token_of);
}

std::optional<TokenRecord> SqlPeopleRows::token(std::int64_t number) {
  return first_of(session_.prepared(select_token).query(number), token_of);
}

std::optional<TokenRecord> SqlPeopleRows::token_with_digest(std::string_view sha256) {
  return first_of(session_.prepared(select_token_with_digest).query(sha256), token_of);
}

std::int64_t SqlPeopleRows::insert_token(const TokenRecord& token) {
  Cursor row =
      session_.prepared(insert_token_row)
          .query(token.sha256, token.name, token.kind, token.role, names_text(token.worker_kinds),
                 token.note, token.created_at, token.expires_at, token.revoked_at, token.used_at);
  require(row.next(), "an insertion returns its number");
  const std::int64_t number = row.integer(0);
  while (row.next()) continue;  // SQLite completes the statement only then
  return number;
}

void SqlPeopleRows::revoke_token(std::int64_t number, Timestamp at) {
  run(update_revoked, number, at);
}

void SqlPeopleRows::note_token_use(std::int64_t number, Timestamp at) {
  run(update_used, number, at);
}

std::optional<SessionRecord> SqlPeopleRows::session(std::string_view sha256) {
  return first_of(session_.prepared(select_session).query(sha256), session_of);
}

void SqlPeopleRows::insert_session(const SessionRecord& session) {
  run(insert_session_row, session.sha256, session.person, session.at_most, session.created_at,
      session.expires_at);
}

void SqlPeopleRows::delete_session(std::string_view sha256) { run(delete_session_row, sha256); }

void SqlPeopleRows::delete_sessions_of(std::string_view person) {
  run(delete_sessions_of_person, person);
}

void SqlPeopleRows::delete_expired_sessions(Timestamp now) { run(delete_ended_sessions, now); }

}  // namespace pawl::sql
