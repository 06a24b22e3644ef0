#pragma once

/// What every example shares and no lesson is about: where the store lies, how an error ends the
/// program, and the last line that says all promises were kept.

#include <cstdio>
#include <exception>
#include <expected>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "pawl/core/result.hpp"
#include "pawl/runtime/program.hpp"

namespace lesson {

/// Something is not as the example promised.
class NotAsPromised : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline void promise(bool holds, const std::string& what) {
  if (!holds) throw NotAsPromised("not as promised: " + what);
}

/// The value, or the end of the example with the error in words.
template <class T>
T must(pawl::Result<T> result) {
  if (!result) throw NotAsPromised(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}
inline pawl::Program must(std::expected<pawl::Program, std::vector<pawl::Error>> built) {
  if (!built) throw NotAsPromised(pawl::text_of(built.error()));
  return std::move(*built);
}

/// A folder of this process alone, removed with all it holds at the end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pawl-example-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw NotAsPromised("cannot make a folder " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Runs the lesson on the store named on the command line, or on one in a folder that is removed
/// afterwards; answers the program's exit code.
inline int run(int argc, char** argv,
               const std::function<void(const std::filesystem::path& store)>& lesson) {
  try {
    if (argc > 1) {
      lesson(argv[1]);
    } else {
      const TemporaryFolder folder;
      lesson(folder.path() / "state.db");
    }
    std::printf("\nAll as promised.\n");
    return 0;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace lesson
