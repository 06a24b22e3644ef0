#include "postgres/faults.hpp"

#include <string>

#include "postgres/passwords.hpp"

namespace pawl::postgres {

namespace {

/// libpq tells no SQLSTATE where a connection fails; its words are the server's.
Error connect_error(const std::string& said, const std::string& where) {
  const auto says = [&](std::string_view part) { return said.find(part) != std::string::npos; };
  const std::string message = "cannot connect to PostgreSQL at " + where + ": " + said;
  if (says("password authentication failed") || says("no password supplied") ||
      says("no pg_hba.conf entry") || says("authentication failed") || says("role \"")) {
    return {ErrorCode::refused, message,
            "check the user and password of the address, PGPASSFILE, and the server's pg_hba.conf"};
  }
  if (says("database \"") && says("does not exist")) {
    return {ErrorCode::refused, message, "create it (createdb), or name another database"};
  }
  if (says("certificate") || says("SSL")) {
    return {ErrorCode::refused, message,
            "check sslmode, sslrootcert and sslcert in the address, and the server's certificate"};
  }
  if (says("too many clients") || says("remaining connection slots")) {
    return {ErrorCode::unavailable, message,
            "raise max_connections or run fewer workers; each uses up to five connections"};
  }
  return {ErrorCode::unavailable, message,
          "check host and port, and that the server runs; workers go on by themselves"};
}

}  // namespace

Error error_of(const DbError& error, const Address& address) {
  const std::string said = without_passwords(error.what());
  const std::string& where = address.shown;
  const std::string& state = error.state;
  if (error.kind == DbError::Kind::not_connected) return connect_error(said, where);
  if (error.is_lost()) {
    return {ErrorCode::unavailable, "lost PostgreSQL at " + where + ": " + said,
            "workers connect again by themselves"};
  }
  if (state == "42501" || state.starts_with("28")) {
    return {ErrorCode::refused, "PostgreSQL at " + where + " does not allow it: " + said,
            "grant the role its rights on the schema \"" + address.schema +
                "\" (docs/guide/postgres.md, Rights)"};
  }
  if (state == "25006") {
    return {ErrorCode::unavailable, "PostgreSQL at " + where + " takes no writes: " + said,
            "name the primary, or add target_session_attrs=read-write to the address"};
  }
  if (state == "42P01" || state == "3F000" || state == "42703") {
    return {ErrorCode::corrupt,
            "the schema \"" + address.schema + "\" at " + where + " is not complete: " + said,
            "restore it from a backup, or name another schema with ?schema=NAME"};
  }
  if (state.starts_with("23")) {
    return {ErrorCode::corrupt,
            "a row that breaks a promise was not written to " + where + ": " + said};
  }
  if (state == "22021" || state == "22P05") {
    return {ErrorCode::invalid, "PostgreSQL keeps no such text: " + said,
            "keys, categories and reasons must be UTF-8 without zero bytes"};
  }
  if (state == "53100") {
    return {ErrorCode::unavailable, "the disk of PostgreSQL at " + where + " is full: " + said,
            "free space there; pawl goes on by itself"};
  }
  if (state == "55P03" || state == "57014") {
    return {ErrorCode::unavailable,
            "another session of PostgreSQL at " + where + " keeps what is needed locked: " + said,
            "look for a transaction that is left open (pg_stat_activity); pawl goes on by itself"};
  }
  return {ErrorCode::unavailable, "PostgreSQL at " + where + " failed: " + said + " (SQLSTATE " +
                                      (state.empty() ? "none" : state) + ")"};
}

}  // namespace pawl::postgres
