#pragma once

#include <exception>
#include <string>
#include <utility>

#include "pawl/core/result.hpp"

namespace pawl::sql {

/// An error of our own on its way to the boundary of a store.
struct Fault : std::exception {
  explicit Fault(Error what_happened) : error(std::move(what_happened)) {}
  Fault(ErrorCode code, std::string message, std::string help = {})
      : error{code, std::move(message), std::move(help)} {}
  [[nodiscard]] const char* what() const noexcept override { return error.message.c_str(); }
  Error error;
};

}  // namespace pawl::sql
