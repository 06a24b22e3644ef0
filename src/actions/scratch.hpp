#pragma once

/// Scratch directories: one for each attempt, empty when it begins, removed with all that is in it.

#include <filesystem>
#include <string>
#include <utility>

#include "pawl/core/result.hpp"

namespace pawl {

/// The directory of one attempt, and the one inside it that the command is given.
class ScratchDirectory {
 public:
  /// A new one in `folder`. Where the name is taken a number is added. `not_found` when the folder
  /// itself is gone.
  [[nodiscard]] static Result<ScratchDirectory> make(const std::string& folder,
                                                     const std::string& name);
  ScratchDirectory(ScratchDirectory&& other) noexcept;
  ScratchDirectory& operator=(ScratchDirectory&& other) noexcept;
  ~ScratchDirectory() { remove(); }

  [[nodiscard]] const std::string& path() const { return path_; }
  /// "<path>/dir": $PAWL_DIR.
  [[nodiscard]] std::string dir() const { return path_ + "/dir"; }
  /// Now rather than in the destructor.
  void remove();

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}

  std::string path_;  ///< empty: removed, or moved from
};

/// Removes a directory with everything in it, also what its owner has made unreadable for itself.
void remove_tree(const std::filesystem::path& path);

}  // namespace pawl
