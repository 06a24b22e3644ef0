#pragma once

/// Turns a text into one plain directory name that cannot lead elsewhere.

#include <string>
#include <string_view>

namespace pawl::actions {

inline std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text.substr(0, 100)) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += is_plain ? c : '_';
  }
  return name;
}

}  // namespace pawl::actions
