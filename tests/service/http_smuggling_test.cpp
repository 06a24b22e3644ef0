/// Requests that another program could understand differently, and requests that are wrong.

#include <string>
#include <vector>

#include "http_test.hpp"
#include "service/http/request_head.hpp"

namespace pawl::service {
namespace {

class HttpSmuggling : public HttpTest {};

struct Malformed {
  const char* name;
  std::string bytes;
  unsigned status = 400;
};

/// The head of a POST with these fields, and what follows it.
std::string post(const std::string& fields, const std::string& rest = "") {
  return "POST /a HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n" + rest;
}
std::string chunked(const std::string& body) {
  return post("Transfer-Encoding: chunked\r\n", body);
}
std::string line(const std::string& request_line) { return request_line + "\r\nHost: h\r\n\r\n"; }
std::string fields(const std::string& lines) { return "GET /a HTTP/1.1\r\n" + lines + "\r\n"; }
std::string with_byte(char byte) {
  return fields("Host: h\r\nX: a" + std::string(1, byte) + "b\r\n");
}

// The body of each is a request that must not be answered.
const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: h\r\n\r\n";

const std::vector<Malformed> malformed{
    // How long the body is
    {"a length and a coding",
     post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden)},
    {"a coding and a length",
     post("Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", "0\r\n\r\n" + hidden)},
    {"two lengths", post("Content-Length: 0\r\nContent-Length: 33\r\n", hidden)},
    {"two equal lengths", post("Content-Length: 0\r\nContent-Length: 0\r\n", hidden)},
    {"two lengths in one field", post("Content-Length: 0, 33\r\n", hidden)},
    {"two equal lengths in one field", post("Content-Length: 0,0\r\n", hidden)},
    {"a length with a plus", post("Content-Length: +0\r\n", hidden)},
    {"a length with a minus", post("Content-Length: -1\r\n", hidden)},
    {"a length in hex", post("Content-Length: 0x10\r\n", hidden)},
    {"a length with a fraction", post("Content-Length: 0.0\r\n", hidden)},
    {"a length with a space", post("Content-Length: 1 0\r\n", hidden)},
    {"a length that is empty", post("Content-Length:\r\n", hidden)},
    {"a length beyond 64 bits", post("Content-Length: 18446744073709551616\r\n", hidden)},
    {"a length with a null byte", post(std::string("Content-Length: 0\0\r\n", 20), hidden)},
    {"a space before the colon of the length", post("Content-Length : 33\r\n", hidden)},
    {"a tab before the colon of the coding", post("Transfer-Encoding\t: chunked\r\n", hidden)},
    {"an unknown coding", post("Transfer-Encoding: xchunked\r\n", hidden)},
    {"a coding in capitals", post("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n" + hidden)},
    {"a coding before chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n" + hidden)},
    {"a coding after chunked",
     post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n" + hidden)},
    {"identity", post("Transfer-Encoding: identity\r\n", hidden)},
    {"an empty coding", post("Transfer-Encoding:\r\n", hidden)},
    {"a coding with a comma", post("Transfer-Encoding: chunked,\r\n", "0\r\n\r\n" + hidden)},
    {"a coding with a parameter", post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n" + hidden)},
    {"a coding in quotes", post("Transfer-Encoding: \"chunked\"\r\n", "0\r\n\r\n" + hidden)},
    {"a coding after a vertical tab",
     post("Transfer-Encoding: \vchunked\r\n", "0\r\n\r\n" + hidden)},
    {"two codings",
     post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n" + hidden)},
    {"two different codings",
     post("Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n", hidden)},
    {"a coding in the next line", post("Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n" + hidden)},
    {"a coding in HTTP/1.0",
     "POST /a HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
    // Chunks
    {"a chunk size that is not hex", chunked("g\r\n\r\n0\r\n\r\n")},
    {"a chunk size with a prefix", chunked("0x2\r\nab\r\n0\r\n\r\n")},
    {"a chunk size with a sign", chunked("+2\r\nab\r\n0\r\n\r\n")},
    {"a chunk size after a space", chunked(" 2\r\nab\r\n0\r\n\r\n")},
    {"a chunk size before a space", chunked("2 \r\nab\r\n0\r\n\r\n")},
    {"a chunk size beyond 64 bits", chunked("10000000000000002\r\nab\r\n0\r\n\r\n")},
    {"a chunk size that is empty", chunked("\r\n\r\n")},
    {"a chunk size that ends with a line feed", chunked("2\nab\r\n0\r\n\r\n")},
    {"a chunk that is longer than its size", chunked("2\r\nabc\r\n0\r\n\r\n")},
    {"a chunk without its end", chunked("2\r\nab0\r\n\r\n")},
    {"a chunk that ends with a line feed", chunked("2\r\nab\n0\r\n\r\n")},
    {"an extension with a line feed", chunked("2;a\nb\r\nab\r\n0\r\n\r\n")},
    {"an extension with a line feed in quotes", chunked("2;a=\"\nb\"\r\nab\r\n0\r\n\r\n")},
    {"an extension with a return", chunked("2;a\rb\r\nab\r\n0\r\n\r\n")},
    {"a trailer with a length", chunked("0\r\nContent-Length: 5\r\n\r\n")},
    {"a trailer with a coding", chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n")},
    {"a trailer without a colon", chunked("0\r\nnonsense\r\n\r\n")},
    // The host
    {"no host", fields("X: y\r\n")},
    {"two hosts", fields("Host: h\r\nHost: h\r\n")},
    {"two hosts in one field", fields("Host: h, g\r\n")},
    {"an empty host", fields("Host:\r\n")},
    {"a host with a user", fields("Host: user@h\r\n")},
    {"a host with a path", fields("Host: h/a\r\n")},
    {"a host with a port that is none", fields("Host: h:http\r\n")},
    {"a host with an empty port", fields("Host: h:\r\n")},
    {"a host with open brackets", fields("Host: [::1\r\n")},
    {"two hosts in HTTP/1.0", "GET /a HTTP/1.0\r\nHost: h\r\nHost: g\r\n\r\n"},
    {"a target with another host", line("GET http://g/a HTTP/1.1")},
    {"a target with a user", line("GET http://user@h/a HTTP/1.1")},
    {"a target with a host, and no host", "GET http://h/ HTTP/1.0\r\n\r\n"},
    // Fields
    {"a field without a colon", fields("Host: h\r\nnonsense\r\n")},
    {"a field without a name", fields("Host: h\r\n: a\r\n")},
    {"a name with a space", fields("Host: h\r\nX Y: a\r\n")},
    {"a name with a bracket", fields("Host: h\r\nX(Y): a\r\n")},
    {"a name with a letter beyond ASCII", fields("Host: h\r\nX\xc3\xa4: a\r\n")},
    {"a field that goes on in the next line", fields("Host: h\r\nX: a\r\n b\r\n")},
    {"a first field that is indented", fields(" Host: h\r\n")},
    {"a null byte in a field", with_byte('\0')},
    {"an escape in a field", with_byte('\x1b')},
    {"a delete in a field", with_byte('\x7f')},
    {"a return in a field", with_byte('\r')},
    {"a line feed in a field", with_byte('\n')},
    {"lines that end with a line feed", "GET /a HTTP/1.1\nHost: h\n\n"},
    {"one line that ends with a line feed", "GET /a HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"},
    {"an end with a line feed", "GET /a HTTP/1.1\r\nHost: h\r\n\n"},
    {"lines that end with a return", "GET /a HTTP/1.1\rHost: h\r\r"},
    {"two empty lines first", "\r\n\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n"},
    // The request line
    {"no target", line("GET HTTP/1.1")},
    {"an empty target", line("GET  HTTP/1.1")},
    {"two spaces", line("GET  /a HTTP/1.1")},
    {"two spaces before the version", line("GET /a  HTTP/1.1")},
    {"a space at the end", line("GET /a HTTP/1.1 ")},
    {"a tab", line("GET\t/a HTTP/1.1")},
    {"no method", line(" /a HTTP/1.1")},
    {"a method with a bracket", line("GE(T /a HTTP/1.1")},
    {"a target with a space", line("GET /a b HTTP/1.1")},
    {"a target with a fragment", line("GET /a#b HTTP/1.1")},
    {"a target beyond ASCII", line("GET /\xc3\xa4 HTTP/1.1")},
    {"a target that is not a path", line("GET a HTTP/1.1")},
    {"a target for another protocol", line("GET ftp://h/a HTTP/1.1")},
    {"an asterisk", line("OPTIONS * HTTP/1.1")},
    {"a target for a tunnel", line("CONNECT h:80 HTTP/1.1")},
    {"no version", line("GET /a")},
    {"a version in small letters", line("GET /a http/1.1")},
    {"a version with another name", line("GET /a HTTPS/1.1")},
    {"a version with too many digits", line("GET /a HTTP/1.10")},
    {"a version without a point", line("GET /a HTTP/11")},
    {"another version", line("GET /a HTTP/1.2"), 505},
    {"version 0.9", line("GET /a HTTP/0.9"), 505},
    {"version 3", line("GET /a HTTP/3.0"), 505},
    {"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"the beginning of TLS", std::string("\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03", 11)},
};

TEST_F(HttpSmuggling, a_malformed_request_is_refused_and_nothing_after_it_is_read) {
  start();
  for (const Malformed& one : malformed) {
    RawClient client = connect();
    client.send(one.bytes + hidden);
    const RawResponse response = client.response();
    EXPECT_EQ(response.status, one.status) << one.name;
    EXPECT_EQ(response.field("Connection"), "close") << one.name;
    client.end_output();
    EXPECT_EQ(client.rest(), "") << one.name;
    EXPECT_FALSE(client.was_reset()) << one.name;
  }
  EXPECT_EQ(handler_.answered, 0);
  EXPECT_EQ(handler_.refusals().size(), malformed.size());
}

TEST_F(HttpSmuggling, a_malformed_request_is_refused_also_when_it_arrives_byte_by_byte) {
  start();
  for (const Malformed& one : malformed) {
    RawClient client = connect();
    client.send_byte_by_byte(one.bytes);
    EXPECT_EQ(client.response().status, one.status) << one.name;
  }
  EXPECT_EQ(handler_.answered, 0);
}

TEST_F(HttpSmuggling, a_fault_that_is_visible_early_is_refused_without_waiting_for_the_end) {
  start();
  for (const std::string_view begin :
       {"GET / HTTP/1.1\n", "GET /\x01", "\x16\x03", "GET / HTTP/1.1\r "}) {
    RawClient client = connect();
    client.send(begin);
    EXPECT_EQ(client.response().status, 400U) << begin;
  }
}

TEST_F(HttpSmuggling, a_refusal_names_what_was_read_of_the_request) {
  start();
  (void)ask(post("Content-Length: x\r\n"));
  (void)ask("GET /a#b HTTP/1.1\r\n\r\n");
  const std::vector<std::string> expected{"400 POST /a: the Content-Length is not a number",
                                          "400  : the target has a character that must be escaped"};
  EXPECT_EQ(handler_.refusals(), expected);
}

TEST_F(HttpSmuggling, unusual_requests_that_have_one_meaning_are_answered) {
  handler_.on_request = [](const Request& request) {
    return ScriptedHandler::text(request.target + "|" + request.body);
  };
  start();
  const std::vector<std::pair<std::string, std::string>> requests{
      {"GET / HTTP/1.1\r\nhOST:h\r\n\r\n", "/|"},
      {"GET / HTTP/1.1\r\nHost: \t h \t\r\n\r\n", "/|"},
      {"GET / HTTP/1.1\r\nHost: [::1]:80\r\nX:\r\n\r\n", "/|"},
      {"GET /%00?a=\\|^{} HTTP/1.1\r\nHost: h\r\n\r\n", "/%00?a=\\|^{}|"},
      {"GET / HTTP/1.1\r\nHost: h\r\nX: \xc3\xa4 \t \"a\"\r\n\r\n", "/|"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc", "/|abc"},
      {post("Content-Length: 0000000000000000003\r\n", "abc"), "/a|abc"},
      {post("transfer-encoding:chunked\r\n", "00003;a;b=c;d=\"e\\\"f\"\r\nabc\r\n0;x\r\n\r\n"),
       "/a|abc"},
      {chunked("0\r\n\r\n"), "/a|"},
      {chunked("A\r\n0123456789\r\n000\r\nX: y\r\nZ:\r\n\r\n"), "/a|0123456789"},
      {"GET / HTTP/1.0\r\n\r\n", "/|"},
      {"GET / HTTP/1.0\r\nHost: h\r\nExpect: nothing\r\n\r\n", "/|"},
  };
  for (const auto& [request, answer] : requests) EXPECT_EQ(ask(request).body, answer) << request;
}

TEST_F(HttpSmuggling, the_body_of_a_request_is_not_read_as_a_request) {
  handler_.on_request = [](const Request& request) {
    return ScriptedHandler::text(request.target + "|" + request.body);
  };
  start();
  const std::string size = std::to_string(hidden.size());
  RawClient client = connect();
  client.send(post("Content-Length: " + size + "\r\n", hidden) + std::string(get));
  EXPECT_EQ(client.response().body, "/a|" + hidden);
  EXPECT_EQ(client.response().body, "/a|");
  EXPECT_EQ(handler_.answered, 2);
}

TEST(RequestHead, a_head_without_its_end_or_with_more_after_it_is_refused) {
  for (const char* head : {"", "\r\n", "GET / HTTP/1.1\r\nHost: h\r\n",
                           "GET / HTTP/1.1\r\nHost: h\r\n\r\nX: y\r\n\r\n"}) {
    EXPECT_TRUE(read_head(head).refusal.has_value()) << head;
  }
}

TEST(RequestHead, the_scanner_leaves_what_follows_the_head) {
  HeadScanner scanner;
  EXPECT_EQ(scanner.scan("\r\nGET / HTTP/1.1\r\n"), 18U);
  EXPECT_EQ(scanner.state(), HeadScanner::State::more);
  EXPECT_EQ(scanner.scan("\r\nbody"), 2U);
  EXPECT_EQ(scanner.state(), HeadScanner::State::complete);
}

}  // namespace
}  // namespace pawl::service
