#include "workflow/map_reader.hpp"

#include <algorithm>
#include <utility>

namespace pawl::workflow {

MapReader::MapReader(Faults& faults, const YamlNode& map, KeyPlace place, std::string where)
    : MapReader(faults, map, keys_of(place), std::move(where)) {}

MapReader::MapReader(Faults& faults, const YamlNode& map, std::span<const KnownKey> known,
                     std::string where)
    : faults_(faults), where_(std::move(where)) {
  const std::vector<std::string> honoured = honoured_keys(known);
  std::vector<const YamlMember*> unknown;
  for (const YamlMember& one : map.map) {
    const auto key = std::ranges::find(known, one.key, &KnownKey::name);
    if (key == known.end()) {
      unknown.push_back(&one);
    } else if (key->is_honoured()) {
      members_.emplace(one.key, &one);
    } else {
      refused_.emplace(one.key, &one);
      faults.add(key->refusal_code, one.key_place,
                 in_quotes(one.key) + " in " + where_ + " " + std::string(key->refusal),
                 std::string(key->way_out));
    }
  }
  for (const YamlMember* const one : unknown) {
    faults.add_misspelt("E010", one->key_place,
                        "unknown key " + in_quotes(one->key) + " in " + where_, one->key, honoured,
                        "the keys here are: " + listed(honoured));
    if (std::string meant = meant_by(one->key, honoured); !meant.empty()) {
      members_.emplace(std::move(meant), one);
    }
  }
}

const YamlMember* MapReader::member(std::string_view key) const {
  const auto found = members_.find(key);
  return found == members_.end() ? nullptr : found->second;
}

std::optional<Value> MapReader::find(std::string_view key) const {
  const YamlMember* const found = member(key);
  if (found == nullptr) return std::nullopt;
  return Value{found->value, in_quotes(key) + " of " + where_};
}

}  // namespace pawl::workflow
