#pragma once

/// How a change of a map of the memory store is undone.

#include <functional>

namespace pawl::store {

/// Puts back what the map has for the key now.
template <class Map>
std::function<void()> restoring(Map& map, const typename Map::key_type& key) {
  const auto known = map.find(key);
  if (known == map.end()) return [&map, key] { map.erase(key); };
  return [&map, key, before = known->second] { map.insert_or_assign(key, before); };
}

}  // namespace pawl::store
