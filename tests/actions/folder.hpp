#pragma once

/// A temporary folder for a test, and files in it.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <poll.h>

#include "temporary_folder.hpp"

namespace pawl::actions {

class Folder : public TemporaryFolder {
 public:
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path() / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  /// Writes an executable script.
  std::filesystem::path script(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = write(name, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }
};

inline std::string text_in(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

/// Waits until the condition is true; false after ten seconds.
inline bool eventually(const std::function<bool()>& happened) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!happened()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

}  // namespace pawl::actions
