/// Whatever bytes a source of items has: each line is an item, nothing, or an error that names it,
/// and an item has one key however its JSON is spelt.

#include "actions/item_lines.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "pawl/codec/item_key.hpp"
#include "pawl/codec/json.hpp"

namespace {

/// Lines that hold more than white space.
std::size_t lines_in(std::string_view text) {
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) ++lines;
  }
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  if (size == 0) return 0;  // fmemopen does not know empty files
  std::string text(reinterpret_cast<const char*>(data), size);
  std::FILE* const file = ::fmemopen(text.data(), size, "rb");
  require(file != nullptr, "no memory");
  actions::ItemLines lines({file, [](std::FILE* open) { std::fclose(open); }}, "items");
  std::size_t items = 0;
  for (;;) {
    Json item;
    const Result<bool> read = lines.next(item);
    if (!read) {
      require(read.error().code == ErrorCode::invalid, "refused for another reason");
      require(read.error().message.starts_with(lines.place()), "refused without a place");
      return 0;
    }
    if (!*read) break;
    ++items;
    const auto parsed = parse_json(item.text());
    require(parsed && *parsed == item, "an item that is not JSON");
    require(!item_key(item).empty(), "an item without a key");
    require(item_key(canonical(item)) == item_key(item), "a key that depends on the spelling");
  }
  require(items == lines_in(text), "a line was lost");
  return 0;
}
