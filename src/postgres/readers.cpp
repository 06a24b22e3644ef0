#include "postgres/readers.hpp"

#include <utility>

#include "postgres/faults.hpp"
#include "postgres/sessions.hpp"

namespace pawl::postgres {

namespace {

constexpr char begin_reading[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
constexpr char begin_writing[] = "BEGIN";
constexpr char commit[] = "COMMIT";

}  // namespace

class Readers::Lease {
 public:
  Lease(std::unique_lock<std::mutex> lock, Connection& connection)
      : lock_(std::move(lock)), connection_(&connection) {}
  Connection& operator*() const { return *connection_; }
  Connection* operator->() const { return connection_; }

 private:
  std::unique_lock<std::mutex> lock_;
  Connection* connection_;
};

Readers::Readers(Address address, Duration answer_within)
    : address_(std::move(address)), answer_within_(answer_within) {}

void Readers::open(Reader& reader, const char* begin) {
  for (bool is_fresh = false;;) {
    if (!reader.connection || !reader.connection->is_open()) {
      reader.connection.reset();
      reader.connection = std::make_unique<Connection>(
          Connection::Settings{.address = address_,
                               .name = "pawl reader " + address_.schema,
                               .set_up = reader_set_up(address_),
                               .answer_within = answer_within_});
      is_fresh = true;
    }
    try {
      reader.connection->post(begin);
      reader.connection->settle();
      return;
    } catch (const DbError& error) {
      if (!error.is_lost() || is_fresh) throw;
    }
  }
}

Readers::Lease Readers::borrow(const char* begin) {
  for (Reader& reader : readers_) {
    std::unique_lock lock(reader.mutex, std::try_to_lock);
    if (!lock.owns_lock()) continue;
    open(reader, begin);
    return {std::move(lock), *reader.connection};
  }
  Reader& reader = readers_[turn_++ % readers_.size()];
  std::unique_lock lock(reader.mutex);
  open(reader, begin);
  return {std::move(lock), *reader.connection};
}

std::optional<Error> Readers::read(const std::function<void(sql::Session&)>& body) {
  const auto done = guarded(address_, [&]() -> Status {
    const Lease connection = borrow(begin_reading);
    try {
      body(*connection);
      connection->post(commit);
      connection->push();
    } catch (...) {
      connection->roll_back();
      throw;
    }
    return {};
  });
  if (done) return std::nullopt;
  return done.error();
}

void Readers::write(const std::function<void(Connection&)>& body) {
  const Lease connection = borrow(begin_writing);
  try {
    body(*connection);
    connection->post(commit);
    connection->settle();
  } catch (...) {
    connection->roll_back();
    throw;
  }
}

}  // namespace pawl::postgres
