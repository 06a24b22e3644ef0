#include "sqlite/db.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace pawl::sqlite {

namespace {

/// Without a shared index, and no way to make one, SQLite reads only a file that it takes for
/// unchanging. That is true as long as there is no log beside it.
bool is_taken_for_immutable(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  const bool has_index = ::access((path.string() + "-shm").c_str(), R_OK) == 0;
  const bool has_log = ::access((path.string() + "-wal").c_str(), F_OK) == 0;
  const bool may_make_index = ::access(folder.c_str(), W_OK) == 0;
  return !has_index && !has_log && !may_make_index;
}

std::string uri_to_look_at(const std::filesystem::path& path, bool is_immutable) {
  std::string uri = "file:";
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : path.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%') {
      uri += '%';
      uri += digits[byte >> 4U];
      uri += digits[byte & 15U];
    } else {
      uri += c;
    }
  }
  if (is_immutable) uri += "?immutable=1";
  return uri;
}

int flags_of(Connection::Mode mode) {
  constexpr int always = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  switch (mode) {
    case Connection::Mode::create:
      return always | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    case Connection::Mode::read_write:
    // A reader of a WAL database writes its position into the shared index; `query_only` keeps it
    // from writing anything else.
    case Connection::Mode::read_only:
      return always | SQLITE_OPEN_READWRITE;
    case Connection::Mode::look:
      return always | SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  }
  return always;
}

}  // namespace

Statement::Statement(sqlite3* db, std::string_view sql) : db_(db) {
  check(sqlite3_prepare_v3(db, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &raw_, nullptr));
  bound_.resize(static_cast<std::size_t>(sqlite3_bind_parameter_count(raw_)) + 1);
}

DbError DbError::of(sqlite3* db) { return {sqlite3_extended_errcode(db), sqlite3_errmsg(db)}; }

void Statement::raise() const { throw DbError::of(db_); }

bool Statement::step() {
  const int code = sqlite3_step(raw_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(raw_);
    return false;
  }
  const DbError error = DbError::of(db_);
  sqlite3_reset(raw_);
  throw error;
}

int Statement::finish() {
  while (step()) {
  }
  return sqlite3_changes(db_);
}

sql::RowSource& Statement::ask(std::span<const sql::Value> values) {
  int place = 0;
  for (const sql::Value& value : values) {
    ++place;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      bind_number(place, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      bind_text(place, *text, SQLITE_TRANSIENT);
    } else {
      bind(place, nullptr);
    }
  }
  return *this;
}

std::string_view Statement::view(int column) const {
  const auto* text = sqlite3_column_text(raw_, column);
  if (text == nullptr) return {};
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(raw_, column));
  return {reinterpret_cast<const char*>(text), size};
}

/// The turnstile queues our own writers; this waits for other programs, in steps like SQLite's own.
int Connection::wait_a_moment(void* waiting, int times) {
  constexpr std::array steps{1, 2, 5, 10, 15, 20, 25};
  auto& [patience, began] = *static_cast<Waiting*>(waiting);
  const auto now = std::chrono::steady_clock::now();
  if (times == 0) began = now;
  if (now - began >= patience.timeout) return 0;
  if (patience.is_interrupted && patience.is_interrupted()) return 0;
  const auto step = std::min(static_cast<std::size_t>(times), steps.size() - 1);
  std::this_thread::sleep_for(std::chrono::milliseconds(steps[step]));
  return 1;
}

FileStamp FileStamp::of(const std::filesystem::path& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return {};
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {.device = found.st_dev,
          .inode = found.st_ino,
          .size = found.st_size,
          .modified = nanoseconds(found.st_mtim),
          .changed = nanoseconds(found.st_ctim)};
}

Connection::Connection(const std::filesystem::path& path, Mode mode, files::LockPatience patience)
    : waiting_(std::make_unique<Waiting>(std::move(patience))) {
  sqlite3* db = nullptr;
  std::string name = path.string();
  if (mode == Mode::look) {
    looked_at_ = LookedAt{
        .path = path, .stamp = FileStamp::of(path), .is_immutable = is_taken_for_immutable(path)};
    name = uri_to_look_at(path, looked_at_->is_immutable);
  }
  const int code = sqlite3_open_v2(name.c_str(), &db, flags_of(mode), nullptr);
  raw_.reset(db);
  if (code != SQLITE_OK)
    throw db != nullptr ? DbError::of(db) : DbError(code, sqlite3_errstr(code));
  sqlite3_busy_handler(db, &wait_a_moment, waiting_.get());
  // Debian's SQLite is built without lookaside memory, but most allocations of a step are small.
  sqlite3_db_config(db, SQLITE_DBCONFIG_LOOKASIDE, nullptr, 512, 256);
  // A file may come from anywhere, so triggers, views and defaults of its schema must not call our
  // functions.
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
}

bool Connection::is_outdated() const {
  if (!looked_at_) return false;
  const LookedAt& seen = *looked_at_;
  if (is_taken_for_immutable(seen.path) != seen.is_immutable) return true;
  return seen.is_immutable && FileStamp::of(seen.path) != seen.stamp;
}

Statement& Connection::prepared(const char* sql) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    found = statements_.emplace(sql, Statement(raw_.get(), sql)).first;
  }
  return found->second;
}

void Connection::run(const std::string& sql) {
  const int code = sqlite3_exec(raw_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw DbError::of(raw_.get());
}

std::int64_t Connection::integer(const std::string& sql) {
  Statement statement(raw_.get(), sql);
  Cursor cursor = statement.query();
  return cursor.next() ? cursor.integer(0) : 0;
}

Transaction::Transaction(Connection& connection, Kind kind) : connection_(connection) {
  connection.prepared(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED").run();
}

Transaction::~Transaction() {
  // After some errors SQLite has rolled back by itself; then nothing is left to do.
  if (!open_ || !connection_.in_transaction()) return;
  try {
    connection_.prepared("ROLLBACK").run();
  } catch (const DbError&) {  // NOLINT(bugprone-empty-catch)
    // The connection is unusable; its owner opens another.
  }
}

void Transaction::commit() {
  connection_.prepared("COMMIT").run();
  open_ = false;
}

}  // namespace pawl::sqlite
