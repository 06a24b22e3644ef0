#include "postgres/faults.hpp"

#include <string>

#include "postgres/passwords.hpp"

namespace pawl::postgres {

namespace {

/// The error as users see it. `code` is the one for a store that is already open.
struct Meaning {
  ErrorCode code;
  std::string what;
  std::string help;
};

Meaning meaning_of_connection(const DbError& error, const std::string& where) {
  if (error.kind == DbError::Kind::not_connected) {
    return {ErrorCode::unavailable, "cannot connect to PostgreSQL at " + where,
            "check host, port, database, user, password and TLS settings of the address, and that "
            "the server takes connections; workers that run go on by themselves"};
  }
  if (error.kind == DbError::Kind::not_our_session) {
    return {ErrorCode::unavailable,
            "a pooler between pawl and PostgreSQL at " + where +
                " shares one session among its clients",
            "connect to the server itself, or set pool_mode = session in the pooler "
            "(docs/guide/postgres.md, Poolers); nothing was written"};
  }
  return {ErrorCode::unavailable, "lost PostgreSQL at " + where,
          "workers connect again by themselves"};
}

/// About what a statement holds, so that waiting does not help. A database that needs VACUUM before
/// it takes more says 54000 like a row that is too long: a worker that takes the one for the other
/// stops with the server's words, and one that waited would wait for ever.
bool is_about_values(const DbError& error) {
  return (error.state.starts_with("22") && !error.is_stale()) || error.state.starts_with("54");
}

Meaning meaning_of_state(const DbError& error, const Address& address) {
  const std::string& state = error.state;
  const std::string server = "PostgreSQL at " + address.shown;
  const std::string schema = "the schema \"" + address.schema + "\" at " + address.shown;
  if (state == "22021" || state == "22P05") {
    return {ErrorCode::invalid, "PostgreSQL keeps no such text",
            "keys, categories and reasons must be UTF-8 without zero bytes"};
  }
  if (state == "54000") {
    return {ErrorCode::invalid, server + " takes no row of this size, or no more rows",
            "use at most 2,000 bytes for a key, a category or a pool; where that holds, look at "
            "the server's log"};
  }
  if (is_about_values(error)) {
    return {ErrorCode::refused, server + " does not take these values", {}};
  }
  if (state.starts_with("23")) {
    return {
        ErrorCode::corrupt, "a row that breaks a promise was not written to " + address.shown, {}};
  }
  if (state == "XX001" || state == "XX002") {
    return {ErrorCode::corrupt, server + " found damaged data", "restore it from a backup"};
  }
  if (state == "42703") {
    return {ErrorCode::corrupt, schema + " is not complete",
            "restore it from a backup, or name another schema with ?schema=NAME"};
  }
  if (state == "42P01" || state == "3F000") {
    // Without USAGE on the schema the server says the same as without the tables.
    return {ErrorCode::unavailable, schema + " is not complete, or the role may not use it",
            "grant the role USAGE on it, restore it from a backup, or name another schema with "
            "?schema=NAME (docs/guide/postgres.md, Rights)"};
  }
  if (state == "42501" || state.starts_with("28")) {
    return {ErrorCode::unavailable, server + " does not allow it",
            "grant the role its rights on the schema \"" + address.schema +
                "\" (docs/guide/postgres.md, Rights)"};
  }
  if (state == "25006") {
    return {ErrorCode::unavailable, server + " takes no writes",
            "name the primary, or add target_session_attrs=read-write to the address"};
  }
  if (state == "53100") {
    return {ErrorCode::unavailable, "the disk of " + server + " is full",
            "free space there; pawl goes on by itself"};
  }
  if (state == "55P03" || state == "57014") {
    return {ErrorCode::unavailable, "another session of " + server + " keeps what is needed locked",
            "look for a transaction that is left open (pg_stat_activity); pawl goes on by itself"};
  }
  return {ErrorCode::unavailable, server + " failed", {}};
}

Error in_words(const DbError& error, Meaning meaning) {
  std::string said = meaning.what + ": " + without_passwords(error.what());
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
