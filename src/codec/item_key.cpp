#include "pawl/codec/item_key.hpp"

#include <optional>

#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {
namespace {

/// The text of a scalar; empty if it cannot serve as a key.
std::string scalar_text(const Json& value) {
  if (value.is_null() || is_object(value) || is_array(value)) return {};
  if (const auto text = string_of(value)) return *text;
  return canonical(value).text();
}

}  // namespace

std::string item_key(const Json& data, std::string_view id_path) {
  if (!id_path.empty()) {
    const auto configured = at_path(data, id_path);
    if (std::string key = configured ? scalar_text(*configured) : std::string{}; !key.empty()) {
      return key;
    }
  }
  if (std::string key = scalar_text(data); !key.empty()) return key;
  if (is_object(data)) {
    for (const std::string_view name : {"id", "item_id", "_id"}) {
      const auto id = member(data, name);
      if (!id || !(is_string(*id) || is_number(*id))) continue;
      if (std::string key = scalar_text(*id); !key.empty()) return key;
    }
  }
  return sha256_hex(canonical(data).text());
}

}  // namespace pawl
