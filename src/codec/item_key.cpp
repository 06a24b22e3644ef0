#include "pawl/codec/item_key.hpp"

#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {
namespace {

/// The text of a scalar; empty if it cannot serve as a key.
std::string scalar_text(const JsonView& value) {
  if (is_string(value)) return *value.string();
  return is_number(value) || is_boolean(value) ? canonical(*value.json()).text() : std::string{};
}

}  // namespace

std::string own_key(const Json& data, std::string_view id_path) {
  if (!id_path.empty()) {
    if (std::string key = scalar_text(field(data, id_path)); !key.empty()) return key;
  }
  if (std::string key = scalar_text(data); !key.empty()) return key;
  if (is_object(data)) {
    for (const std::string_view name : {"id", "item_id", "_id"}) {
      const JsonView id = JsonView(data)[name];
      if (is_boolean(id)) continue;
      if (std::string key = scalar_text(id); !key.empty()) return key;
    }
  }
  return {};
}

std::string item_key(const Json& data, std::string_view id_path) {
  std::string key = own_key(data, id_path);
  return key.empty() ? sha256_hex(canonical(data).text()) : key;
}

}  // namespace pawl
