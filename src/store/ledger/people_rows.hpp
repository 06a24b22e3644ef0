#pragma once

/// Row access to people, tokens and sessions. Nothing here decides.
///
/// A use of a token is noted beside other changes, so each write of a token changes one column.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "pawl/store/people.hpp"

namespace pawl::store {

class PeopleRows {
 public:
  virtual ~PeopleRows() = default;

  virtual bool is_empty() = 0;
  /// By name.
  virtual std::vector<Person> people() = 0;
  virtual std::optional<Person> person(std::string_view name) = 0;
  virtual void insert_person(const Person& person) = 0;
  virtual void put_person(const Person& person) = 0;
  virtual void delete_person(std::string_view name) = 0;

  /// By number.
  virtual std::vector<TokenRecord> tokens() = 0;
  virtual std::optional<TokenRecord> token(std::int64_t number) = 0;
  virtual std::optional<TokenRecord> token_with_digest(std::string_view sha256) = 0;
  /// Inserts with the next number.
  virtual std::int64_t insert_token(const TokenRecord& token) = 0;
  virtual void revoke_token(std::int64_t number, Timestamp at) = 0;
  virtual void note_token_use(std::int64_t number, Timestamp at) = 0;

  virtual std::optional<SessionRecord> session(std::string_view sha256) = 0;
  virtual void insert_session(const SessionRecord& session) = 0;
  virtual void delete_session(std::string_view sha256) = 0;
  virtual void delete_sessions_of(std::string_view person) = 0;
  virtual void delete_expired_sessions(Timestamp now) = 0;
};

}  // namespace pawl::store
