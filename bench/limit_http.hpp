#pragma once

/// The limit of W7's requests: a server that answers every request with the same bytes.

#include <cstddef>
#include <string>

#include <sys/types.h>

namespace pawl::bench {

/// Runs in a process of its own, with one thread, until it is destroyed.
class LimitHttp {
 public:
  /// `bytes`: the size of the body of every answer.
  explicit LimitHttp(std::size_t bytes);
  LimitHttp(const LimitHttp&) = delete;
  LimitHttp& operator=(const LimitHttp&) = delete;
  ~LimitHttp();

  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  std::string address_;
  pid_t process_ = 0;
};

}  // namespace pawl::bench
