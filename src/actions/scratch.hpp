#pragma once

/// Scratch directories: one for each attempt, empty when it begins, with nothing of another in it.
///
/// Making and removing directories is most of what a short command would cost. So one that its
/// attempt has left as it was is given to the next under a new name; one in which anything was ever
/// written is removed. Whether it was is told by its time of change, which is set to a moment that
/// no clock shows: whatever is added to a directory or taken from it sets another.

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include <sys/stat.h>

#include "pawl/core/result.hpp"

namespace pawl {

/// The directory of one attempt, and the one that is in it.
struct Scratch {
  /// What a directory looks like from outside.
  struct Look {
    timespec changed{};  ///< its entries
    timespec touched{};  ///< anything of it
    mode_t mode = 0;
    ino_t number = 0;
  };

  std::string path;
  Look outer;
  Look inner;

  /// "<path>/dir": the directory that the command is told of.
  [[nodiscard]] std::string dir() const { return path + "/dir"; }
};

/// The scratch directories in one folder. Threads: any.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::string folder);

  /// An empty directory of this name, made unique where it is taken. `not_found` when the folder
  /// itself is gone.
  [[nodiscard]] Result<Scratch> take(const std::string& name);
  /// Ends the use of a directory: what lies in it is removed.
  void give_back(Scratch used);

 private:
  [[nodiscard]] Result<Scratch> make(const std::string& name) const;
  [[nodiscard]] Result<Scratch> renamed(Scratch unused, const std::string& name) const;

  std::string folder_;
  timespec no_clock_;

  std::mutex mutex_;
  std::vector<Scratch> unused_;  ///< guarded by mutex_
};

/// Removes a directory with everything in it, also what its owner has made unreadable for itself.
void remove_tree(const std::filesystem::path& path);

}  // namespace pawl
