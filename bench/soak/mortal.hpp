#pragma once

/// A second process that works on the same store, is killed every few seconds, and started again.

#include <string>

#include <sys/types.h>

#include "pawl/store/store.hpp"

namespace pawl::soak {

/// Opens the store of `--worker`: the address of a PostgreSQL store, else a SQLite file.
[[nodiscard]] std::shared_ptr<Store> open_store(const std::string& address);

/// The second process: works until its standard input ends, which also happens if its parent dies.
int work_until_told(const std::string& address, const std::string& run_directory);

/// The process that is killed. Not for several threads at once.
class Mortal {
 public:
  Mortal(std::string address, std::string run_directory)
      : address_(std::move(address)), run_directory_(std::move(run_directory)) {}
  Mortal(const Mortal&) = delete;
  Mortal& operator=(const Mortal&) = delete;
  ~Mortal() { kill(); }

  /// A store in memory has no second process.
  [[nodiscard]] bool is_possible() const { return !address_.empty(); }
  void start();
  /// Kills it without warning.
  void kill();
  /// Asks it to end and waits for that. Returns its exit code, or -1 if a signal ended it.
  int end();

 private:
  int reap();

  std::string address_;
  std::string run_directory_;
  pid_t pid_ = 0;   ///< 0: none runs
  int input_ = -1;  ///< its standard input
};

}  // namespace pawl::soak
