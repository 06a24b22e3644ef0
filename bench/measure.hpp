#pragma once

/// Times, memory, child processes and folders for measurements.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

namespace pawl::bench {

/// Ends the program: a benchmark has no use for half a run. In a child process this ends only the
/// child, and its parent then does the same.
[[noreturn]] void give_up(const std::string& why);

/// Has `give_up` remove this folder, and a Ctrl-C too: a large store must not stay behind. Called
/// once, before any child process.
void leave_nothing_in(const std::filesystem::path& folder);

/// Has `give_up` call this before it removes the folder.
void before_giving_up(void (*end)());

enum class Whose { own, commands };
/// Seconds of the processors that this process, all its threads together, has used so far, or the
/// processes that it has started and that have ended.
[[nodiscard]] double processor_seconds(Whose whose = Whose::own);

class Stopwatch {
 public:
  Stopwatch() : start_(std::chrono::steady_clock::now()), processor_start_(processor_seconds()) {}
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Says less of the machine's other users than the time on the wall does.
  [[nodiscard]] double processor() const { return processor_seconds() - processor_start_; }

 private:
  std::chrono::steady_clock::time_point start_;
  double processor_start_;
};

/// The most this process ever had in memory, and what it has allocated at this moment.
[[nodiscard]] std::int64_t peak_memory_kib();
[[nodiscard]] std::int64_t allocated_bytes();

/// Runs `work`, which fills the bytes at its argument, in a process of its own.
void fill_in_child(void* answer, std::size_t size, const std::function<void(void*)>& work);

/// Runs `work` in a process of its own, so that no run inherits the heap of another, and adds the
/// most memory it ever held where the answer has a place for it. REQUIRES: this process has one
/// thread.
template <class Work>
[[nodiscard]] auto in_child(const Work& work) {
  using Answer = std::invoke_result_t<Work>;
  static_assert(std::is_trivially_copyable_v<Answer>);  // it comes through a pipe
  Answer answer;
  fill_in_child(&answer, sizeof answer, [&](void* place) {
    Answer made = work();
    if constexpr (requires { made.peak_kib; }) made.peak_kib = peak_memory_kib();
    *static_cast<Answer*>(place) = made;
  });
  return answer;
}

/// The value below which this share of the values lies.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// A folder of its own that goes with this object.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& parent);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace pawl::bench
