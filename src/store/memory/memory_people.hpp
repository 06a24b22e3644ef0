#pragma once

/// People, tokens and sessions of the memory store. Every change notes how to undo it.

#include <functional>
#include <map>
#include <string>

#include "store/ledger/people_rows.hpp"

namespace pawl::store {

class MemoryPeople final : public PeopleRows {
 public:
  /// `note` takes what undoes a change; it must outlive this object.
  explicit MemoryPeople(std::function<void(std::function<void()>)> note) : note_(std::move(note)) {}

  bool is_empty() override { return people_.empty(); }
  std::vector<Person> people() override;
  std::optional<Person> person(std::string_view name) override;
  void insert_person(const Person& person) override { put_person(person); }
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
  /// Notes what the map has for the key, before it changes.
  template <class Map>
  void remember(Map& map, const typename Map::key_type& key);
  template <class Matches>
  void delete_sessions(Matches matches);

  std::function<void(std::function<void()>)> note_;
  std::map<std::string, Person, std::less<>> people_;
  std::map<std::int64_t, TokenRecord> tokens_;
  std::map<std::string, SessionRecord, std::less<>> sessions_;
};

}  // namespace pawl::store
