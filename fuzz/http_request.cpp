/// Whatever a client sends: each request is read or refused, in the same way however the bytes are
/// cut into pieces, and what was read has one meaning.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/result.hpp"
#include "service/http/field_text.hpp"
#include "service/http/request_reader.hpp"

namespace {

using namespace pawl;
using namespace pawl::service;

constexpr std::size_t head_max = 4'096;
constexpr std::size_t body_max = 1'000;

/// What a connection makes of its bytes.
struct Conversation {
  std::vector<Request> requests;
  Refusal refusal{.status = 0, .why = {}};  ///< status 0: none
  bool is_unfinished = false;               ///< the last request is incomplete
};

void check_head(const RequestHead& head) {
  const Request& request = head.request;
  require(is_token(request.method), "a method that is not a token");
  require(request.target.starts_with('/'), "a target that is not a path");
  for (const char c : request.target) {
    require(c > ' ' && c < '\x7f' && c != '#', "a target that must be escaped");
  }
  for (const auto& [name, value] : request.headers.all()) {
    require(is_token(name), "a name that is not a token");
    require(is_field_value(value), "a field with a control character");
    require(without_blanks(value) == value, "a field with blanks around it");
  }
  const std::size_t hosts = request.headers.count("Host");
  require(hosts == 1 || (hosts == 0 && head.is_http_1_0), "not one host");
  const std::size_t codings = request.headers.count("Transfer-Encoding");
  const std::size_t lengths = request.headers.count("Content-Length");
  require(codings + lengths <= 1, "two lengths of one body");
  require(head.is_chunked == (codings == 1), "a coding that was not seen");
  require(head.length == 0 || lengths == 1, "a length from nowhere");
  require(!head.is_http_1_0 || !head.keeps_open, "HTTP/1.0 is closed");
}

/// Reads everything, in pieces of these sizes in turn.
Conversation converse(std::string_view bytes, const std::vector<std::size_t>& sizes) {
  Conversation said;
  std::size_t turn = 0;
  std::string_view piece;
  while (!bytes.empty() || !piece.empty()) {
    RequestReader reader(head_max);
    bool has_begun = false;
    for (;;) {
      if (reader.state() == RequestReader::State::deciding) {
        check_head(reader.head());
        reader.allow_body(body_max);
      }
      if (reader.state() == RequestReader::State::complete) break;
      if (reader.state() == RequestReader::State::refused) {
        said.refusal = reader.refusal();
        require(said.refusal.status >= 400 && said.refusal.status <= 505, "not a refusal");
        require(!said.refusal.why.empty(), "refused without a reason");
        return said;
      }
      if (piece.empty()) {
        if (bytes.empty()) {
          said.is_unfinished = has_begun;
          return said;
        }
        piece = bytes.substr(0, sizes[turn++ % sizes.size()]);
        bytes.remove_prefix(piece.size());
      }
      has_begun = true;
      const std::size_t taken = reader.read(piece);
      require(taken <= piece.size(), "took more than there was");
      require(reader.body_size() <= body_max, "a body that is too long");
      piece.remove_prefix(taken);
    }
    said.requests.push_back(reader.take_request());
  }
  return said;
}

/// The request with another frame: what it means must not depend on how it was sent.
std::string written(const Request& request) {
  std::string text = request.method + " " + request.target + " HTTP/1.1\r\n";
  for (const auto& [name, value] : request.headers.all()) {
    if (is_same_name(name, "Transfer-Encoding") || is_same_name(name, "Content-Length")) continue;
    text.append(name).append(":").append(value).append("\r\n");
  }
  if (!request.headers.find("Host")) text += "Host: none\r\n";
  return text + "Content-Length: " + std::to_string(request.body.size()) + "\r\n\r\n" +
         request.body;
}

void check_same(const Conversation& one, const Conversation& other) {
  require(one.requests.size() == other.requests.size(), "another number of requests");
  for (std::size_t i = 0; i < one.requests.size(); ++i) {
    const Request& a = one.requests[i];
    const Request& b = other.requests[i];
    require(a.method == b.method && a.target == b.target, "another request line");
    require(a.headers.all() == b.headers.all(), "other fields");
    require(a.body == b.body, "another body");
  }
  require(one.refusal.status == other.refusal.status, "refused for another reason");
  require(one.is_unfinished == other.is_unfinished, "finished at another place");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Conversation whole = converse(text, {std::string_view::npos});
  check_same(whole, converse(text, {1}));
  check_same(whole, converse(text, {7, 1, 30, 2}));
  for (const Request& request : whole.requests) {
    const std::string again = written(request);
    const Conversation said = converse(again, {std::string_view::npos});
    // The new frame may be longer than the old one was.
    if (said.refusal.status == 431) continue;
    // HTTP/1.0 ignores an expectation that HTTP/1.1 does not know.
    if (said.refusal.status == 417) continue;
    require(said.requests.size() == 1 && !said.is_unfinished, "cannot be read again: " + again);
    require(said.requests[0].target == request.target && said.requests[0].body == request.body,
            "another request when read again");
  }
  return 0;
}
