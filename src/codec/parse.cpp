#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>

#include "codec/scan.hpp"
#include "pawl/codec/json.hpp"
#include "text/utf8.hpp"

namespace pawl {

using namespace codec;

namespace {

using Fault = boost::json::error_code;

/// Receives the parser's events and writes compact text. Numbers are written as they were read, so
/// digits that a double cannot hold are not lost.
class CompactText {
 public:
  // The parser requires these limits; the limit on the text is smaller.
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  using View = boost::json::string_view;

  CompactText(std::size_t bytes, std::size_t members_max) : members_max_(members_max) {
    text_.reserve(bytes);
  }

  /// Why this class refused the text; empty if the parser did.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }
  [[nodiscard]] std::string take_text() { return std::move(text_); }

  bool on_document_begin(Fault&) { return true; }
  bool on_document_end(Fault&) { return true; }
  bool on_object_begin(Fault&) {
    begin_value();
    text_ += '{';
    keys_.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t, Fault&) {
    text_ += '}';
    keys_.pop_back();
    return true;
  }
  bool on_array_begin(Fault&) {
    begin_value();
    text_ += '[';
    return true;
  }
  bool on_array_end(std::size_t, Fault&) {
    text_ += ']';
    return true;
  }
  bool on_key_part(View part, std::size_t, Fault&) {
    part_.append(part.data(), part.size());
    return true;
  }
  bool on_key(View part, std::size_t, Fault& fault) {
    part_.append(part.data(), part.size());
    begin_value();
    append_quoted(text_, part_);
    text_ += ':';
    if (!keys_.back().insert(part_).second) {
      return refuse("duplicate key '" + part_ + "'", fault);
    }
    if (keys_.back().size() > members_max_) {
      return refuse("an object has more than " + std::to_string(members_max_) + " members", fault);
    }
    part_.clear();
    return true;
  }
  bool on_string_part(View part, std::size_t, Fault&) {
    part_.append(part.data(), part.size());
    return true;
  }
  bool on_string(View part, std::size_t, Fault&) {
    part_.append(part.data(), part.size());
    begin_value();
    append_quoted(text_, part_);
    part_.clear();
    return true;
  }
  bool on_number_part(View part, Fault&) {
    part_.append(part.data(), part.size());
    return true;
  }
  bool on_int64(std::int64_t, View part, Fault& fault) { return number(part, fault); }
  bool on_uint64(std::uint64_t, View part, Fault& fault) { return number(part, fault); }
  bool on_double(double, View part, Fault& fault) { return number(part, fault); }
  bool on_bool(bool value, Fault&) {
    begin_value();
    text_ += value ? "true" : "false";
    return true;
  }
  bool on_null(Fault&) {
    begin_value();
    text_ += "null";
    return true;
  }
  bool on_comment_part(View, Fault&) { return true; }
  bool on_comment(View, Fault&) { return true; }

 private:
  void begin_value() {
    if (text_.empty()) return;
    const char last = text_.back();
    if (last != '{' && last != '[' && last != ':') text_ += ',';
  }
  bool number(View part, Fault& fault) {
    part_.append(part.data(), part.size());
    if (!double_of(part_)) return refuse("number " + part_ + " is out of range", fault);
    begin_value();
    text_ += part_;
    part_.clear();
    return true;
  }
  bool refuse(std::string why, Fault& fault) {
    refusal_ = std::move(why);
    fault = boost::json::error::syntax;
    return false;
  }

  std::size_t members_max_;
  std::string text_;
  std::string part_;
  std::string refusal_;
  std::vector<std::unordered_set<std::string>> keys_;  ///< the keys of each open object
};

/// "line 3, column 7", counted in characters from 1.
std::string place(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  std::size_t line = 1;
  std::size_t column = 1;
  for (const char c : before) {
    if (c == '\n') {
      ++line;
      column = 1;
    } else if (text::begins_character(c)) {
      ++column;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string words_for(const Fault& fault, const JsonLimits& limits) {
  if (fault == boost::json::error::incomplete) return "the text ends in the middle of a value";
  if (fault == boost::json::error::extra_data) return "there is text after the value";
  if (fault == boost::json::error::too_deep) {
    return "nested more than " + std::to_string(limits.depth) + " levels deep";
  }
  return fault.message();
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes) {
    return fail(ErrorCode::invalid, "the JSON text has " + std::to_string(text.size()) +
                                        " bytes; the limit is " + std::to_string(limits.bytes));
  }
  boost::json::parse_options strict;
  strict.max_depth = limits.depth;
  boost::json::basic_parser<CompactText> parser(strict, text.size(), limits.members);
  Fault fault;
  const std::size_t end = parser.write_some(false, text.data(), text.size(), fault);
  if (!fault && end < text.size()) fault = boost::json::error::extra_data;
  if (fault) {
    const std::string& refusal = parser.handler().refusal();
    return fail(ErrorCode::invalid,
                place(text, end) + ": " + (refusal.empty() ? words_for(fault, limits) : refusal));
  }
  return Json::trusted(parser.handler().take_text());
}

}  // namespace pawl
