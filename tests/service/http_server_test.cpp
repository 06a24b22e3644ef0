/// Requests and responses, one after another, on the real server.

#include <set>
#include <string>

#include <fcntl.h>

#include "http_test.hpp"

namespace pawl::service {
namespace {

class HttpServer : public HttpTest {};

TEST_F(HttpServer, a_request_reaches_the_handler_as_it_was_sent) {
  Request seen;
  handler_.on_request = [&](const Request& request) {
    seen = request;
    return ScriptedHandler::text("hello");
  };
  start();
  const RawResponse response =
      ask("POST /a/b?c=%20d HTTP/1.1\r\nHost: localhost:80\r\nX-One:  two \t\r\nX-ONE: three\r\n"
          "Content-Length: 4\r\n\r\nbody");
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.body, "hello");
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.target, "/a/b?c=%20d");
  EXPECT_EQ(seen.path(), "/a/b");
  EXPECT_EQ(seen.query(), "c=%20d");
  EXPECT_EQ(seen.headers.find("x-one"), "two");
  EXPECT_EQ(seen.headers.count("X-One"), 2U);
  EXPECT_EQ(seen.body, "body");
  EXPECT_EQ(seen.peer, "127.0.0.1");
}

TEST_F(HttpServer, a_response_has_a_date_and_a_length_and_names_no_version) {
  start();
  const RawResponse response = ask(get);
  EXPECT_TRUE(response.field("Date").ends_with(" GMT")) << response.field("Date");
  EXPECT_EQ(response.field("Content-Length"), "6");
  EXPECT_FALSE(response.headers.find("Server"));
  EXPECT_FALSE(response.headers.find("Connection"));
}

TEST_F(HttpServer, a_connection_is_used_again) {
  start();
  RawClient client = connect();
  for (int i = 0; i < 3; ++i) {
    client.send(get);
    EXPECT_EQ(client.response().body, "GET /a");
  }
  EXPECT_EQ(server_->figures().accepted, 1);
}

TEST_F(HttpServer, fifty_requests_in_one_write_are_answered_in_their_order) {
  handler_.on_request = [](const Request& request) {
    // The first ones take longest.
    for (int i = 0; i < 50 - std::stoi(request.target.substr(1)); ++i) std::this_thread::yield();
    return ScriptedHandler::text(request.target + request.body);
  };
  start();
  std::string requests;
  for (int i = 0; i < 50; ++i) {
    requests += "POST /" + std::to_string(i) + " HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx";
  }
  RawClient client = connect();
  client.send(requests);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(client.response().body, "/" + std::to_string(i) + "x");
  }
}

TEST_F(HttpServer, one_request_of_a_connection_is_answered_at_a_time) {
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  handler_.on_request = [&](const Request&) {
    most = std::max(most.load(), ++now);
    std::this_thread::yield();
    --now;
    return ScriptedHandler::text("x");
  };
  start();
  RawClient client = connect();
  for (int i = 0; i < 20; ++i) client.send(get);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.response().status, 200U);
  EXPECT_EQ(most, 1);
}

TEST_F(HttpServer, requests_of_several_connections_are_answered_at_the_same_time) {
  std::atomic<int> now = 0;
  handler_.on_request = [&](const Request&) {
    ++now;
    return ScriptedHandler::text(eventually([&] { return now == 4; }) ? "together" : "alone");
  };
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(connect());
  for (RawClient& client : clients) client.send(get);
  for (RawClient& client : clients) EXPECT_EQ(client.response().body, "together");
}

TEST_F(HttpServer, a_request_may_arrive_byte_by_byte) {
  handler_.on_request = [](const Request& request) { return ScriptedHandler::text(request.body); };
  start();
  RawClient client = connect();
  client.send_byte_by_byte(
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3;name=\"a value\"\r\nabc\r\n0a\r\n0123456789\r\n0\r\nX-Trailer: dropped\r\n\r\n");
  EXPECT_EQ(client.response().body, "abc0123456789");
  client.send_byte_by_byte("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nxyz");
  EXPECT_EQ(client.response().body, "xyz");
}

TEST_F(HttpServer, trailers_of_a_chunked_body_are_not_fields_of_the_request) {
  Headers seen;
  handler_.on_request = [&](const Request& request) {
    seen = request.headers;
    return ScriptedHandler::text(request.body);
  };
  start();
  const RawResponse response =
      ask("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
          "2\r\nok\r\n0\r\nAuthorization: Bearer x\r\nHost: other\r\n\r\n");
  EXPECT_EQ(response.body, "ok");
  EXPECT_FALSE(seen.find("Authorization"));
  EXPECT_EQ(seen.count("Host"), 1U);
}

TEST_F(HttpServer, head_is_answered_like_get_without_the_body) {
  start();
  RawClient client = connect();
  client.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n");
  const RawResponse response = client.response(true);
  EXPECT_EQ(response.status, 200U);
  EXPECT_EQ(response.field("Content-Length"), "7");
  client.send(get);
  EXPECT_EQ(client.response().body, "GET /a") << "the body of HEAD was sent";
}

TEST_F(HttpServer, a_status_without_a_body_has_neither_a_body_nor_a_length) {
  handler_.on_request = [](const Request& request) {
    Response response = ScriptedHandler::text("must not be sent");
    response.status = request.target == "/204" ? 204 : 304;
    return response;
  };
  start();
  RawClient client = connect();
  for (const unsigned status : {204U, 304U}) {
    client.send("GET /" + std::to_string(status) + " HTTP/1.1\r\nHost: h\r\n\r\n");
    const RawResponse response = client.response();
    EXPECT_EQ(response.status, status);
    EXPECT_FALSE(response.headers.find("Content-Length"));
  }
  EXPECT_TRUE(client.has_read_everything());
}

TEST_F(HttpServer, a_client_that_asks_to_close_is_obeyed) {
  start();
  for (const char* field : {"close", "Close", "keep-alive, close", "TE ,close"}) {
    RawClient client = connect();
    client.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: " + std::string(field) + "\r\n\r\n");
    const RawResponse response = client.response();
    EXPECT_EQ(response.body, "GET /a") << field;
    EXPECT_EQ(response.field("Connection"), "close") << field;
    EXPECT_TRUE(client.sees_close()) << field;
    EXPECT_FALSE(client.was_reset()) << field;
  }
}

TEST_F(HttpServer, http_1_0_is_answered_and_closed) {
  start();
  RawClient client = connect();
  client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const RawResponse response = client.response();
  EXPECT_EQ(response.body, "GET /a");
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_TRUE(client.sees_close());
}

TEST_F(HttpServer, what_follows_the_last_request_is_not_answered) {
  start();
  RawClient client = connect();
  client.send("GET /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" + std::string(get));
  EXPECT_EQ(client.response().status, 200U);
  EXPECT_EQ(client.rest(), "");
  EXPECT_FALSE(client.was_reset());
  EXPECT_EQ(handler_.answered, 1);
}

TEST_F(HttpServer, a_client_that_has_closed_its_side_still_gets_its_answers) {
  start();
  RawClient client = connect();
  client.send(std::string(get) + std::string(get));
  client.end_output();
  EXPECT_EQ(client.response().body, "GET /a");
  EXPECT_EQ(client.response().body, "GET /a");
  EXPECT_TRUE(client.sees_close());
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpServer, half_a_request_is_not_answered) {
  start();
  for (const char* half :
       {"GET /a HTT", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab"}) {
    RawClient client = connect();
    client.send(half);
    client.end_output();
    EXPECT_EQ(client.rest(), "") << half;
  }
  EXPECT_EQ(handler_.answered, 0);
}

TEST_F(HttpServer, a_client_that_waits_for_100_continue_gets_it_before_the_body) {
  start();
  RawClient client = connect();
  client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(client.response().status, 100U);
  client.send("ok");
  EXPECT_EQ(client.response().body, "POST /a");
}

TEST_F(HttpServer, a_body_that_is_there_already_is_not_asked_for) {
  start();
  RawClient client = connect();
  client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nok");
  EXPECT_EQ(client.response().status, 200U);
}

TEST_F(HttpServer, other_expectations_are_refused) {
  start();
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: h\r\nExpect: a-miracle\r\n\r\n").status, 417U);
}

TEST_F(HttpServer, an_absolute_target_is_taken_by_its_path) {
  start();
  const auto body_of = [&](const std::string& target) {
    return ask("GET " + target + " HTTP/1.1\r\nHost: h:80\r\n\r\n").body;
  };
  EXPECT_EQ(body_of("http://h:80/a?b"), "GET /a?b");
  EXPECT_EQ(body_of("HTTP://H:80"), "GET /");
  EXPECT_EQ(body_of("http://h:80?q"), "GET /?q");
}

TEST_F(HttpServer, methods_and_paths_are_for_the_handler_to_judge) {
  start();
  EXPECT_EQ(ask("TRACE /a HTTP/1.1\r\nHost: h\r\n\r\n").body, "TRACE /a");
  EXPECT_EQ(ask("BREW //a/../b HTTP/1.1\r\nHost: h\r\n\r\n").body, "BREW //a/../b");
}

TEST_F(HttpServer, one_empty_line_before_a_request_is_allowed) {
  start();
  RawClient client = connect();
  client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok\r\n" + std::string(get));
  EXPECT_EQ(client.response().body, "POST /a");
  EXPECT_EQ(client.response().body, "GET /a");
}

TEST_F(HttpServer, a_handler_that_throws_is_answered_with_500_and_the_connection_goes_on) {
  handler_.on_request = [](const Request& request) -> Response {
    if (request.target == "/a") throw std::runtime_error("a bug");
    if (request.target == "/b") throw 7;  // NOLINT: handlers are not ours
    return ScriptedHandler::text("fine");
  };
  start();
  RawClient client = connect();
  client.send(get);
  EXPECT_EQ(client.response().status, 500U);
  client.send("GET /b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.response().status, 500U);
  client.send("GET /c HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.response().body, "fine");
  EXPECT_EQ(handler_.refusals().front(), "500 GET /a: an internal error");
}

TEST_F(HttpServer, a_handler_that_cannot_even_refuse_leaves_a_plain_answer) {
  handler_.on_refusal = [](unsigned) -> Response { throw std::runtime_error("a bug"); };
  handler_.on_body = [](const Request&) -> std::size_t { throw std::runtime_error("a bug"); };
  start();
  const RawResponse malformed = ask("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(malformed.status, 400U);
  EXPECT_EQ(malformed.body, "the request has no Host field\n");
  EXPECT_EQ(ask("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok").status, 413U);
}

TEST_F(HttpServer, a_response_cannot_be_split_by_what_a_handler_puts_into_a_field) {
  handler_.on_request = [](const Request&) {
    Response response = ScriptedHandler::text("x");
    response.headers.add("X-Name", "a\r\nSet-Cookie: b\r\n\r\n<html>");
    response.headers.add("Bad Name", "c");
    response.headers.add("Content-Length", "1000");
    response.headers.add("Transfer-Encoding", "chunked");
    return response;
  };
  start();
  const RawResponse response = ask(get);
  EXPECT_EQ(response.field("X-Name"), "a  Set-Cookie: b    <html>");
  EXPECT_FALSE(response.headers.find("Set-Cookie"));
  EXPECT_FALSE(response.headers.find("Bad Name"));
  EXPECT_EQ(response.headers.count("Content-Length"), 1U);
  EXPECT_EQ(response.body, "x");
}

TEST_F(HttpServer, a_handler_may_end_the_connection) {
  handler_.on_request = [](const Request&) {
    Response response = ScriptedHandler::text("bye");
    response.headers.add("Connection", "close");
    return response;
  };
  start();
  RawClient client = connect();
  client.send(get);
  EXPECT_EQ(client.response().body, "bye");
  EXPECT_EQ(client.rest(), "");
}

TEST_F(HttpServer, a_large_response_arrives_whole) {
  const std::string large(20'000'000, 'x');
  handler_.on_request = [&](const Request&) { return ScriptedHandler::text(large); };
  start();
  RawClient client = connect();
  client.send(get);
  EXPECT_EQ(client.response().body, large);
}

TEST_F(HttpServer, it_listens_on_ipv6) {
  auto server = Server::listen("[::1]:0", handler_);
  ASSERT_TRUE(server.has_value()) << server.error().text();
  EXPECT_TRUE((*server)->address().starts_with("[::1]:"));
}

TEST_F(HttpServer, a_port_that_is_taken_is_unavailable_and_other_faults_are_invalid) {
  start();
  const auto taken = Server::listen(server_->address(), handler_);
  ASSERT_FALSE(taken.has_value());
  EXPECT_EQ(taken.error().code, ErrorCode::unavailable);
  for (const char* text : {"", "7878", "localhost:7878", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                           "127.0.0.1:70000", "127.0.0.1:-1", "::1:7878", "[127.0.0.1]:1"}) {
    const auto server = Server::listen(text, handler_);
    ASSERT_FALSE(server.has_value()) << text;
    EXPECT_EQ(server.error().code, ErrorCode::invalid) << text;
  }
  EXPECT_FALSE(Server::listen("127.0.0.1:0", handler_, {.request_threads = 0}).has_value());
}

/// The descriptors that programs inherit from this one.
std::set<int> inheritable() {
  std::set<int> found;
  for (int descriptor = 0; descriptor < 1'000; ++descriptor) {
    const int flags = ::fcntl(descriptor, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) found.insert(descriptor);
  }
  return found;
}

TEST_F(HttpServer, programs_that_the_engine_starts_inherit_no_connection) {
  const std::set<int> before = inheritable();
  start();
  RawClient client = connect();
  client.send(get);
  EXPECT_EQ(client.response().status, 200U);
  EXPECT_EQ(inheritable(), before);
}

TEST_F(HttpServer, connections_wait_until_the_server_starts) {
  auto server = Server::listen("127.0.0.1:0", handler_);
  ASSERT_TRUE(server.has_value());
  RawClient client((*server)->address());
  client.send(get);
  (*server)->start();
  EXPECT_EQ(client.response().body, "GET /a");
}

TEST_F(HttpServer, stopping_lets_a_running_request_finish) {
  Signal running;
  Signal go_on;
  handler_.on_request = [&](const Request&) {
    running.set();
    return ScriptedHandler::text(go_on.wait() ? "finished" : "late");
  };
  start();
  RawClient client = connect();
  client.send(get);
  ASSERT_TRUE(running.wait());
  std::thread stopper([&] { server_->stop(10s); });
  EXPECT_TRUE(eventually([&] { return !RawClient(server_->address()).is_connected(); }));
  go_on.set();
  const RawResponse response = client.response();
  EXPECT_EQ(response.body, "finished");
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_TRUE(client.sees_close());
  stopper.join();
  EXPECT_EQ(server_->figures().connections, 0);
}

TEST_F(HttpServer, stopping_closes_idle_connections_at_once) {
  start();
  RawClient idle = connect();
  RawClient used = connect();
  used.send(get);
  EXPECT_EQ(used.response().status, 200U);
  RawClient half = connect();
  half.send("GET / HT");
  ASSERT_TRUE(eventually([&] { return server_->figures().connections == 3; }));
  server_->stop(1h);
  EXPECT_TRUE(idle.sees_close());
  EXPECT_TRUE(used.sees_close());
  EXPECT_TRUE(half.sees_close());
}

TEST_F(HttpServer, stopping_waits_no_longer_than_its_patience_for_a_client) {
  start();
  RawClient client = connect();
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab");
  ASSERT_TRUE(eventually([&] { return server_->figures().connections == 1; }));
  server_->stop(20ms);
  EXPECT_TRUE(client.sees_close());
}

TEST_F(HttpServer, it_may_be_stopped_twice_by_two_threads_and_before_it_started) {
  start();
  RawClient client = connect();
  std::thread first([&] { server_->stop(1s); });
  std::thread second([&] { server_->stop(1s); });
  first.join();
  second.join();
  server_->stop(1s);
  auto unstarted = Server::listen("127.0.0.1:0", handler_);
  ASSERT_TRUE(unstarted.has_value());
  (*unstarted)->stop(1s);
  (*unstarted)->start();
  (*unstarted)->stop(1s);
}

}  // namespace
}  // namespace pawl::service
