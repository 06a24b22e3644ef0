#pragma once

/// Payloads of the memory store as files, for programs that want a path: a temporary directory,
/// made with the first of them and removed with the store.

#include <filesystem>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl {

class PayloadFolder {
 public:
  PayloadFolder() = default;
  ~PayloadFolder();
  PayloadFolder(const PayloadFolder&) = delete;
  PayloadFolder& operator=(const PayloadFolder&) = delete;

  /// The read-only file with these bytes, written unless it is there.
  [[nodiscard]] Result<std::filesystem::path> file(std::string_view sha256, std::string_view bytes);

 private:
  [[nodiscard]] Status make();
  std::filesystem::path folder_;  ///< empty: none has been wanted yet
};

}  // namespace pawl
