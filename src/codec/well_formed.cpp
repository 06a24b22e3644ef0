#include "codec/well_formed.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>

#include <boost/json/basic_parser_impl.hpp>

namespace pawl::codec {
namespace {

/// Accepts every event: the parser alone decides whether the text follows the grammar.
struct TakeAll {
  using Fault = boost::json::error_code;
  using View = boost::json::string_view;
  static constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_object_size = no_limit;
  static constexpr std::size_t max_array_size = no_limit;
  static constexpr std::size_t max_key_size = no_limit;
  static constexpr std::size_t max_string_size = no_limit;

  bool on_document_begin(Fault&) { return true; }
  bool on_document_end(Fault&) { return true; }
  bool on_object_begin(Fault&) { return true; }
  bool on_object_end(std::size_t, Fault&) { return true; }
  bool on_array_begin(Fault&) { return true; }
  bool on_array_end(std::size_t, Fault&) { return true; }
  bool on_key_part(View, std::size_t, Fault&) { return true; }
  bool on_key(View, std::size_t, Fault&) { return true; }
  bool on_string_part(View, std::size_t, Fault&) { return true; }
  bool on_string(View, std::size_t, Fault&) { return true; }
  bool on_number_part(View, Fault&) { return true; }
  bool on_int64(std::int64_t, View, Fault&) { return true; }
  bool on_uint64(std::uint64_t, View, Fault&) { return true; }
  bool on_double(double, View, Fault&) { return true; }
  bool on_bool(bool, Fault&) { return true; }
  bool on_null(Fault&) { return true; }
  bool on_comment_part(View, Fault&) { return true; }
  bool on_comment(View, Fault&) { return true; }
};

/// The parser recurses for nested values. Outside text is at most 64 levels deep. Deeper text that
/// code made is not reported as damaged; it is not checked beyond this level.
constexpr std::size_t levels_looked_at = 1'000;

}  // namespace

bool is_well_formed_json(std::string_view text) {
  boost::json::parse_options strict;
  strict.max_depth = levels_looked_at;
  boost::json::basic_parser<TakeAll> parser(strict);
  boost::json::error_code fault;
  const std::size_t end = parser.write_some(false, text.data(), text.size(), fault);
  if (fault == boost::json::error::too_deep) return true;
  return !fault && end == text.size();
}

}  // namespace pawl::codec
