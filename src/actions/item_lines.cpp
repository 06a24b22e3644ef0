#include "actions/item_lines.hpp"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "pawl/codec/json.hpp"
#include "text/utf8.hpp"

namespace pawl::actions {

namespace {

constexpr std::size_t line_bytes_max = std::size_t{16} << 20U;

/// What is wrong with one line. Removes the parser's own line number, which is always 1.
std::string of_one_line(std::string_view message) {
  constexpr std::string_view first = "line 1, ";
  if (message.starts_with(first)) return ", " + std::string(message.substr(first.size()));
  return ": " + std::string(message);
}

}  // namespace

std::string ItemLines::place() const { return name_ + ", line " + std::to_string(line_); }

Result<bool> ItemLines::next_line(std::string& line) {
  line.clear();
  ++line_;
  bool has_any = false;
  for (int c = std::fgetc(file_.get()); c != EOF; c = std::fgetc(file_.get())) {
    has_any = true;
    if (c == '\n') return true;
    line += static_cast<char>(c);
    if (line.size() > line_bytes_max) {
      // Skip the rest of the line, so that the next call begins with the next one.
      for (int rest = c; rest != EOF && rest != '\n';) rest = std::fgetc(file_.get());
      return fail(ErrorCode::invalid, place() + " is longer than 16 MiB");
    }
  }
  if (std::ferror(file_.get()) != 0) {
    return fail(ErrorCode::unavailable,
                "cannot read " + name_ + ": " + std::generic_category().message(errno));
  }
  return has_any;
}

Result<bool> ItemLines::next(Json& document) {
  std::string line;
  for (;;) {
    const Result<bool> read = next_line(line);
    if (!read || !*read) return read;
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos) continue;
    const bool is_json = std::string_view("{[\"").find(line[first]) != std::string_view::npos;
    if (!is_json) {
      if (!text::is_utf8(line)) return fail(ErrorCode::invalid, place() + " is not UTF-8");
      document = Json(line);
      return true;
    }
    Result<Json> parsed = parse_json(line);
    if (!parsed) {
      return fail(ErrorCode::invalid, place() + of_one_line(parsed.error().message),
                  parsed.error().help);
    }
    document = std::move(*parsed);
    return true;
  }
}

}  // namespace pawl::actions
