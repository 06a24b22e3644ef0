#pragma once

/// Scans JSON text that is known to be valid, without building a tree. If the text is invalid after
/// all, the result is unspecified, but it is never read beyond its end.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::codec {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// The next character that is not white space; 0 at the end.
  char peek();
  /// Takes `c` if it is next.
  bool take(char c);
  /// Takes one value of any kind and returns its text.
  std::string_view value();

 private:
  void pass_string();
  void pass_nested();

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Calls `each(key, value)` for the members of an object until it returns false. The key is still
/// quoted.
template <class Each>
void for_members(std::string_view object, const Each& each) {
  Scanner scan(object);
  if (!scan.take('{') || scan.take('}')) return;
  do {
    const std::string_view key = scan.value();
    if (!scan.take(':')) return;
    if (!each(key, scan.value())) return;
  } while (scan.take(','));
}

/// Calls `each(element)` for the elements of an array until it returns false.
template <class Each>
void for_elements(std::string_view array, const Each& each) {
  Scanner scan(array);
  if (!scan.take('[') || scan.take(']')) return;
  do {
    if (!each(scan.value())) return;
  } while (scan.take(','));
}

/// The text that a quoted JSON string represents.
std::string unquoted(std::string_view quoted);

/// A finite number. Too small for a double is zero; too large is none.
std::optional<double> double_of(std::string_view digits);

}  // namespace pawl::codec
