#include "store/memory/memory_people.hpp"

#include <utility>

#include "store/memory/undo.hpp"

namespace pawl::store {

namespace {

template <class Map, class Key>
auto find_in(const Map& map, const Key& key) -> std::optional<typename Map::mapped_type> {
  const auto known = map.find(key);
  if (known == map.end()) return std::nullopt;
  return known->second;
}

template <class Map>
std::vector<typename Map::mapped_type> values_of(const Map& map) {
  std::vector<typename Map::mapped_type> values;
  for (const auto& [key, value] : map) values.push_back(value);
  return values;
}

}  // namespace

template <class Map>
void MemoryPeople::remember(Map& map, const typename Map::key_type& key) {
  note_(restoring(map, key));
}

std::vector<Person> MemoryPeople::people() { return values_of(people_); }

std::optional<Person> MemoryPeople::person(std::string_view name) { return find_in(people_, name); }

void MemoryPeople::put_person(const Person& person) {
  remember(people_, person.name);
  people_.insert_or_assign(person.name, person);
}

void MemoryPeople::delete_person(std::string_view name) {
  remember(people_, std::string(name));
  people_.erase(std::string(name));
}

std::vector<TokenRecord> MemoryPeople::tokens() { return values_of(tokens_); }

std::optional<TokenRecord> MemoryPeople::token(std::int64_t number) {
  return find_in(tokens_, number);
}

std::optional<TokenRecord> MemoryPeople::token_with_digest(std::string_view sha256) {
  for (const auto& [number, token] : tokens_) {
    if (token.sha256 == sha256) return token;
  }
  return std::nullopt;
}

std::int64_t MemoryPeople::insert_token(const TokenRecord& token) {
  TokenRecord row = token;
  row.number = static_cast<std::int64_t>(tokens_.size()) + 1;  // tokens are never deleted
  remember(tokens_, row.number);
  tokens_.emplace(row.number, row);
  return row.number;
}

void MemoryPeople::revoke_token(std::int64_t number, Timestamp at) {
  remember(tokens_, number);
  tokens_.at(number).revoked_at = at;
}

void MemoryPeople::note_token_use(std::int64_t number, Timestamp at) {
  remember(tokens_, number);
  tokens_.at(number).used_at = at;
}

std::optional<SessionRecord> MemoryPeople::session(std::string_view sha256) {
  return find_in(sessions_, sha256);
}

void MemoryPeople::insert_session(const SessionRecord& session) {
  remember(sessions_, session.sha256);
  sessions_.emplace(session.sha256, session);
}

template <class Matches>
void MemoryPeople::delete_sessions(Matches matches) {
  std::erase_if(sessions_, [&](const auto& entry) {
    if (!matches(entry.second)) return false;
    remember(sessions_, entry.first);
    return true;
  });
}

void MemoryPeople::delete_session(std::string_view sha256) {
  delete_sessions([&](const SessionRecord& session) { return session.sha256 == sha256; });
}

void MemoryPeople::delete_sessions_of(std::string_view person) {
  delete_sessions([&](const SessionRecord& session) { return session.person == person; });
}

void MemoryPeople::delete_expired_sessions(Timestamp now) {
  delete_sessions([&](const SessionRecord& session) { return session.expires_at <= now; });
}

}  // namespace pawl::store
