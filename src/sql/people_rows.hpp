#pragma once

/// People, tokens and sessions as rows; store/ledger/people_rows.hpp documents each function.
///
/// Every write is executed at once, so a read always sees the writes before it.

#include "sql/session.hpp"
#include "store/ledger/people_rows.hpp"

namespace pawl::sql {

class SqlPeopleRows final : public store::PeopleRows {
 public:
  /// Writes only if the session is that of a write transaction. It must outlive this object.
  explicit SqlPeopleRows(Session& session) : session_(session) {}

  bool is_empty() override;
  std::vector<Person> people() override;
  std::optional<Person> person(std::string_view name) override;
  void insert_person(const Person& person) override;
  void put_person(const Person& person) override;
  void delete_person(std::string_view name) override;

  std::vector<TokenRecord> tokens() override;
  std::optional<TokenRecord> token(std::int64_t number) override;
  std::optional<TokenRecord> token_with_digest(std::string_view sha256) override;
  std::int64_t insert_token(const TokenRecord& token) override;
  void revoke_token(std::int64_t number, Timestamp at) override;
  void note_token_use(std::int64_t number, Timestamp at) override;

  std::optional<SessionRecord> session(std::string_view sha256) override;
  void insert_session(const SessionRecord& session) override;
  void delete_session(std::string_view sha256) override;
  void delete_sessions_of(std::string_view person) override;
  void delete_expired_sessions(Timestamp now) override;

 private:
  template <class... Values>
  void run(const char* sql, const Values&... values);

  Session& session_;
};

}  // namespace pawl::sql
