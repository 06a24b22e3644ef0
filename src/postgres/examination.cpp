#include "postgres/examination.hpp"

#include <chrono>

#include "postgres/faults.hpp"
#include "postgres/server_clock.hpp"
#include "postgres/sessions.hpp"

namespace pawl::postgres {

namespace {

using Health = PostgresFinding::Health;

/// With a larger difference, the times that users see differ noticeably from their own clock.
constexpr Duration clocks_agree_within = std::chrono::seconds(5);

constexpr char begin_transaction[] = "BEGIN";
constexpr char select_backend[] = "SELECT pg_backend_pid()";
// The audit trail only grows, so its rows need not be changed or deleted.
constexpr char select_state[] =
    "SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on', "
    "to_regnamespace(quote_ident($1)) IS NOT NULL, "
    "has_database_privilege(current_database(), 'CREATE'), "
    "coalesce(has_schema_privilege(to_regnamespace(quote_ident($1)), 'USAGE'), false), "
    "coalesce((SELECT min(c.relname) FROM pg_class c JOIN pg_namespace n "
    "ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') "
    "AND NOT (has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT') "
    "AND (c.relname = 'audit' OR (has_table_privilege(c.oid, 'UPDATE') "
    "AND has_table_privilege(c.oid, 'DELETE'))))), '')";

/// Two transactions at once, begun in this order. Each fails if its session is not the one that its
/// connection set up.
void hold_both(Connection& one, Connection& other) {
  for (Connection* each : {&one, &other}) {
    each->begin(begin_transaction);
    (void)each->ask(select_backend);
  }
  one.roll_back();
  other.roll_back();
}

/// A pooler that shares sessions assigns the session that became free last or the one that has been
/// free longest. Either way, one of two connections that take turns soon gets the session of the
/// other.
bool shares_sessions(Dialer& dialer, Connection& first) {
  try {
    const auto second = dialer.connect("pawl", reader_set_up(dialer.address()));
    if (second->backend() == first.backend()) return true;
    hold_both(*second, first);
    hold_both(first, *second);
    return false;
  } catch (const DbError& error) {
    if (error.kind == DbError::Kind::not_our_session) return true;
    // A pooler that allows no transactions at all reports this error.
    if (error.state == "08P01") return true;
    throw;
  }
}

Pooler pooler_between(Dialer& dialer, Connection& connection) {
  if (!connection.has_pooler()) return Pooler::none;
  return shares_sessions(dialer, connection) ? Pooler::shares_sessions : Pooler::keeps_sessions;
}

/// What is known without a query.
Examined first_look(Connection& connection) {
  const char* const encoding = PQparameterStatus(connection.raw(), "server_encoding");
  return {.version = connection.server_version(), .encoding = encoding == nullptr ? "" : encoding};
}

Duration clock_ahead(Connection& connection) {
  const Timestamp asked = system_clock().now();
  const Reply answer = connection.ask(select_server_time);
  const Timestamp answered = system_clock().now();
  return Timestamp{Duration{answer.integer(0, 0)}} - (asked + (answered - asked) / 2);
}

ServerState ask_state(Connection& connection) {
  const std::string& schema = connection.settings().address.schema;
  const Reply state = connection.ask(select_state, Parameters::of(schema));
  return {.is_standby = state.integer(0, 0) != 0,
          .is_read_only = state.integer(0, 1) != 0,
          .has_schema = state.integer(0, 2) != 0,
          .may_make_schema = state.integer(0, 3) != 0,
          .may_use_schema = state.integer(0, 4) != 0,
          .table_without_rights = std::string(state.view(0, 5)),
          .clock_ahead = clock_ahead(connection)};
}

PostgresFinding version_of(const Examined& seen) {
  const std::string number = std::to_string(seen.version / 10'000);
  if (seen.version >= oldest_server) {
    return {.what = "version", .text = "PostgreSQL " + number};
  }
  return {.what = "version",
          .health = Health::failed,
          .text = "the server is PostgreSQL " + number,
          .help = "pawl needs 15 or newer"};
}

PostgresFinding encoding_of(const Examined& seen) {
  if (seen.encoding == "UTF8" || seen.encoding == "SQL_ASCII") {
    return {.what = "encoding", .text = seen.encoding};
  }
  return {
      .what = "encoding",
      .health = Health::failed,
      .text = "the database has the encoding " + seen.encoding + ", which cannot store every text",
      .help = "create one with UTF8 and use it: createdb -E UTF8 -T template0 NAME"};
}

PostgresFinding pooler_of(const Examined& seen) {
  switch (seen.pooler) {
    case Pooler::none:
      return {.what = "pooler", .text = "none"};
    case Pooler::keeps_sessions:
      return {.what = "pooler", .text = "keeps a session for each connection"};
    case Pooler::shares_sessions:
      break;
  }
  return {.what = "pooler",
          .health = Health::failed,
          .text =
              "there is a pooler in transaction or statement mode, which mixes the sessions "
              "of its clients",
          .help =
              "connect to the server itself, or set pool_mode = session for this database "
              "(docs/guide/postgres.md, Poolers)"};
}

PostgresFinding writes_of(const ServerState& seen) {
  if (seen.is_standby) {
    return {.what = "writes",
            .health = Health::failed,
            .text = "the server is a standby and read-only",
            .help =
                "name the primary, or several hosts with target_session_attrs=read-write; "
                "commands that only read work here"};
  }
  if (seen.is_read_only) {
    return {.what = "writes",
            .health = Health::failed,
            .text = "transactions are read-only here (default_transaction_read_only)",
            .help = "turn it off for this role or database; commands that only read work"};
  }
  return {.what = "writes", .text = "accepted"};
}

PostgresFinding rights_of(const ServerState& seen, const Address& address) {
  const std::string schema = "the schema \"" + address.schema + "\"";
  const std::string way_out = "grant the role its rights (docs/guide/postgres.md, Rights)";
  if (!seen.has_schema) {
    if (seen.may_make_schema)
      return {.what = "rights", .text = "no store yet; the role may create " + schema};
    return {.what = "rights",
            .health = Health::failed,
            .text = schema + " does not exist, and the role may not create it",
            .help =
                "let its owner create it with pawl run, or grant CREATE on the database "
                "(docs/guide/postgres.md, Rights)"};
  }
  if (!seen.may_use_schema) {
    return {.what = "rights",
            .health = Health::failed,
            .text = "the role may not use " + schema,
            .help = way_out};
  }
  if (!seen.table_without_rights.empty()) {
    return {.what = "rights",
            .health = Health::failed,
            .text = "the role may not read and write all rows of " + schema +
                    ", for example those of the table " + seen.table_without_rights,
            .help = way_out};
  }
  return {.what = "rights", .text = "all on " + schema};
}

PostgresFinding clock_of(const ServerState& seen) {
  const auto apart = std::chrono::duration_cast<std::chrono::seconds>(
      seen.clock_ahead < Duration::zero() ? -seen.clock_ahead : seen.clock_ahead);
  if (apart <= clocks_agree_within) return {.what = "clock", .text = "agrees with this machine's"};
  return {.what = "clock",
          .health = Health::warning,
          .text = "the server's clock is " + std::to_string(apart.count()) + " seconds " +
                  (seen.clock_ahead > Duration::zero() ? "ahead of" : "behind") + " this machine's",
          .help =
              "leases, retries and the times you see follow the server's clock; set the clock "
              "that is wrong"};
}

}  // namespace

std::vector<PostgresFinding> findings_of(const Examined& examined, const Address& address) {
  std::vector<PostgresFinding> findings = {version_of(examined), encoding_of(examined),
                                           pooler_of(examined)};
  if (examined.state) {
    findings.push_back(writes_of(*examined.state));
    findings.push_back(rights_of(*examined.state, address));
    findings.push_back(clock_of(*examined.state));
  }
  return findings;
}

Examined examine(Dialer& dialer, Connection& connection) {
  Examined seen = first_look(connection);
  try {
    seen.state = ask_state(connection);
    seen.pooler = pooler_between(dialer, connection);
  } catch (const DbError& error) {
    if (error.kind != DbError::Kind::not_our_session) throw;
    seen.pooler = Pooler::shares_sessions;
  }
  return seen;
}

void refuse_unfit(Dialer& dialer, Connection& connection) {
  Examined seen = first_look(connection);
  seen.pooler = pooler_between(dialer, connection);
  Error faults{ErrorCode::refused, {}, {}};
  for (const PostgresFinding& one : {version_of(seen), encoding_of(seen), pooler_of(seen)}) {
    if (one.health != Health::failed) continue;
    faults.message += (faults.message.empty() ? "" : "; ") + one.text;
    faults.help += (faults.help.empty() ? "" : "; ") + one.help;
  }
  if (faults.message.empty()) return;
  faults.message =
      "cannot keep a store on PostgreSQL at " + dialer.address().shown + ": " + faults.message;
  throw Fault(std::move(faults));
}

}  // namespace pawl::postgres

namespace pawl {

Result<std::vector<PostgresFinding>> examine_postgres(const PostgresOptions& options) {
  const Result<postgres::Address> address = postgres::read_address(options.url);
  if (!address) return std::unexpected(address.error());
  const auto look = [&]() -> Result<std::vector<PostgresFinding>> {
    postgres::Dialer dialer(*address, options.answer_within);
    const auto connection = dialer.connect("pawl", postgres::reader_set_up(*address));
    return postgres::findings_of(postgres::examine(dialer, *connection), *address);
  };
  return postgres::guarded(*address, look, postgres::opening_error_of);
}

}  // namespace pawl
