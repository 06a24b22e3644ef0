#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "codec/object_reader.hpp"
#include "codec/object_writer.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl {
namespace {

using namespace std::string_view_literals;

/// Stored with jobs: names may be added, never changed.
constexpr std::array kind_words{"one"sv, "list"sv, "glob"sv, "file"sv, "run"sv};

Status read_kind(const Json& value, ItemsSpec::Kind& kind) {
  const Result<std::string> word = JsonView(value).string();
  for (std::size_t i = 0; i < kind_words.size(); ++i) {
    if (word != kind_words.at(i)) continue;
    kind = static_cast<ItemsSpec::Kind>(i);
    return {};
  }
  return fail(ErrorCode::invalid, "unknown source of items: " + value.text());
}

}  // namespace

Json describe(const ItemsSpec& items) {
  const ItemsSpec usual;
  std::string text;
  {
    codec::ObjectWriter object(text);
    if (items.kind != usual.kind) {
      object.write("kind", kind_words.at(static_cast<std::size_t>(items.kind)));
    }
    if (!items.list.empty()) object.write("list", Json::array(items.list));
    object.write_unless("source", items.source, usual.source);
    object.write_unless("argv", items.argv, usual.argv);
    object.write_unless("id", items.id, usual.id);
    object.write_unless("keyed_by_path", items.keyed_by_path, usual.keyed_by_path);
    object.write_unless("category", items.category, usual.category);
    object.write_unless("path", items.path, usual.path);
    object.write_unless("offset", items.offset, usual.offset);
    object.write_if_set("limit", items.limit);
  }
  return Json::trusted(std::move(text));
}

Result<ItemsSpec> items_from(const Json& description) {
  ItemsSpec items;
  codec::ObjectReader object(description, "the items of a job", ErrorCode::invalid);
  object.read_with("kind", [&](const Json& value) { return read_kind(value, items.kind); });
  object.read_with("list", [&](const Json& value) -> Status {
    if (!is_array(value)) return fail(ErrorCode::invalid, "'list' of the items must be a list");
    items.list = elements(value);
    return {};
  });
  object.read("source", items.source).read("argv", items.argv);
  object.read("keyed_by_path", items.keyed_by_path);
  object.read("id", items.id).read("category", items.category).read("path", items.path);
  object.read("offset", items.offset).read("limit", items.limit);
  if (const Status read = object.finish(); !read) return std::unexpected(read.error());
  return items;
}

}  // namespace pawl
