#pragma once

/// Reads the members of one JSON object into values, strictly: a missing, mistyped or unknown
/// member is an error that names the object and the member. An optional member that is missing
/// leaves its value unchanged.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl::codec {

/// Why a JSON value does not fit.
struct Misfit {
  std::string wanted;  ///< "must be an integer"
  std::string help;
};
using Fit = std::optional<Misfit>;

/// Whether a list has more than `max` elements, without building any of them.
[[nodiscard]] bool has_more_elements(const Json& list, std::size_t max);

Fit decode(const Json& value, std::string& out);
Fit decode(const Json& value, bool& out);
Fit decode(const Json& value, std::int64_t& out);
Fit decode(const Json& value, std::uint32_t& out);
Fit decode(const Json& value, double& out);
Fit decode(const Json& value, Duration& out);   ///< in microseconds
Fit decode(const Json& value, Timestamp& out);  ///< in microseconds
Fit decode(const Json& value, Json& out);
Fit decode(const Json& value, std::vector<std::string>& out);
Fit misfit_of_word(const Json& value, const std::vector<std::string>& words);

template <class E>
  requires std::is_enum_v<E>
Fit decode(const Json& value, E& out) {
  const auto name = JsonView(value).string();
  const auto found = name ? from_name<E>(*name) : std::nullopt;
  if (!found) return misfit_of_word(value, all_names<E>());
  out = *found;
  return std::nullopt;
}

template <class Tag>
Fit decode(const Json& value, Id<Tag>& out) {
  std::int64_t number = 0;
  Fit fit = decode(value, number);
  if (!fit && number < 0) fit = Misfit{"must not be negative", {}};
  if (!fit) out = Id<Tag>{number};
  return fit;
}

template <class T>
Fit decode(const Json& value, std::optional<T>& out) {
  return decode(value, out.emplace());
}

class ObjectReader {
 public:
  /// `what` is the name of the object in messages; `code` is the code of every error.
  ObjectReader(const Json& object, std::string what, ErrorCode code);

  template <class T>
  ObjectReader& read(std::string_view key, T& out) {
    if (const Json* const value = find(key)) note(key, decode(*value, out));
    return *this;
  }
  template <class T>
  ObjectReader& need(std::string_view key, T& out) {
    if (find(key) == nullptr) note_missing(key);
    return read(key, out);
  }
  /// For members that are objects: `nested` reads the value.
  template <class Nested>
  ObjectReader& read_with(std::string_view key, const Nested& nested) {
    if (const Json* const value = find(key)) note(nested(*value));
    return *this;
  }
  /// For members that are lists of objects: `nested` reads one element into its second argument.
  template <class T, class Nested>
  ObjectReader& read_list(std::string_view key, std::vector<T>& out, const Nested& nested,
                          std::size_t elements_max = static_cast<std::size_t>(-1)) {
    const Json* const list = find(key);
    if (list == nullptr) return *this;
    if (!is_array(*list)) note(key, Misfit{"must be a list", {}});
    if (has_more_elements(*list, elements_max)) {
      note(key, Misfit{"must have at most " + std::to_string(elements_max) + " elements", {}});
      return *this;
    }
    for (const Json& element : elements(*list)) note(nested(element, out.emplace_back()));
    return *this;
  }

  /// The first error, if there was one. A member that was never read is an error too.
  [[nodiscard]] Status finish();

 private:
  const Json* find(std::string_view key);
  void note(std::string_view key, Fit fit);
  void note(Status status);
  void note_missing(std::string_view key);

  std::string what_;
  ErrorCode code_;
  std::vector<std::pair<std::string, Json>> members_;
  std::vector<std::string> known_;  ///< every key that was read
  std::optional<Error> error_;
};

}  // namespace pawl::codec
