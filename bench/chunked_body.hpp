#pragma once

/// A body with `Transfer-Encoding: chunked`, decoded as it arrives.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::bench {

class ChunkedBody {
 public:
  /// Appends the content of these bytes to `out`. Returns how many of them belong to the body.
  std::size_t take(std::string_view bytes, std::string& out);
  [[nodiscard]] bool is_complete() const { return state_ == State::complete; }

 private:
  enum class State : std::uint8_t { size, content, end_of_content, trailer, complete };
  void end_line();

  State state_ = State::size;
  std::size_t left_ = 0;  ///< of the content of this chunk
  std::string line_;      ///< what has arrived of it
};

}  // namespace pawl::bench
