/// Whatever a client asks for: an address leads to one route or to none, its input is read or
/// refused, and what is said about it can be shown.
///
/// The first line is the method and the target, the rest is the body.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/codec/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/text.hpp"
#include "service/api/call.hpp"
#include "service/api/reply.hpp"
#include "service/api/route.hpp"
#include "service/api/url_text.hpp"

namespace {

using namespace pawl;
using namespace pawl::service;

void check_refusal(const Error& error) {
  require(error.code == ErrorCode::invalid, "refused for another reason");
  require(!error.message.empty(), "refused without a reason");
  const Response response = error_response(error);
  require(parse_json(response.body).has_value(), "an answer that is not JSON: " + response.body);
}

void check_fields(const Result<Fields>& fields, const std::vector<Field>& known) {
  if (!fields) return check_refusal(fields.error());
  for (const Field& field : known) {
    if (!fields->has(field.name)) {
      require(!field.is_required, "a required field is missing");
      continue;
    }
    const std::string text = fields->json(field.name)->text();
    require(parse_json(text).has_value(), "a value that is not JSON: " + text);
    if (field.kind == service::FieldKind::integer) {
      const std::int64_t number = fields->integer(field.name);
      require(number >= field.min && number <= field.max, "a number out of its range");
    }
    if (field.kind == service::FieldKind::text && !field.words.empty()) {
      require(std::ranges::count(field.words, fields->text(field.name)) == 1, "an unknown word");
    }
  }
}

void check_match(const Match& match, std::string_view method, std::string_view path) {
  require((match.route == nullptr) || !match.methods.empty(), "a route without a path");
  if (match.route == nullptr) return;
  require(match.route->method == (method == "HEAD" ? "GET" : method), "a route of another method");
  // The address can be built again from the route and its parts.
  std::string built(match.route->path);
  for (const auto& [name, value] : match.parts) {
    require(!value.empty(), "an empty part");
    const std::string braces = "{" + std::string(name) + "}";
    built.replace(built.find(braces), braces.size(), with_escapes(value));
  }
  require(without_escapes(built) == without_escapes(path), "another address: " + built);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line_end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, line_end);
  const std::string_view body = text.substr(std::min(line_end + 1, text.size()));
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view method = line.substr(0, space);
  const std::string_view target = line.substr(std::min(space + 1, line.size()));
  const std::size_t mark = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, mark);
  const std::string_view query = target.substr(std::min(mark + 1, target.size()));

  const Match match = find_route(routes(), method, path);
  check_match(match, method, path);
  if (match.route != nullptr) {
    check_fields(read_query(*match.route, query), query_of(*match.route));
    if (!match.route->takes_bytes) check_fields(read_body(*match.route, body), match.route->body);
  }
  for (const auto& [name, value] : query_parts(query)) {
    if (name) require(without_escapes(with_escapes(*name)) == *name, "a name that is lost");
    if (value) require(without_escapes(with_escapes(*value)) == *value, "a value that is lost");
  }
  return 0;
}
