#pragma once

/// Writes the head of a response, and the frame of its body.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "service/http/message.hpp"

namespace pawl::service {

/// How the end of a body is known.
enum class Framing : std::uint8_t {
  none,     ///< there is no body: the status has none, or the request was HEAD
  length,   ///< by Content-Length
  chunked,  ///< by the last chunk
  close,    ///< by the end of the connection: a stream for HTTP/1.0
};

/// What a request has to do with the form of its response.
struct ResponseForm {
  bool is_http_1_0 = false;
  bool answers_head = false;  ///< the request was HEAD
  bool keeps_open = true;     ///< the connection stays open afterwards
};

[[nodiscard]] Framing framing_of(const Response& response, const ResponseForm& form);

/// The status line, the fields and the empty line. The handler's own Content-Length,
/// Transfer-Encoding, Connection, Keep-Alive, Trailer, Upgrade and Date are left out, and so is a
/// field with a malformed name; control characters in a value become spaces. A status that is not
/// from 200 to 599 becomes 500.
[[nodiscard]] std::string response_head(const Response& response, const ResponseForm& form,
                                        std::string_view date);

/// The bytes as one chunk; nothing if there are none, since an empty chunk would end the body.
[[nodiscard]] std::string chunk_of(std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

/// "Sun, 06 Nov 1994 08:49:37 GMT"
[[nodiscard]] std::string http_date(std::chrono::system_clock::time_point at);

}  // namespace pawl::service
