#include "cli/input/items_source.hpp"

#include <system_error>

#include "cli/output/render.hpp"

namespace pawl::cli {

Result<ItemsSpec> items_named(const std::string& text, const ItemsSpec& of_file,
                              const std::filesystem::path& directory) {
  ItemsSpec items = of_file;
  items.list.clear();
  items.argv.clear();
  items.source = text == "-" ? "/dev/stdin" : text;
  const std::filesystem::path path = directory / items.source;
  std::error_code ignored;
  const bool is_file = text == "-" || std::filesystem::is_regular_file(path, ignored);
  const bool is_lines = text == "-" || text.ends_with(".jsonl") || text.ends_with(".ndjson") ||
                        text.ends_with(".txt");
  items.kind = is_file && (is_lines || of_file.kind == ItemsSpec::Kind::file)
                   ? ItemsSpec::Kind::file
                   : ItemsSpec::Kind::glob;
  items.keyed_by_path = items.kind == ItemsSpec::Kind::glob && items.id.empty();
  const bool is_pattern =
      text.find_first_of("*?[\\") != std::string::npos || text.find("${") != std::string::npos;
  if (is_file || is_pattern) return items;
  if (std::filesystem::is_directory(path, ignored)) {
    return pawl::fail(ErrorCode::invalid, "--items: '" + printable(text) + "' is a directory",
                      "pass a pattern, such as --items '" + printable((path / "*").string()) + "'");
  }
  return pawl::fail(
      ErrorCode::invalid,
      "--items: no such file in " + printable(directory.string()) + ": '" + printable(text) + "'",
      "pass a path relative to the workflow file, a pattern with *, ? or [, or - for stdin");
}

}  // namespace pawl::cli
