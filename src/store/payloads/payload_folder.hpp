#pragma once

/// Payloads of a store that has no files of its own as files, for programs that want a path: a
/// temporary directory, made with the first of them and removed with the store.

#include <filesystem>
#include <functional>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::store {

class PayloadFolder {
 public:
  PayloadFolder() = default;
  ~PayloadFolder();
  PayloadFolder(const PayloadFolder&) = delete;
  PayloadFolder& operator=(const PayloadFolder&) = delete;

  /// The read-only file with these bytes, written unless it is there.
  [[nodiscard]] Result<std::filesystem::path> file(std::string_view sha256, std::string_view bytes);
  /// The same for bytes that come in pieces: `give` hands each of them to what it is given.
  using Take = std::function<Status(std::string_view piece)>;
  [[nodiscard]] Result<std::filesystem::path> file(std::string_view sha256,
                                                   const std::function<Status(const Take&)>& give);

 private:
  [[nodiscard]] Status make();
  std::filesystem::path folder_;  ///< empty: none has been wanted yet
};

}  // namespace pawl::store
