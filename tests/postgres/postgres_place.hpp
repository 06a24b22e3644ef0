#pragma once

/// A test's own schema on the tests' own PostgreSQL server; it is dropped with this object. The
/// server is found by PAWL_TEST_POSTGRES (its url) or PAWL_TEST_POSTGRES_FILE (a file with the
/// url), which ctest sets for programs declared with `pawl_test(… POSTGRES)`. Without either, the
/// constructor throws and says how to start a server: a test never passes by not running.

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <unistd.h>

namespace pawl {

class PostgresPlace {
 public:
  PostgresPlace() : server_(server_url()), schema_(unused_name()) {}
  PostgresPlace(const PostgresPlace&) = delete;
  PostgresPlace& operator=(const PostgresPlace&) = delete;
  ~PostgresPlace() {
    try {
      // A connection that a test left in a transaction should fail the test, not hang it.
      execute("SET lock_timeout = '10s'; DROP SCHEMA IF EXISTS " + schema_ + " CASCADE");
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }

  /// The address for opening a store. The store creates the schema.
  [[nodiscard]] std::string url() const { return server_ + "?schema=" + schema_; }
  /// The address for libpq: the same database, without a schema.
  [[nodiscard]] const std::string& server() const { return server_; }
  [[nodiscard]] const std::string& schema() const { return schema_; }

  /// Runs statements in this schema, past the store and on their own connection. Returns the first
  /// value of the last one, empty if there is none. Throws the server's errors.
  std::string execute(const std::string& statements) const {
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(server_.c_str()),
                                                                  &PQfinish);
    if (PQstatus(connection.get()) != CONNECTION_OK) {
      throw std::runtime_error("no connection to the tests' server " + server_ + ": " +
                               PQerrorMessage(connection.get()) + how_to_start);
    }
    // Hide the notices about dropping missing objects.
    run(connection.get(), "SET client_min_messages = warning; SET search_path = " + schema_);
    return run(connection.get(), statements);
  }

 private:
  static constexpr const char* how_to_start =
      "\nThese tests need a PostgreSQL server of their own. ctest starts it; by hand:\n"
      "  export PAWL_TEST_POSTGRES=$(python3 tests/postgres/private_server.py start "
      "/tmp/pawl-server)\n"
      "It ends with your shell, or with: private_server.py stop /tmp/pawl-server\n";

  static std::string run(PGconn* connection, const std::string& statements) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> answer(
        PQexec(connection, statements.c_str()), &PQclear);
    const ExecStatusType status = PQresultStatus(answer.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      throw std::runtime_error(statements + ": " + PQerrorMessage(connection));
    }
    if (PQntuples(answer.get()) == 0 || PQnfields(answer.get()) == 0) return {};
    return PQgetvalue(answer.get(), 0, 0);
  }

  static std::string server_url() {
    if (const char* said = std::getenv("PAWL_TEST_POSTGRES")) return said;
    const char* file = std::getenv("PAWL_TEST_POSTGRES_FILE");
    if (file == nullptr) throw std::runtime_error(how_to_start);
    std::string url;
    if (!(std::ifstream(file) >> url)) {
      throw std::runtime_error(std::string(file) + " holds no url." + how_to_start);
    }
    return url;
  }

  static std::string unused_name() {
    static std::atomic<int> count{0};
    return "test_" + std::to_string(::getpid()) + "_" + std::to_string(++count) + "_" +
           std::to_string(std::random_device{}());
  }

  // Set in the constructor.
  std::string server_;
  std::string schema_;
};

}  // namespace pawl
