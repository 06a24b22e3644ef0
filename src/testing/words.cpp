#include "testing/words.hpp"

#include <array>
#include <utility>

namespace pawl::testing {

std::string in_words(Duration time) {
  constexpr std::array<std::pair<std::int64_t, const char*>, 6> units{{{86'400'000'000, "d"},
                                                                       {3'600'000'000, "h"},
                                                                       {60'000'000, "m"},
                                                                       {1'000'000, "s"},
                                                                       {1'000, "ms"},
                                                                       {1, "us"}}};
  std::int64_t left = time.count();
  std::string text = left < 0 ? "-" : "";
  if (left < 0) left = -left;
  bool any = false;
  for (const auto& [size, name] : units) {
    if (left < size) continue;
    text += (any ? " " : "") + std::to_string(left / size) + name;
    left %= size;
    any = true;
  }
  return any ? text : "0s";
}

}  // namespace pawl::testing
