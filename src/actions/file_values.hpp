#pragma once

/// Commands get files as paths: links in the attempt's directory with the files' own names, so that
/// programs that check extensions work.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/file_value.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/store.hpp"

namespace pawl::actions {

/// The directory of links for one attempt.
class FileLinks {
 public:
  /// `folder` is created with the first link. `store` must outlive this object.
  FileLinks(Store& store, std::filesystem::path folder)
      : store_(&store), folder_(std::move(folder)) {}

  /// The path of a file that was read from `field`.
  [[nodiscard]] Result<std::string> path_of(const codec::FileValue& file, std::string_view field);
  /// The same value with every file in it, at any depth, replaced by its path.
  [[nodiscard]] Result<Json> with_paths(const Json& value, std::string_view field);
  /// Whether the attempt was given this file.
  [[nodiscard]] bool has(std::string_view sha256) const;
  /// Whether one of the links leads to the file with this real path.
  [[nodiscard]] bool leads_to(const std::filesystem::path& real_path) const;

 private:
  Store* store_;
  std::filesystem::path folder_;
  std::map<std::pair<std::string, std::string>, std::string> made_;  ///< by name and digest
  std::vector<std::filesystem::path> targets_;
  std::map<std::string, int> twins_;  ///< how many links use a name
};

}  // namespace pawl::actions
