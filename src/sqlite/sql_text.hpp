#pragma once

/// SQL texts put together at compile time, so that a list of columns is written once.

#include <cstddef>

namespace pawl::sqlite {

template <std::size_t size>
struct SqlText {
  char text[size] = {};
  // NOLINTNEXTLINE(google-explicit-constructor): it is a text
  constexpr operator const char*() const { return text; }
};

/// The parts, one after the other.
template <std::size_t... sizes>
consteval auto joined(const char (&... parts)[sizes]) {
  SqlText<(sizes + ...) - sizeof...(sizes) + 1> whole;
  std::size_t at = 0;
  const auto append = [&](const char* part, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) whole.text[at++] = part[i];
  };
  (append(parts, sizes - 1), ...);
  return whole;
}

}  // namespace pawl::sqlite
