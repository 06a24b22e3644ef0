#pragma once

/// Names in one line: "anna, ben, group:editors".

#include <string>
#include <string_view>

namespace pawl {

/// For any range of texts.
template <class Words>
[[nodiscard]] std::string joined(const Words& words, std::string_view between = ", ") {
  std::string text;
  bool is_first = true;
  for (const std::string_view word : words) {
    if (!is_first) text += between;
    text += word;
    is_first = false;
  }
  return text;
}

}  // namespace pawl
