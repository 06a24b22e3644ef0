#pragma once

/// Reads one request from bytes that arrive in any pieces. It knows no socket and no clock.
///
/// The head is read by `read_head`, and a second time by Beast's parser, which also reads the body:
/// a request that one of the two does not accept is refused.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "service/http/message.hpp"
#include "service/http/request_head.hpp"

namespace pawl::service {

class RequestReader {
 public:
  enum class State : std::uint8_t {
    head,      ///< the head is incomplete
    deciding,  ///< the head is complete; `allow_body` has to be called
    body,      ///< the body is incomplete
    complete,
    refused,
  };

  /// `head_max`: of the head, of the line before each chunk, and of the trailers, in bytes.
  explicit RequestReader(std::size_t head_max);
  ~RequestReader();
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;

  /// Takes bytes up to the end of the head or of the request, and returns how many it took. What it
  /// leaves has to be given again.
  std::size_t read(std::string_view bytes);
  /// Refuses the request with 413 if its body is longer than this, when that is known.
  void allow_body(std::size_t body_max);

  [[nodiscard]] State state() const { return state_; }
  /// From `deciding` on; of a refused request, what was read.
  [[nodiscard]] const RequestHead& head() const { return head_; }
  /// What of the body has arrived, in bytes.
  [[nodiscard]] std::size_t body_size() const { return head_.request.body.size(); }
  /// Of a refused request.
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }
  /// The request, complete or as far as it was read. The reader is not used after that.
  [[nodiscard]] Request take_request() { return std::move(head_.request); }

 private:
  class Parser;

  std::size_t read_head_bytes(std::string_view bytes);
  std::size_t read_body_bytes(std::string_view bytes);
  void finish_head();
  void refuse(unsigned status, std::string why);

  const std::size_t head_max_;
  State state_ = State::head;
  HeadScanner scanner_;
  std::string unread_;  ///< of the head, of the line before a chunk, or of the trailers
  RequestHead head_;
  Refusal refusal_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace pawl::service
