#pragma once

/// Builds SQL texts at compile time, so that each list of columns is written once.

#include <cstddef>
#include <string_view>

namespace pawl::sql {

/// Ends with the first zero; the rest of the array is unused.
template <std::size_t Room>
struct SqlText {
  char text[Room] = {};
  // NOLINTNEXTLINE(google-explicit-constructor): it is a text
  constexpr operator const char*() const { return text; }
};

/// Writes a text from left to right at compile time.
template <std::size_t Room>
struct SqlWriter {
  SqlText<Room> whole;
  std::size_t at = 0;

  constexpr void add(std::string_view part) {
    for (const char letter : part) whole.text[at++] = letter;
  }
  /// "?7". REQUIRES: at most 99.
  constexpr void add_place(std::size_t number) {
    add("?");
    if (number >= 10) whole.text[at++] = static_cast<char>('0' + number / 10);
    whole.text[at++] = static_cast<char>('0' + number % 10);
  }
};

/// The parts, one after the other. A part is a literal or a text that was built here.
template <class... Parts>
consteval auto joined(const Parts&... parts) {
  SqlWriter<(sizeof(Parts) + ...) - sizeof...(Parts) + 1> writer;
  (writer.add(static_cast<const char*>(parts)), ...);
  return writer.whole;
}

/// Calls `use` with the name of each column of a list "a, b, c".
template <class List, class Use>
consteval void each_column(const List& columns, Use use) {
  // A loop by hand: with a sanitizer, GCC does not accept string_view::find as a constant.
  const std::string_view all = static_cast<const char*>(columns);
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= all.size(); ++at) {
    if (at < all.size() && all[at] != ',') continue;
    use(all.substr(begin, at - begin));
    begin = at + 2;
  }
}

/// "?1, ?2, ?3" for the columns "a, b, c".
template <class List>
consteval auto places(const List& columns) {
  SqlWriter<2 * sizeof(List) + 4> writer;  // the shortest column and its comma take 3
  std::size_t number = 0;
  each_column(columns, [&](std::string_view) {
    if (number > 0) writer.add(", ");
    writer.add_place(++number);
  });
  return writer.whole;
}

/// "a = ?2, b = ?3" for the columns "a, b" and the first place 2.
template <class List>
consteval auto assigned(const List& columns, std::size_t first) {
  SqlWriter<3 * sizeof(List) + 8> writer;
  std::size_t number = first;
  each_column(columns, [&](std::string_view name) {
    if (number > first) writer.add(", ");
    writer.add(name);
    writer.add(" = ");
    writer.add_place(number++);
  });
  return writer.whole;
}

}  // namespace pawl::sql
