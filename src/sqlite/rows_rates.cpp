/// The starts of attempts that rate limits count.

#include "sqlite/sqlite_rows.hpp"

namespace pawl::sqlite {

namespace {

constexpr char select_newest[] =
    "SELECT number FROM rate_marks WHERE pool = ?1 ORDER BY number DESC LIMIT 1";
constexpr char select_opening[] =
    "SELECT at FROM rate_marks WHERE pool = ?1 AND number <= ?2 ORDER BY number DESC LIMIT 1";
constexpr char insert_opening[] =
    "INSERT INTO rate_marks (pool, number, at, keep_until) VALUES (?1, ?2, ?3, ?4)";
constexpr char delete_openings[] =
    "DELETE FROM rate_marks WHERE pool = ?1 AND number <= ?2 AND keep_until <= ?3";

std::int64_t newest_number(Connection& connection, const std::string& pool) {
  Cursor row = connection.prepared(select_newest).query(pool);
  return row.next() ? row.integer(0) : 0;
}

}  // namespace

Timestamp SqliteRows::opening_before(const std::string& pool, std::uint32_t count) {
  const std::int64_t newest = newest_number(connection_, pool);
  Cursor row = connection_.prepared(select_opening).query(pool, newest - count + 1);
  return row.next() ? row.as<Timestamp>(0) : no_time;
}

void SqliteRows::note_opening(const std::string& pool, const Rate& rate, Timestamp at) {
  const std::int64_t number = newest_number(connection_, pool) + 1;
  connection_.prepared(insert_opening).run(pool, number, at, at + rate.per);
  connection_.prepared(delete_openings).run(pool, number - rate.count, at);
}

}  // namespace pawl::sqlite
