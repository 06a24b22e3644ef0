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

void Readers::open(Reader& reader, const char* begin) {
  for (bool is_fresh = false;;) {
    if (!reader.connection || !reader.connection->is_open()) {
      reader.connection.reset();
      const Address& address = dialer_.address();
      reader.connection = dialer_.connect("pawl reader " + address.schema, reader_set_up(address));
      is_fresh = true;
    }
    try {
      reader.connection->begin(begin);
      reader.connection->await_posted();
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
  const auto done = guarded(dialer_.address(), [&]() -> Status {
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
    connection->await_posted();
  } catch (...) {
    connection->roll_back();
    throw;
  }
}

}  // namespace pawl::postgres
