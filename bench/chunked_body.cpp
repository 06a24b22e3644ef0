#include "bench/chunked_body.hpp"

#include <algorithm>
#include <charconv>

#include "bench/measure.hpp"

namespace pawl::bench {

std::size_t ChunkedBody::take(std::string_view bytes, std::string& out) {
  std::size_t at = 0;
  while (at < bytes.size() && !is_complete()) {
    if (state_ == State::content) {
      const std::size_t count = std::min(left_, bytes.size() - at);
      out += bytes.substr(at, count);
      at += count;
      left_ -= count;
      if (left_ == 0) state_ = State::end_of_content;
      continue;
    }
    const char c = bytes[at++];
    if (c == '\n') {
      end_line();
    } else if (c != '\r') {
      line_ += c;
    }
  }
  return at;
}

void ChunkedBody::end_line() {
  constexpr int hexadecimal = 16;
  if (state_ == State::size) {
    const auto read =
        std::from_chars(line_.data(), line_.data() + line_.size(), left_, hexadecimal);
    if (read.ec != std::errc()) give_up("the daemon sent a chunk without a size: '" + line_ + "'");
    state_ = left_ == 0 ? State::trailer : State::content;
  } else if (state_ == State::end_of_content) {
    state_ = State::size;
  } else if (line_.empty()) {
    state_ = State::complete;
  }
  line_.clear();
}

}  // namespace pawl::bench
