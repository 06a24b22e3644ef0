#pragma once

/// Files as values. An output field of type `file` is recorded as
///   {"$file":"sha256:…","name":"a.md","size":4210}
/// with its bytes kept by the store, and is handed to commands as a path: a link with the file's
/// own name in the attempt's directory, so that programs that look at extensions are content.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/store.hpp"

namespace pawl {

struct FileValue {
  std::string sha256;
  std::string name;
  std::int64_t size = 0;
};

[[nodiscard]] Json file_value(const FileValue& file);
/// Empty for what is not exactly such a value.
[[nodiscard]] std::optional<FileValue> file_of(const Json& value);

/// The directory of links of one attempt.
class FileLinks {
 public:
  /// `folder` is made with the first link. `store` must outlive it.
  FileLinks(Store& store, std::filesystem::path folder)
      : store_(&store), folder_(std::move(folder)) {}

  /// The path of a file, named after the field it was read from.
  [[nodiscard]] Result<std::string> path_of(const FileValue& file, std::string_view field);
  /// The same value with every file in it, however deep, as its path.
  [[nodiscard]] Result<Json> with_paths(const Json& value, std::string_view field);

 private:
  Store* store_;
  std::filesystem::path folder_;
  std::map<std::pair<std::string, std::string>, std::string> made_;  ///< by name and digest
  std::map<std::string, int> twins_;  ///< how often a name was wanted
};

}  // namespace pawl
