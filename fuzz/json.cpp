/// Whatever the bytes: JSON is read or refused with a place; what was read is written and read back
/// as the same value; and the scanner, which trusts its text, sees what the parser saw.

#include "pawl/codec/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/scan.hpp"
#include "pawl/core/result.hpp"

namespace {

using namespace pawl;

Json parsed(std::string_view text) {
  const Result<Json> value = parse_json(text);
  require(value.has_value(), "what was written cannot be read: " + std::string(text));
  return *value;
}

/// Taken apart by the scanner and put together again, a value is the same.
void check_parts(const Json& value) {
  require(codec::Scanner(value.text()).value() == value.text(), "the scanner stops elsewhere");
  if (is_object(value)) {
    const auto parts = members(value);
    require(Json::object(parts) == value, "an object with other members");
    for (const auto& [key, part] : parts) {
      require(JsonView(value)[key].json() == part, "a member that is not found by its key");
      check_parts(part);
    }
  } else if (is_array(value)) {
    const auto parts = elements(value);
    require(Json::array(parts) == value, "an array with other elements");
    for (const Json& part : parts) check_parts(part);
  } else if (const auto text = JsonView(value).string()) {
    require(Json(*text) == value, "a text that is written otherwise");
  } else if (is_number(value)) {
    require(JsonView(value).number().has_value(), "a number out of range");
    if (const auto whole = JsonView(value).integer()) {
      require(JsonView(value).number() == static_cast<double>(*whole), "two numbers in one");
    }
  } else {
    require(value.is_null() || JsonView(value).boolean(), "a value of no kind");
  }
}

/// Text that is not valid is read as something, never beyond its end.
void check_scanning(const std::string& text) {
  const Json pretended = Json::trusted(text);
  (void)pretty(pretended);
  for (const auto& [key, value] : members(pretended)) (void)codec::unquoted(value.text());
  for (const Json& value : elements(pretended)) (void)JsonView(value).number();
  (void)field(pretended, "a[1].b").json();
  (void)codec::unquoted(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<Json> value = parse_json(text);
  if (!value) {
    require(value.error().message.starts_with("line "), "refused without a place");
    check_scanning(text);
    return 0;
  }
  require(parsed(value->text()) == *value, "another value when read again");
  require(parsed(pretty(*value)) == *value, "another value when laid out");
  const Json one_form = canonical(*value);
  require(parsed(one_form.text()) == one_form, "a form that is not compact");
  require(canonical(one_form) == one_form, "a form that is not the last");
  check_parts(*value);
  return 0;
}
