/// The head of a response, without a network.

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "service/http/request_reader.hpp"
#include "service/http/response_head.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;

TEST(ResponseHead, a_date_is_written_as_http_wants_it) {
  using std::chrono::sys_days;
  using namespace std::chrono;
  EXPECT_EQ(http_date(sys_days(1994y / November / 6) + 8h + 49min + 37s),
            "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(http_date(sys_days(2024y / February / 29) + 23h + 59min + 59s + 999ms),
            "Thu, 29 Feb 2024 23:59:59 GMT");
  EXPECT_EQ(http_date(sys_days(1970y / January / 1)), "Thu, 01 Jan 1970 00:00:00 GMT");
}

TEST(ResponseHead, it_has_the_status_the_fields_and_the_frame) {
  Response response{.status = 404, .headers = {}, .body = "gone"};
  response.headers.add("Content-Type", "text/plain");
  EXPECT_EQ(response_head(response, {}, "now"),
            "HTTP/1.1 404 Not Found\r\nDate: now\r\nContent-Type: text/plain\r\n"
            "Content-Length: 4\r\n\r\n");
  EXPECT_EQ(response_head(response, {.keeps_open = false}, "now"),
            "HTTP/1.1 404 Not Found\r\nDate: now\r\nContent-Type: text/plain\r\n"
            "Content-Length: 4\r\nConnection: close\r\n\r\n");
}

TEST(ResponseHead, a_status_that_no_final_response_has_becomes_500) {
  for (const unsigned status : {0U, 100U, 101U, 199U, 600U, 99'999U}) {
    const Response response{.status = status, .headers = {}, .body = {}};
    EXPECT_TRUE(response_head(response, {}, "").starts_with("HTTP/1.1 500 ")) << status;
  }
}

TEST(ResponseHead, an_empty_piece_is_not_a_chunk_since_that_would_end_the_body) {
  EXPECT_EQ(chunk_of(""), "");
  EXPECT_EQ(chunk_of("abc"), "3\r\nabc\r\n");
  EXPECT_EQ(chunk_of(std::string(255, 'x')).substr(0, 4), "ff\r\n");
}

TEST(RequestReader, it_leaves_what_follows_the_request) {
  const std::string next = "GET /next HTTP/1.1\r\n";
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string body = "3\r\nabc\r\n0\r\nX: y\r\n\r\n";
  // In two pieces, wherever the first one ends.
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    RequestReader reader(16'384);
    ASSERT_EQ(reader.read(head + body), head.size());
    ASSERT_EQ(reader.state(), RequestReader::State::deciding);
    reader.allow_body(100);
    ASSERT_EQ(reader.read(body.substr(0, cut)), cut);
    const std::string rest = body.substr(cut) + next;
    if (cut < body.size()) {
      ASSERT_EQ(reader.read(rest), body.size() - cut) << cut;
    }
    ASSERT_EQ(reader.state(), RequestReader::State::complete) << cut;
    EXPECT_EQ(reader.take_request().body, "abc");
  }
}

TEST(RequestReader, the_end_of_a_chunked_body_may_arrive_in_any_pieces) {
  for (const std::string_view body : {"0\r\n\r\n", "0\r\nX:y\r\n\r\n", "1\r\nx\r\n0\r\n\r\n"}) {
    for (unsigned cuts = 0; cuts < 1U << (body.size() - 1); ++cuts) {
      RequestReader reader(16'384);
      reader.read("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
      reader.allow_body(100);
      std::string piece;
      for (std::size_t i = 0; i < body.size(); ++i) {
        piece += body[i];
        if (i + 1 < body.size() && (cuts >> i & 1U) == 0) continue;
        ASSERT_EQ(reader.read(piece), piece.size());
        piece.clear();
      }
      ASSERT_EQ(reader.state(), RequestReader::State::complete) << body << cuts;
    }
  }
}

}  // namespace
}  // namespace pawl::service
