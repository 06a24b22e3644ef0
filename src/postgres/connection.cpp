#include "postgres/connection.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <random>

#include <poll.h>

#include "postgres/dialect.hpp"

namespace pawl::postgres {

namespace {

std::string trimmed(const char* message) {
  std::string text = message == nullptr ? "" : message;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string field(const PGresult* result, int code) {
  const char* const text = PQresultErrorField(result, code);
  return text == nullptr ? std::string() : std::string(text);
}

/// An error of a statement. Errors that the server sends while it shuts down or ends our session
/// mean that the connection is gone.
DbError error_of(const PGresult* result) {
  std::string state = field(result, PG_DIAG_SQLSTATE);
  std::string message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (const std::string detail = field(result, PG_DIAG_MESSAGE_DETAIL); !detail.empty()) {
    message += " (" + detail + ")";
  }
  if (message.empty()) message = trimmed(PQresultErrorMessage(result));
  const bool ends_connection =
      state.starts_with("57P") || state.starts_with("08") || state == "25P03" || state.empty();
  return {ends_connection ? DbError::Kind::lost : DbError::Kind::answered, std::move(state),
          message};
}

/// Defaults for parameters that the address does not set, so that a dead peer is noticed.
constexpr std::pair<const char*, const char*> defaults[] = {
    {"connect_timeout", "10"}, {"keepalives_idle", "10"},     {"keepalives_interval", "3"},
    {"keepalives_count", "3"}, {"tcp_user_timeout", "20000"},
};

/// Fails in every session except the one with our token and our search_path, with an error that
/// none of our other statements raises.
constexpr char guard_session[] =
    "SELECT (CASE WHEN coalesce(current_setting('pawl.session', true), '') = $1 "
    "AND current_setting('search_path') = $2 THEN '1' ELSE 'another session' END)::int";

std::string fresh_token() {
  std::random_device random;
  return std::to_string(random()) + "-" + std::to_string(random());
}

}  // namespace

std::int64_t Reply::integer(int row, int column) const {
  const char* const bytes = PQgetvalue(raw_.get(), row, column);
  const int length = PQgetlength(raw_.get(), row, column);
  if (length == 0) return 0;
  // The first byte has the sign.
  std::uint64_t number =
      (static_cast<unsigned char>(bytes[0]) & 0x80U) != 0 && length > 1 ? ~std::uint64_t{0} : 0;
  for (int i = 0; i < length; ++i) {
    number = (number << 8U) | static_cast<unsigned char>(bytes[i]);
  }
  return static_cast<std::int64_t>(number);
}

std::string_view Reply::view(int row, int column) const {
  return {PQgetvalue(raw_.get(), row, column),
          static_cast<std::size_t>(PQgetlength(raw_.get(), row, column))};
}

std::int64_t Reply::changed() const {
  if (!raw_) return 0;
  const std::string_view text = PQcmdTuples(raw_.get());
  std::int64_t count = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

/// A statement of the shared reads.
class Connection::Prepared final : public sql::Statement {
 public:
  Prepared(Connection& connection, const char* sql)
      : connection_(connection), text_(in_our_dialect(sql)) {}

 private:
  sql::RowSource& ask(std::span<const sql::Value> values) override {
    rows_ = ReplyRows(connection_.ask(text_.c_str(), Parameters(values)));
    return rows_;
  }

  Connection& connection_;
  std::string text_;
  ReplyRows rows_;
};

Connection::Connection(Settings settings) : settings_(std::move(settings)) { connect(); }

Connection::~Connection() = default;

void Connection::connect() {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  const auto set = [&](const char* key, const char* value) {
    keys.push_back(key);
    values.push_back(value);
  };
  for (const auto& [key, value] : defaults) set(key, value);
  set("fallback_application_name", settings_.name.c_str());
  set("dbname", settings_.address.conninfo.c_str());
  // Set after the address, which cannot override it: every text we send and read is UTF-8.
  set("client_encoding", "UTF8");
  set(nullptr, nullptr);
  raw_.reset(PQconnectdbParams(keys.data(), values.data(), 1));
  if (!raw_ || PQstatus(raw_.get()) != CONNECTION_OK) {
    throw DbError(DbError::Kind::not_connected, "",
                  raw_ ? trimmed(PQerrorMessage(raw_.get())) : "out of memory");
  }
  PQsetNoticeProcessor(raw_.get(), [](void*, const char*) {}, nullptr);
  set_up();
  check(PQsetnonblocking(raw_.get(), 1) == 0 ? 1 : 0);
  check(PQenterPipelineMode(raw_.get()));
}

/// Sends everything at once, so that it runs in one session, even behind a pooler.
void Connection::set_up() {
  token_ = fresh_token();
  std::string statements = "SET client_encoding = 'UTF8'; ";
  // An older server does not know all of our settings. A store on it is refused.
  if (server_version() >= oldest_server && !settings_.set_up.empty()) {
    statements += settings_.set_up + "; ";
  }
  statements += "SELECT set_config('pawl.session', '" + token_ +
                "', false), pg_backend_pid(), current_setting('search_path')";
  const Reply done(PQexec(raw_.get(), statements.c_str()));
  if (PQresultStatus(done.raw()) != PGRES_TUPLES_OK) throw error_of(done.raw());
  const std::string_view pid = done.view(0, 1);
  (void)std::from_chars(pid.data(), pid.data() + pid.size(), backend_);
  search_path_ = done.view(0, 2);
}

void Connection::guard() {
  is_guarded_ = true;
  send(guard_session, Parameters::of(token_, search_path_), Expected::guard);
}

void Connection::begin(const char* sql) {
  // Some kinds of transaction allow no statement before they begin, so the guard comes second.
  is_guarded_ = true;
  post(sql);
  guard();
}

sql::Statement& Connection::prepared(const char* sql) {
  std::unique_ptr<Prepared>& known = statements_[sql];
  if (!known) known = std::make_unique<Prepared>(*this, sql);
  return *known;
}

void Connection::lose(const std::string& why) {
  is_lost_ = true;
  const std::string said = trimmed(PQerrorMessage(raw_.get()));
  throw DbError(DbError::Kind::lost, "", said.empty() ? why : why + ": " + said);
}

void Connection::check(int is_ok) {
  if (is_ok != 1) lose("the connection to PostgreSQL broke");
}

const std::string& Connection::name_of(const char* sql, const Parameters& parameters) {
  const Key key(sql, parameters.types());
  if (const auto known = names_by_text_.find(key); known != names_by_text_.end()) {
    return known->second;
  }
  const std::string name = "pawl_" + std::to_string(++names_);
  check(
      PQsendPrepare(raw_.get(), name.c_str(), sql, parameters.count(), parameters.types().data()));
  expected_.push_back(Expected::preparation);
  unproven_.push_back(key);
  return names_by_text_.emplace(key, name).first->second;
}

void Connection::send(const char* sql, const Parameters& parameters, Expected as) {
  if (is_lost_) lose("the connection to PostgreSQL is gone");
  if (!is_guarded_) guard();
  const std::string& name = name_of(sql, parameters);
  const Parameters::Raw raw = parameters.raw();
  check(PQsendQueryPrepared(raw_.get(), name.c_str(), parameters.count(), raw.values.data(),
                            raw.lengths.data(), raw.formats.data(), 1));
  expected_.push_back(as);
}

void Connection::post(const char* sql, const Parameters& parameters) {
  send(sql, parameters, Expected::posted);
}

void Connection::want(const char* sql, const Parameters& parameters) {
  send(sql, parameters, Expected::wanted);
}

void Connection::sync() {
  check(PQpipelineSync(raw_.get()));
  expected_.push_back(Expected::sync);
}

void Connection::push() {
  sync();
  is_guarded_ = false;
  (void)PQflush(raw_.get());
}

std::vector<Reply> Connection::answers() {
  sync();
  return collect();
}

Reply Connection::ask(const char* sql, const Parameters& parameters) {
  want(sql, parameters);
  return std::move(answers().back());
}

void Connection::await_posted() {
  if (is_lost_) lose("the connection to PostgreSQL is gone");
  if (expected_.empty()) return;
  if (expected_.back() != Expected::sync) sync();
  (void)collect();
}

void Connection::run(const std::string& sql) {
  if (is_lost_) lose("the connection to PostgreSQL is gone");
  await_posted();
  check(PQexitPipelineMode(raw_.get()));
  check(PQsetnonblocking(raw_.get(), 0) == 0 ? 1 : 0);
  const Reply done(PQexec(raw_.get(), sql.c_str()));
  const ExecStatusType status = PQresultStatus(done.raw());
  const bool is_ok = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  if (PQstatus(raw_.get()) != CONNECTION_OK) lose("the connection to PostgreSQL broke");
  check(PQsetnonblocking(raw_.get(), 1) == 0 ? 1 : 0);
  check(PQenterPipelineMode(raw_.get()));
  if (!is_ok) {
    const DbError error = error_of(done.raw());
    is_lost_ = error.is_lost();
    throw error;
  }
}

/// Sends what is left to send, and waits until an answer arrives.
void Connection::wait() {
  using Steady = std::chrono::steady_clock;
  const auto deadline = Steady::now() + settings_.answer_within;
  for (;;) {
    const int left_to_send = PQflush(raw_.get());
    if (left_to_send < 0) lose("the connection to PostgreSQL broke");
    pollfd ready{.fd = PQsocket(raw_.get()),
                 .events = static_cast<short>(left_to_send > 0 ? POLLIN | POLLOUT : POLLIN),
                 .revents = 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now());
    const int answered =
        ::poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (answered < 0 && errno == EINTR) continue;
    if (answered <= 0) {
      lose("PostgreSQL did not answer within " +
           std::to_string(
               std::chrono::duration_cast<std::chrono::seconds>(settings_.answer_within).count()) +
           " seconds");
    }
    if ((ready.revents & (POLLIN | POLLERR | POLLHUP)) == 0) continue;
    if (PQconsumeInput(raw_.get()) == 0) lose("the connection to PostgreSQL broke");
    return;
  }
}

Reply Connection::next_reply() {
  while (PQisBusy(raw_.get()) != 0) wait();
  return Reply(PQgetResult(raw_.get()));
}

/// The guard found another session, a statement that we prepared is missing, or one exists that we
/// did not prepare.
bool Connection::is_of_another_session(const std::string& state, Expected failed) {
  return (failed == Expected::guard && state == "22P02") || state == "26000" || state == "42P05";
}

std::vector<Reply> Connection::collect() {
  std::vector<Reply> wanted;
  std::unique_ptr<DbError> failed;
  for (; answered_ < expected_.size(); ++answered_) {
    Reply reply = next_reply();
    if (reply.raw() == nullptr) lose("the connection to PostgreSQL broke");
    switch (PQresultStatus(reply.raw())) {
      case PGRES_PIPELINE_SYNC:
        continue;  // has no end marker
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        if (expected_[answered_] == Expected::wanted) wanted.push_back(std::move(reply));
        break;
      case PGRES_PIPELINE_ABORTED:
        break;
      default:
        if (!failed) failed = std::make_unique<DbError>(error_of(reply.raw()));
        // The last message of a server that shuts down or ends our session.
        if (failed->is_lost()) {
          is_lost_ = true;
          throw DbError(*failed);
        }
        if (is_of_another_session(failed->state, expected_[answered_])) {
          is_lost_ = true;
          throw DbError(DbError::Kind::not_our_session, failed->state,
                        "this connection was given a session that it did not set up");
        }
    }
    // The results of a statement end with a null result.
    while (next_reply().raw() != nullptr) {
    }
  }
  expected_.clear();
  answered_ = 0;
  // Statements to be prepared after a failure were not prepared; their names are not reused.
  if (failed) {
    for (const Key& key : unproven_) names_by_text_.erase(key);
  }
  unproven_.clear();
  if (PQtransactionStatus(raw_.get()) == PQTRANS_IDLE) is_guarded_ = false;
  if (failed) throw DbError(*failed);
  return wanted;
}

void Connection::roll_back() noexcept {
  if (is_lost_) return;
  try {
    if (!expected_.empty()) {
      try {
        await_posted();
      } catch (const DbError&) {
        // The error is the reason for the rollback.
      }
    }
    if (is_lost_ || PQtransactionStatus(raw_.get()) == PQTRANS_IDLE) return;
    static constexpr char rollback[] = "ROLLBACK";
    post(rollback);
    await_posted();
  } catch (const DbError&) {
    is_lost_ = true;
  }
}

}  // namespace pawl::postgres
