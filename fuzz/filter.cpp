/// Whatever the text: a filter is read or refused with a column, its canonical form means the same,
/// and it asks only for the fields it says it uses.

#include "pawl/store/filter.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

namespace {

using namespace pawl;

const std::array<FilterField, 6> fields{{
    {.name = "error"},
    {.name = "stage", .values = {"scan", "read", "write"}},
    {.name = "failure_count", .kind = FieldKind::number},
    {.name = "age", .kind = FieldKind::duration},
    {.name = "edited", .kind = FieldKind::boolean},
    {.name = "in"},  // a field may be called as a word of the language is
}};

/// One of a few records; `asked` collects the fields that were read.
FieldReader record(unsigned number, unsigned& asked) {
  return [number, &asked](std::size_t field) -> FieldValue {
    asked |= 1U << field;
    switch (fields[field].kind) {
      case FieldKind::text:
        return std::string(number % 2 == 0 ? "scan" : "Timeout in read: \"75\"");
      case FieldKind::number:
        return static_cast<double>(number);
      case FieldKind::duration:
        return Duration{std::chrono::minutes(10 * number)};
      case FieldKind::boolean:
        return number % 3 == 0;
    }
    return FieldValue{};
  };
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Filter> filter = parse_filter(text, fields);
  if (!filter) {
    require(filter.error().code == ErrorCode::invalid, "refused for another reason");
    require(filter.error().message.starts_with("filter, column ") ||
                filter.error().message.starts_with("the filter "),
            "refused without a place");
    return 0;
  }
  const std::string canonical = filter->text();
  const Result<Filter> again = parse_filter(canonical, fields);
  // Writing out what may be left out can only make it longer.
  require(again || canonical.size() > filter_length_max,
          "a form that cannot be read: " + canonical);
  if (!again) return 0;
  require(again->text() == canonical, "a form that is not the last: " + canonical);
  const Result<Filter> opposite = parse_filter("not (" + canonical + ")", fields);
  for (unsigned number = 0; number < 6; ++number) {
    unsigned asked = 0;
    const bool matches = filter->matches(record(number, asked));
    for (std::size_t field = 0; field < fields.size(); ++field) {
      require((asked >> field & 1U) == 0 || filter->uses(field),
              "asked for a field it does not use");
    }
    require(again->matches(record(number, asked)) == matches, "the form means something else");
    require(!opposite || opposite->matches(record(number, asked)) != matches,
            "not is not opposite");
  }
  return 0;
}
