#pragma once

/// Reads the head of a request: strictly, without a socket, the same bytes always in the same way.
///
/// A head that another program could understand differently is refused. That program may be the
/// proxy in front of this one, and then a request could hide in the body of another.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "service/http/message.hpp"

namespace pawl::service {

/// Why the server does not take a request.
struct Refusal {
  unsigned status = 400;
  std::string why;
};

struct RequestHead {
  Request request;  ///< without its body and its peer
  bool is_http_1_0 = false;
  bool keeps_open = true;         ///< the client may send another request
  bool expects_continue = false;  ///< the client waits for "100 Continue" before it sends the body
  bool is_chunked = false;
  std::uint64_t length = 0;  ///< of the body, unless it is chunked

  [[nodiscard]] bool has_body() const { return is_chunked || length > 0; }
};

struct HeadReading {
  RequestHead head;  ///< if refused: what was read until then
  std::optional<Refusal> refusal;
};

/// `bytes` is a request line, the fields, and the empty line at the end, nothing else.
[[nodiscard]] HeadReading read_head(std::string_view bytes);

/// Finds the end of a head that arrives in pieces, and notices bytes that no head has when they
/// arrive. One empty line before the request line is allowed: old clients send it after a body.
class HeadScanner {
 public:
  enum class State : std::uint8_t { more, complete, malformed };

  /// Returns how many of the bytes belong to the head; all of them while it is incomplete.
  std::size_t scan(std::string_view bytes);
  [[nodiscard]] State state() const { return state_; }

 private:
  State take(char byte);

  State state_ = State::more;
  bool after_return_ = false;
  bool is_first_line_ = true;
  std::size_t line_length_ = 0;
};

}  // namespace pawl::service
