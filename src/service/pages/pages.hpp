#pragma once

/// The page for signing in, compiled into the program.

#include <string_view>

namespace pawl::service {

struct Pages {
  std::string_view sign_in;
  std::string_view script;
  std::string_view style;
};
extern const Pages pages;

}  // namespace pawl::service
