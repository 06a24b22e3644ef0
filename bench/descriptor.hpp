#pragma once

/// A file descriptor that is closed with this object.

#include <utility>

#include <unistd.h>

namespace pawl::bench {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int raw) : raw_(raw) {}
  Descriptor(Descriptor&& other) noexcept : raw_(std::exchange(other.raw_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Descriptor() { close(); }

  void close() {
    if (raw_ >= 0) ::close(std::exchange(raw_, -1));
  }
  [[nodiscard]] int raw() const { return raw_; }

 private:
  int raw_ = -1;
};

}  // namespace pawl::bench
