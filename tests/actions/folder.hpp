#pragma once

/// A temporary folder of a test, and files in it.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

#include <poll.h>

namespace pawl::actions_test {

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-actions-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  /// A program.
  std::filesystem::path script(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = write(name, text);
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline std::string text_in(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return std::move(text).str();
}

/// Waits until something has become true; false after ten seconds.
inline bool eventually(const std::function<bool()>& happened) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!happened()) {
    if (std::chrono::steady_clock::now() > until) return false;
    ::poll(nullptr, 0, 2);
  }
  return true;
}

}  // namespace pawl::actions_test
