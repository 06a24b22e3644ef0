#include "postgres/writer.hpp"

#include <chrono>
#include <random>
#include <string>
#include <thread>

#include "postgres/examination.hpp"
#include "postgres/faults.hpp"
#include "postgres/schema.hpp"
#include "postgres/sessions.hpp"

namespace pawl::postgres {

namespace {

constexpr int tries_max = 8;
constexpr auto unknown_for_at_most = std::chrono::seconds(20);
/// PostgreSQL truncates longer names.
constexpr std::size_t session_name_max = 63;
/// A little less than the age at which `take_id` deletes rows.
constexpr auto rows_are_kept_for = std::chrono::days(6);

constexpr char begin_transaction[] = "BEGIN";
constexpr char commit_transaction[] = "COMMIT";
constexpr char take_id[] =
    "WITH taken AS (UPDATE counters SET value = value + 1 WHERE name = 'writer' "
    "RETURNING value - 1 AS id), "
    "old AS (DELETE FROM writers WHERE used_at < $1 - 7 * 86400 * 1000000::bigint) "
    "INSERT INTO writers (id, last_write, used_at) SELECT id, 0, $1 FROM taken RETURNING id";
constexpr char name_session[] = "SELECT set_config('application_name', $1, false)";
constexpr char update_last_write[] =
    "UPDATE writers SET last_write = $2, used_at = $3 WHERE id = $1";
constexpr char select_writer[] = "SELECT last_write, used_at FROM writers WHERE id = $1";
constexpr char select_last_write[] =
    "SELECT last_write FROM writers WHERE id = $1 FOR NO KEY UPDATE";
constexpr char delete_writer[] = "DELETE FROM writers WHERE id = $1";
/// The server process of a broken connection may still hold our own locks.
constexpr char end_remains[] =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 "
    "AND pid <> pg_backend_pid() AND usename = current_user";

}  // namespace

Writer::Writer(Dialer& dialer, bool create, bool migrate, ServerClock& clock)
    : dialer_(dialer),
      address_(dialer.address()),
      clock_(clock),
      connection_(dialer.connect("pawl", writer_set_up(address_))),
      token_(std::to_string(std::random_device{}())) {
  refuse_unfit(dialer_, *connection_);
  bring_up_to_date(*connection_, create, migrate);
  clock_.read(*connection_);
}

Writer::~Writer() {
  if (id_ == 0 || !connection_ || !connection_->is_open()) return;
  try {
    connection_->post(delete_writer, Parameters::of(id_));
    connection_->await_posted();
  } catch (const DbError&) {
    // The row is deleted after a week.
  }
}

void Writer::sign_on() {
  // The token keeps us from ending a session of another process that got the same id.
  const auto name = [&] {
    std::string whole = "pawl writer " + std::to_string(id_) + " " + token_ + " " + address_.schema;
    return whole.substr(0, session_name_max);
  };
  if (id_ != 0) {
    (void)connection_->ask(end_remains, Parameters::of(name()));
    find_own_row();
  }
  if (id_ == 0) {
    newest_ = acknowledged_ = {.number = 0, .at = clock_.now()};
    id_ = connection_->ask(take_id, Parameters::of(newest_.at)).integer(0, 0);
  }
  (void)connection_->ask(name_session, Parameters::of(name()));
}

/// Checks that the row is as our newest write left it, or the newest acknowledged one. A server
/// that took over without our newest commits has an older row, or none, or has given our id to
/// another process. Rows of writers that were not used for a week are deleted, so a missing row
/// need not mean that.
void Writer::find_own_row() {
  const Reply row = connection_->ask(select_writer, Parameters::of(id_));
  const bool is_missing = row.rows() == 0;
  if (!is_missing) {
    const Write found{.number = row.integer(0, 0), .at = Timestamp{Duration{row.integer(0, 1)}}};
    if (found == newest_ || found == acknowledged_) return;
  }
  const bool was_deleted = is_missing && clock_.now() - newest_.at >= rows_are_kept_for;
  const bool has_forgotten = acknowledged_.number != 0 && !was_deleted;
  id_ = 0;
  if (!has_forgotten) return;
  is_set_back_ = true;
  ++setbacks_;
}

void Writer::refuse_after_setback() {
  if (!std::exchange(is_set_back_, false)) return;
  throw Fault{Error{ErrorCode::unavailable,
                    "the server has lost commits that it had acknowledged; a standby may have "
                    "taken over without them",
                    "the worker compares what it holds with the store and continues by itself"}};
}

Connection& Writer::connection() {
  if (!connection_ || !connection_->is_open()) {
    connection_.reset();
    connection_ = dialer_.connect("pawl", writer_set_up(address_));
    cache_ = {};  // it may be another server that took over without the newest commits
    try {
      if (id_ != 0) sign_on();
      clock_.read(*connection_);
    } catch (...) {
      connection_.reset();  // not signed on: the next call starts again
      throw;
    }
  }
  if (id_ == 0) sign_on();
  return *connection_;
}

void Writer::begin() {
  newest_ = {.number = newest_.number + 1, .at = clock_.now()};
  connection_->begin(begin_transaction);
  connection_->post(update_last_write, Parameters::of(id_, newest_.number, newest_.at));
}

void Writer::commit(PostgresRows& rows) {
  connection_->post(commit_transaction);
  connection_->await_posted();
  acknowledged_ = newest_;
  rows.remember();
}

void Writer::post(const char* sql, const Parameters& parameters) noexcept {
  try {
    connection_->post(sql, parameters);
    connection_->push();
  } catch (const DbError&) {
    // The next transaction reconnects.
  }
}

Writer::Next Writer::after(const DbError& error, bool was_committing, int tries) {
  if (connection_) connection_->roll_back();
  if (error.is_lost()) {
    if (was_committing) return Next::ask_whether_written;
    return tries < 3 ? Next::repeat : Next::give_up;
  }
  const bool was_answered = error.kind == DbError::Kind::answered;
  return was_answered && error.may_repeat() && tries < tries_max ? Next::repeat : Next::give_up;
}

bool Writer::was_written() {
  const auto deadline = std::chrono::steady_clock::now() + unknown_for_at_most;
  for (auto pause = std::chrono::milliseconds(20);;
       pause = std::min(pause * 2, std::chrono::milliseconds(1'000))) {
    try {
      const std::int64_t signed_on_as = id_;
      connection();
      if (id_ != signed_on_as) return false;
      const Reply found = connection_->ask(select_last_write, Parameters::of(id_));
      return found.rows() > 0 && found.integer(0, 0) == newest_.number;
    } catch (const DbError&) {
      if (std::chrono::steady_clock::now() > deadline) throw;
      if (connection_) connection_->roll_back();
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace pawl::postgres
