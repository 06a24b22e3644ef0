#include "codec/file_value.hpp"

#include <algorithm>
#include <string_view>

#include "pawl/codec/json.hpp"

namespace pawl::codec {

namespace {

constexpr std::string_view digest_prefix = "sha256:";

/// The text names a file in the store, so it must be a digest and nothing else.
bool is_digest(std::string_view text) {
  return text.size() == 64 && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.size() <= 255 &&
         name.find('/') == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

}  // namespace

Json file_value(const FileValue& file) {
  return Json::object({{"$file", std::string(digest_prefix) + file.sha256},
                       {"name", file.name},
                       {"size", file.size}});
}

std::optional<FileValue> file_of(const Json& value) {
  if (!is_object(value) || value.text().find("\"$file\"") == std::string::npos) return std::nullopt;
  if (members(value).size() != 3) return std::nullopt;
  const auto digest = field(value, "$file").string();
  const auto name = field(value, "name").string();
  const auto size = field(value, "size").integer();
  if (!digest || !name || !size || !digest->starts_with(digest_prefix) || !is_file_name(*name)) {
    return std::nullopt;
  }
  const std::string sha256 = digest->substr(digest_prefix.size());
  if (!is_digest(sha256)) return std::nullopt;
  return FileValue{.sha256 = sha256, .name = *name, .size = *size};
}

}  // namespace pawl::codec
