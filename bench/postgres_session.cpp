#include "bench/postgres_session.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "bench/measure.hpp"

namespace pawl::bench {

namespace {

constexpr std::size_t head_bytes = 20;  // dimensions, has nulls, type, length, lower bound
constexpr std::int32_t type_bigint = 20;
constexpr std::int32_t type_text = 25;

void put(char* to, std::int32_t number) {
  const auto swapped = __builtin_bswap32(static_cast<std::uint32_t>(number));
  std::memcpy(to, &swapped, sizeof swapped);
}
void put(char* to, std::int64_t number) {
  const auto swapped = __builtin_bswap64(static_cast<std::uint64_t>(number));
  std::memcpy(to, &swapped, sizeof swapped);
}
static_assert(std::endian::native == std::endian::little);

}  // namespace

void BinaryArray::append(std::int64_t number) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + 12);
  put(bytes_.data() + at, std::int32_t{8});
  put(bytes_.data() + at + 4, number);
  ++count_;
}

void BinaryArray::append(std::string_view text) {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + 4);
  put(bytes_.data() + at, static_cast<std::int32_t>(text.size()));
  bytes_ += text;
  ++count_;
}

void BinaryArray::append_null() {
  const std::size_t at = bytes_.size();
  bytes_.resize(at + 4);
  put(bytes_.data() + at, std::int32_t{-1});
  has_null_ = true;
  ++count_;
}

std::string_view BinaryArray::bytes() {
  put(bytes_.data(), std::int32_t{1});
  put(bytes_.data() + 4, std::int32_t{has_null_ ? 1 : 0});
  put(bytes_.data() + 8, kind_ == Kind::number ? type_bigint : type_text);
  put(bytes_.data() + 12, count_);
  put(bytes_.data() + 16, std::int32_t{1});
  return bytes_;
}

void BinaryArray::clear() {
  count_ = 0;
  has_null_ = false;
  bytes_.assign(head_bytes, '\0');
}

BinaryValues& BinaryValues::add(std::int64_t number) {
  std::string& bytes = values_.emplace_back(8, '\0');
  put(bytes.data(), number);
  return *this;
}

BinaryValues& BinaryValues::add(std::string_view text) {
  values_.emplace_back(text);
  return *this;
}

BinaryValues& BinaryValues::add(BinaryArray& array) {
  values_.emplace_back(array.bytes());
  return *this;
}

BinaryValues& BinaryValues::add_all(BinaryValues&& more) {
  std::ranges::move(more.values_, std::back_inserter(values_));
  return *this;
}

PostgresSession::PostgresSession(const std::string& url, const std::string& schema)
    : raw_(PQconnectdb(url.c_str())) {
  if (PQstatus(raw_.get()) != CONNECTION_OK) fail();
  run("SET client_min_messages = warning");
  if (!schema.empty()) run("SET search_path = " + schema);
}

void PostgresSession::fail() {
  give_up(std::string("PostgreSQL says: ") + PQerrorMessage(raw_.get()));
}

ResultRows PostgresSession::run(const std::string& sql) {
  ResultRows rows(PQexec(raw_.get(), sql.c_str()));
  const ExecStatusType status = PQresultStatus(rows.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail();
  return rows;
}

std::int64_t PostgresSession::integer(const std::string& sql) {
  const ResultRows rows = run(sql);
  if (PQntuples(rows.get()) == 0) give_up("no row answers: " + sql);
  return std::strtoll(PQgetvalue(rows.get(), 0, 0), nullptr, 10);
}

void PostgresSession::prepare(const char* name, const std::string& sql) {
  const ResultRows done(PQprepare(raw_.get(), name, sql.c_str(), 0, nullptr));
  if (PQresultStatus(done.get()) != PGRES_COMMAND_OK) fail();
}

void PostgresSession::begin_pipeline() {
  if (PQsetnonblocking(raw_.get(), 1) != 0 || PQenterPipelineMode(raw_.get()) != 1) fail();
}

void PostgresSession::post(const char* name, const BinaryValues& values) {
  std::vector<const char*> starts;
  std::vector<int> lengths;
  for (const std::string& value : values.values()) {
    starts.push_back(value.data());
    lengths.push_back(static_cast<int>(value.size()));
  }
  const std::vector<int> formats(starts.size(), 1);
  if (PQsendQueryPrepared(raw_.get(), name, static_cast<int>(starts.size()), starts.data(),
                          lengths.data(), formats.data(), 1) != 1) {
    fail();
  }
}

std::vector<ResultRows> PostgresSession::settle() {
  // libpq sends the rest while it waits for an answer.
  if (PQpipelineSync(raw_.get()) != 1) fail();
  std::vector<ResultRows> answers;
  for (;;) {
    ResultRows one(PQgetResult(raw_.get()));
    if (!one) continue;  // the end of a statement's results
    switch (PQresultStatus(one.get())) {
      case PGRES_PIPELINE_SYNC:
        return answers;
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        answers.push_back(std::move(one));
        break;
      default:
        give_up(std::string("PostgreSQL says: ") + PQresultErrorMessage(one.get()));
    }
  }
}

std::int64_t bigint_of(const PGresult* rows, int row, int column) {
  std::uint64_t number = 0;
  std::memcpy(&number, PQgetvalue(rows, row, column), sizeof number);
  return static_cast<std::int64_t>(__builtin_bswap64(number));
}

}  // namespace pawl::bench
