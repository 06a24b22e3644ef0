#pragma once

/// Reads one map of a file that has a fixed set of keys. The constructor adds faults for unknown
/// keys and for keys that this version does not support.
///
/// A misspelt key is read as the nearest known key, so that it causes only one fault.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/keys.hpp"
#include "workflow/value_reader.hpp"

namespace pawl::workflow {

class MapReader {
 public:
  /// `where` names the map in messages: `stage "convert"`.
  MapReader(Faults& faults, const YamlNode& map, KeyPlace place, std::string where);
  /// A map of another file, with its own keys.
  MapReader(Faults& faults, const YamlNode& map, std::span<const KnownKey> known,
            std::string where);

  [[nodiscard]] const YamlMember* member(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return member(key) != nullptr; }
  [[nodiscard]] std::optional<Value> find(std::string_view key) const;
  /// Whether the map has this key, which this version does not support; what depends on the key
  /// cannot be checked.
  [[nodiscard]] bool has_refused(std::string_view key) const { return refused_.contains(key); }

  /// Calls `read` with the value of `key`, if there is one: `reader.with("timeout",
  /// read_duration)`.
  template <class Read, class... More>
  auto with(std::string_view key, const Read& read, const More&... more) const
      -> decltype(read(std::declval<Faults&>(), std::declval<Value>(), more...)) {
    if (const std::optional<Value> value = find(key)) return read(faults_, *value, more...);
    return {};
  }

  [[nodiscard]] Faults& faults() const { return faults_; }
  [[nodiscard]] const std::string& where() const { return where_; }

 private:
  Faults& faults_;
  std::string where_;
  std::map<std::string, const YamlMember*, std::less<>> members_;
  std::map<std::string, const YamlMember*, std::less<>> refused_;
};

}  // namespace pawl::workflow
