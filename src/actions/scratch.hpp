#pragma once

/// Scratch directories: one for each attempt, empty at first, removed with all their content.

#include <filesystem>
#include <string>
#include <utility>

#include "pawl/core/result.hpp"

namespace pawl::actions {

/// The directory of one attempt, and the directory inside it that the command gets.
class ScratchDirectory {
 public:
  /// Creates one in `folder`. A number is added if the name is taken. `not_found` if the folder
  /// itself is gone.
  [[nodiscard]] static Result<ScratchDirectory> make(const std::string& folder,
                                                     const std::string& name);
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ~ScratchDirectory() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }
  /// "<path>/dir": $PAWL_DIR.
  [[nodiscard]] std::string dir() const { return path_ + "/dir"; }
  /// Removes the directory now instead of in the destructor.
  void remove();

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;  ///< empty: removed, or moved from
};

/// Removes a directory with all its content, even parts whose permissions deny access to their
/// owner.
void remove_tree(const std::filesystem::path& path);

}  // namespace pawl::actions
