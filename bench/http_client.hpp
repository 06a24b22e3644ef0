#pragma once

/// An HTTP client for a server on this machine: one connection that is kept, one request at a time.

#include <string>
#include <string_view>

#include "bench/descriptor.hpp"
#include "pawl/core/json.hpp"

namespace pawl::bench {

/// A connection to "127.0.0.1:7878". Ends the program if there is none.
[[nodiscard]] Descriptor connection_to(const std::string& address);
/// Ends the program if the other side does not take all of it.
void send_all(const Descriptor& connection, std::string_view bytes);

struct HttpAnswer {
  int status = 0;
  std::string cookie;  ///< "name=value", if the answer sets one
  std::string body;
  double milliseconds = 0;  ///< from the first byte of the request to the last one of the answer
};

class HttpClient {
 public:
  explicit HttpClient(std::string address);

  /// Sends this cookie with every request.
  void use_cookie(const std::string& cookie);
  /// Ends the program if the connection breaks.
  [[nodiscard]] HttpAnswer get(const std::string& target);
  [[nodiscard]] HttpAnswer post(const std::string& target, const std::string& body = "{}");
  /// The document that a request brings. Ends the program if the status is not 200.
  [[nodiscard]] Json document(const std::string& target);

 private:
  [[nodiscard]] HttpAnswer send(const std::string& head, const std::string& body);
  [[nodiscard]] HttpAnswer read_answer();
  [[nodiscard]] std::string read_head();
  void read_some();

  std::string address_;
  std::string fields_;  ///< of every request
  Descriptor connection_;
  std::string arrived_;  ///< and not used yet
};

}  // namespace pawl::bench
