#pragma once

/// Copies of golden stores, as a killed process left them, one for each test.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "pawl/store/postgres.hpp"
#include "pawl/store/sqlite.hpp"
#include "postgres/postgres_place.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/schema.hpp"

namespace pawl::golden {

inline std::filesystem::path archive(const std::string& name) {
  return std::filesystem::path(PAWL_GOLDEN_FOLDER) / (name + ".tar.gz");
}

class Copy : public sqlite::Folder {
 public:
  explicit Copy(const std::string& name) {
    const std::string unpack = "tar -xzf '" + archive(name).string() + "' -C '" + path().string() +
                               "' --strip-components=1";
    if (std::system(unpack.c_str()) != 0) ADD_FAILURE() << unpack;
  }
  virtual ~Copy() = default;

  [[nodiscard]] virtual Result<std::shared_ptr<Store>> open(const Clock& clock) const = 0;
  /// The schema version in the database.
  [[nodiscard]] virtual std::int64_t version() const = 0;
  virtual void set_version(std::int64_t version) = 0;
  /// The whole content of the database, to check that it is unchanged.
  [[nodiscard]] virtual std::string bytes() const = 0;

  [[nodiscard]] std::string expected() const { return text_of("expected.jsonl"); }
  [[nodiscard]] Timestamp made_at() const {
    return Timestamp{Duration{std::stoll(text_of("made_at"))}};
  }

 protected:
  [[nodiscard]] std::string text_of(const char* name) const {
    std::ifstream file(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

class SqliteCopy : public Copy {
 public:
  explicit SqliteCopy(std::int64_t version) : Copy("schema_" + std::to_string(version)) {}

  [[nodiscard]] std::filesystem::path store() const { return *this / "store.db"; }
  [[nodiscard]] Result<std::shared_ptr<Store>> open(const Clock& clock) const override {
    return open_sqlite_store({.path = store()}, clock);
  }
  [[nodiscard]] std::int64_t version() const override {
    sqlite::Connection connection(store(), sqlite::Connection::Mode::read_only);
    return connection.integer("PRAGMA user_version");
  }
  void set_version(std::int64_t version) override {
    sqlite::Connection connection(store(), sqlite::Connection::Mode::read_write);
    connection.run("PRAGMA user_version = " + std::to_string(version));
  }
  [[nodiscard]] std::string bytes() const override {
    std::string all;
    for (const auto& [name, text] : content()) all += name + "\n" + text;
    return all;
  }
};

class PostgresCopy : public Copy {
 public:
  explicit PostgresCopy(std::int64_t version) : Copy("postgres_" + std::to_string(version)) {
    // In one transaction, so that no other session sees the schema name of the dump.
    place_.execute(text_of("store.sql") + "\nALTER SCHEMA golden RENAME TO " + place_.schema());
  }

  [[nodiscard]] const PostgresPlace& place() const { return place_; }
  [[nodiscard]] Result<std::shared_ptr<Store>> open(const Clock& clock) const override {
    return open_postgres_store({.url = place_.url()}, clock);
  }
  [[nodiscard]] std::int64_t version() const override {
    return std::stoll(place_.execute("SELECT value FROM counters WHERE name = 'schema'"));
  }
  void set_version(std::int64_t version) override {
    place_.execute("UPDATE counters SET value = " + std::to_string(version) +
                   " WHERE name = 'schema'");
  }
  [[nodiscard]] std::string bytes() const override {
    return place_.execute("SELECT schema_to_xml('" + place_.schema() + "', true, false, '')");
  }

 private:
  PostgresPlace place_;
};

}  // namespace pawl::golden
