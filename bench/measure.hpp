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

/// Ends the program: half a run is of no use. In a child process this ends only the child, and its
/// parent then does the same.
[[noreturn]] void give_up(const std::string& why);

/// Makes `give_up` and Ctrl-C remove this folder: a large store must not stay behind. Called once,
/// before any child process.
void leave_nothing_in(const std::filesystem::path& folder);

/// Makes `give_up` call this before it removes the folder, and whatever else was named here before.
void before_giving_up(void (*end)());

enum class Whose { own, commands };
/// The processor seconds used so far by all threads of this process, or by the child processes that
/// have ended.
[[nodiscard]] double processor_seconds(Whose whose = Whose::own);

class Stopwatch {
 public:
  Stopwatch() : start_(std::chrono::steady_clock::now()), processor_start_(processor_seconds()) {}
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// Less affected by other users of the machine than wall-clock time.
  [[nodiscard]] double processor() const { return processor_seconds() - processor_start_; }

 private:
  std::chrono::steady_clock::time_point start_;
  double processor_start_;
};

/// The peak memory of this process, and its current allocations.
[[nodiscard]] std::int64_t peak_memory_kib();
[[nodiscard]] std::int64_t allocated_bytes();

/// Runs `work`, which fills the bytes at its argument, in its own process.
void fill_in_child(void* answer, std::size_t size, const std::function<void(void*)>& work);

/// Runs `work` in its own process, so that no run inherits the heap of another, and adds its peak
/// memory if the answer has a field for it. REQUIRES: this process has one thread.
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

/// A folder that is removed with this object.
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
