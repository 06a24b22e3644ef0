#pragma once

/// Files are handed to commands as paths: links with the files' own names in the attempt's
/// directory, so that programs that look at extensions are content.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/store.hpp"
#include "workflow/file_value.hpp"

namespace pawl {

/// The directory of links of one attempt.
class FileLinks {
 public:
  /// `folder` is made with the first link. `store` must outlive it.
  FileLinks(Store& store, std::filesystem::path folder)
      : store_(&store), folder_(std::move(folder)) {}

  /// The path of a file, named after the field it was read from.
  [[nodiscard]] Result<std::string> path_of(const workflow::FileValue& file,
                                            std::string_view field);
  /// The same value with every file in it, however deep, as its path.
  [[nodiscard]] Result<Json> with_paths(const Json& value, std::string_view field);
  /// Whether the attempt was given this file.
  [[nodiscard]] bool has(std::string_view sha256) const;
  /// Whether one of the links leads to this file, which is named by its real path.
  [[nodiscard]] bool leads_to(const std::filesystem::path& real_path) const;

 private:
  Store* store_;
  std::filesystem::path folder_;
  std::map<std::pair<std::string, std::string>, std::string> made_;  ///< by name and digest
  std::vector<std::filesystem::path> targets_;
  std::map<std::string, int> twins_;  ///< how often a name was wanted
};

}  // namespace pawl
