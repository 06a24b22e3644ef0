#include "postgres/faults.hpp"

#include <string>

#include "text/passwords.hpp"

namespace pawl::postgres {

namespace {

/// The error that users see. `code` is for a store that is already open.
struct Meaning {
  ErrorCode code;
  std::string what;
  std::string help;
};

Meaning meaning_of_connection(const DbError& error, const std::string& where) {
  if (error.kind == DbError::Kind::not_connected) {
    return {ErrorCode::unavailable, "cannot connect to PostgreSQL at " + where,
            "check host, port, database, user, password and TLS settings of the address, and that "
            "the server accepts connections; running workers reconnect by themselves"};
  }
  if (error.kind == DbError::Kind::not_our_session) {
    return {ErrorCode::unavailable,
            "a pooler between pawl and PostgreSQL at " + where +
                " shares one session among its clients",
            "connect to the server itself, or set pool_mode = session in the pooler "
            "(docs/guide/postgres.md, Poolers); nothing was written"};
  }
  return {ErrorCode::unavailable, "lost the connection to PostgreSQL at " + where,
          "workers reconnect by themselves"};
}

/// Errors about the values of a statement, so that waiting does not help. A database that needs
/// VACUUM before it accepts more rows reports 54000, like a row that is too long: a worker that
/// confuses the two stops with the server's message, while one that waited would wait for ever.
bool is_about_values(const DbError& error) {
  return (error.state.starts_with("22") && !error.is_stale()) || error.state.starts_with("54");
}

Meaning meaning_of_state(const DbError& error, const Address& address) {
  const std::string& state = error.state;
  const std::string server = "PostgreSQL at " + address.shown;
  const std::string schema = "the schema \"" + address.schema + "\" at " + address.shown;
  if (state == "22021" || state == "22P05") {
    return {ErrorCode::invalid, "PostgreSQL cannot store this text",
            "keys, categories and reasons must be UTF-8 without zero bytes"};
  }
  if (state == "54000") {
    return {ErrorCode::invalid, server + " rejects a row of this size, or any more rows",
            "use at most 2,000 bytes for a key, a category or a pool; if that is the case, see "
            "the server's log"};
  }
  if (is_about_values(error)) {
    return {ErrorCode::refused, server + " rejects these values", {}};
  }
  if (state.starts_with("23")) {
    return {ErrorCode::corrupt,
            "a row that violates a constraint was not written to " + address.shown,
            {}};
  }
  if (state == "XX001" || state == "XX002") {
    return {ErrorCode::corrupt, server + " found damaged data", "restore it from a backup"};
  }
  if (state == "42703") {
    return {ErrorCode::corrupt, schema + " is incomplete",
            "restore it from a backup, or name another schema with ?schema=NAME"};
  }
  if (state == "42P01" || state == "3F000") {
    // Without USAGE on the schema, the server reports the same as without the tables.
    return {ErrorCode::unavailable, schema + " is incomplete, or the role may not use it",
            "grant the role USAGE on it, restore it from a backup, or name another schema with "
            "?schema=NAME (docs/guide/postgres.md, Rights)"};
  }
  if (state == "42501" || state.starts_with("28")) {
    return {ErrorCode::unavailable, server + " denies access",
            "grant the role its rights on the schema \"" + address.schema +
                "\" (docs/guide/postgres.md, Rights)"};
  }
  if (state == "25006") {
    return {ErrorCode::unavailable, server + " is read-only",
            "name the primary, or add target_session_attrs=read-write to the address"};
  }
  if (state == "53100") {
    return {ErrorCode::unavailable, "the disk of " + server + " is full",
            "free space there; pawl then continues by itself"};
  }
  if (state == "55P03" || state == "57014") {
    return {ErrorCode::unavailable, "another session of " + server + " holds a lock that is needed",
            "look for an open transaction (pg_stat_activity); pawl then continues by itself"};
  }
  return {ErrorCode::unavailable, server + " failed", {}};
}

Error in_words(const DbError& error, Meaning meaning) {
  std::string said = meaning.what + ": " + text::without_passwords(error.what());
  const bool is_known = error.kind == DbError::Kind::answered && !error.state.empty();
  if (is_known) said += " (SQLSTATE " + error.state + ")";
  return {meaning.code, std::move(said), std::move(meaning.help)};
}

Meaning meaning_of(const DbError& error, const Address& address) {
  return error.kind == DbError::Kind::answered ? meaning_of_state(error, address)
                                               : meaning_of_connection(error, address.shown);
}

}  // namespace

Error error_of(const DbError& error, const Address& address) {
  return in_words(error, meaning_of(error, address));
}

Error opening_error_of(const DbError& error, const Address& address) {
  Meaning meaning = meaning_of(error, address);
  const std::string& state = error.state;
  if (error.kind == DbError::Kind::not_our_session) meaning.code = ErrorCode::refused;
  if (error.kind == DbError::Kind::answered) {
    if (state == "42501" || state.starts_with("28")) meaning.code = ErrorCode::refused;
    if (state == "42P01" || state == "3F000") meaning.code = ErrorCode::corrupt;
  }
  return in_words(error, std::move(meaning));
}

}  // namespace pawl::postgres
