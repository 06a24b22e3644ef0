/// Requests that the handler answers on the I/O thread.

#include <optional>
#include <string>

#include "http_test.hpp"

namespace pawl::service {
namespace {

class HttpAtOnce : public HttpTest {
 protected:
  HttpAtOnce() {
    handler_.on_request_at_once = [](const Request& request) -> std::optional<Response> {
      if (request.target == "/bug") throw 7;  // NOLINT: handlers are not ours
      if (request.target != "/now") return std::nullopt;
      return ScriptedHandler::text("now" + request.body);
    };
  }

  static constexpr std::string_view now = "GET /now HTTP/1.1\r\nHost: h\r\n\r\n";
};

TEST_F(HttpAtOnce, it_is_answered_while_every_request_thread_is_busy) {
  limits_.request_threads = 1;
  const auto go_on = std::make_shared<Signal>();
  handler_.on_request = [go_on](const Request&) {
    (void)go_on->wait();
    return ScriptedHandler::text("later");
  };
  start();
  RawClient busy = connect();
  busy.send(get);
  ASSERT_TRUE(eventually([&] { return handler_.answered == 1; }));
  EXPECT_EQ(ask(now).body, "now");
  go_on->set();
  EXPECT_EQ(busy.response().body, "later");
}

TEST_F(HttpAtOnce, answers_keep_the_order_of_the_requests) {
  start();
  RawClient client = connect();
  client.send(std::string(now) + std::string(get) + std::string(now) + std::string(now) +
              "POST /now HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n!");
  for (const char* body : {"now", "GET /a", "now", "now", "now!"}) {
    EXPECT_EQ(client.response().body, body);
  }
}

TEST_F(HttpAtOnce, a_client_that_has_closed_its_side_gets_all_answers) {
  start();
  RawClient client = connect();
  client.send(std::string(get) + std::string(now) + std::string(now) + std::string(now));
  client.end_output();
  EXPECT_EQ(client.response().body, "GET /a");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.response().body, "now") << i;
  EXPECT_TRUE(client.sees_close());
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpAtOnce, many_requests_in_one_write_need_no_deep_stack) {
  start();
  RawClient client = connect();
  std::string requests;
  for (int i = 0; i < 20'000; ++i) requests += now;
  std::thread sender([&] { client.send(requests); });
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(client.response().body, "now") << i;
  sender.join();
}

TEST_F(HttpAtOnce, what_it_throws_is_an_error_response_and_the_connection_goes_on) {
  start();
  RawClient client = connect();
  client.send("GET /bug HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.response().status, 500U);
  client.send(now);
  EXPECT_EQ(client.response().body, "now");
}

TEST_F(HttpAtOnce, a_connection_is_idle_after_it) {
  limits_.idle_timeout = 300ms;
  limits_.head_timeout = 100ms;
  start();
  RawClient client = connect();
  client.send(now);
  EXPECT_EQ(client.response().body, "now");
  EXPECT_EQ(client.rest(), "");
  EXPECT_TRUE(handler_.refusals().empty());
}

}  // namespace
}  // namespace pawl::service
