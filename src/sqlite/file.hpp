#pragma once

/// An open file of the operating system.

#include <utility>

#include <unistd.h>

namespace pawl::sqlite {

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int raw = -1) : raw_(raw) {}
  Descriptor(Descriptor&& other) noexcept : raw_(std::exchange(other.raw_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Descriptor() {
    if (raw_ >= 0) ::close(raw_);
  }
  [[nodiscard]] int raw() const { return raw_; }
  [[nodiscard]] bool is_open() const { return raw_ >= 0; }

 private:
  int raw_;
};

}  // namespace pawl::sqlite
