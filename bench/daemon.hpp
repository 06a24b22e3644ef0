#pragma once

/// `pawl serve` as users run it: the real program as a child process, on a port of its own.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/http_client.hpp"

namespace pawl::bench {

/// The memory of a process as the kernel counts it.
struct ProcessMemory {
  std::int64_t resident_kib = 0;
  std::int64_t peak_kib = 0;
  std::int64_t own_kib = 0;  ///< of the resident memory, without the program's file and the like

  [[nodiscard]] double megabytes() const { return static_cast<double>(resident_kib) * 1'024 / 1e6; }
};

class Daemon {
 public:
  /// Starts it on the store `.pawl/pawl.db` of this directory, with these arguments too, and waits
  /// until it is ready. Its log goes to `serve.log` there. Not in a child process: only in the
  /// process that cleans up.
  explicit Daemon(const std::filesystem::path& project, const std::vector<std::string>& more = {});
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  /// Kills it if it was not stopped.
  ~Daemon();

  [[nodiscard]] const std::string& address() const { return address_; }
  /// From the start of the program to its first answer 200 for /readyz.
  [[nodiscard]] double milliseconds_to_ready() const { return milliseconds_to_ready_; }
  /// A cookie of a signed-in administrator.
  [[nodiscard]] const std::string& cookie();
  /// A new connection that is signed in.
  [[nodiscard]] HttpClient client();
  [[nodiscard]] ProcessMemory memory() const;
  /// Used so far by all its threads.
  [[nodiscard]] double processor_seconds() const;
  /// Asks it to stop, and waits until it has. Ends the program if it did not end well.
  void stop();

 private:
  void read_address(int output);
  [[noreturn]] void give_up_on(const std::string& why) const;

  std::filesystem::path project_;
  pid_t process_ = 0;  ///< 0: it was stopped
  std::string address_;
  std::string code_;  ///< for signing in, once
  std::string cookie_;
  double milliseconds_to_ready_ = 0;
};

}  // namespace pawl::bench
