#pragma once

/// One map of a workflow file with the keys that have a meaning there. Unknown keys and keys that
/// this version cannot honour are noted as faults when the reader is made.
///
/// A misspelt key is read as the one that was meant, so that it causes no fault but its own.

#include <map>
#include <optional>
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

  [[nodiscard]] const YamlMember* member(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const { return member(key) != nullptr; }
  [[nodiscard]] std::optional<Value> find(std::string_view key) const;
  /// A key was there that this version refuses; what depends on it cannot be judged.
  [[nodiscard]] bool has_refused(std::string_view key) const { return refused_.contains(key); }

  /// `read` on the value of `key`, if it is there: `reader.with("timeout", read_duration)`.
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
