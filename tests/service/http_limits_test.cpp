/// What the server does not wait for, and what it does not take.

#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>

#include "http_test.hpp"
#include "service/http/admission.hpp"

namespace pawl::service {
namespace {

class HttpLimits : public HttpTest {
 protected:
  static std::string post(std::size_t length) {
    return "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
  }
  static constexpr std::string_view chunked =
      "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
};

TEST_F(HttpLimits, a_head_may_be_as_long_as_the_limit_and_not_a_byte_longer) {
  limits_.head_max = 1'000;
  start();
  const std::string begin = "GET /a HTTP/1.1\r\nHost: h\r\nX: ";
  const std::string fits = begin + std::string(1'000 - begin.size() - 4, 'x') + "\r\n\r\n";
  EXPECT_EQ(ask(fits).status, 200U);
  RawClient client = connect();
  client.send(begin + std::string(1'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(client.response().status, 431U);
  client.end_output();
  EXPECT_TRUE(client.sees_close());
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpLimits, a_head_without_an_end_is_refused_when_the_limit_is_reached) {
  start();
  RawClient client = connect();
  client.send("GET /" + std::string(40'000, 'a'));
  EXPECT_EQ(client.response().status, 431U);
}

TEST_F(HttpLimits, a_request_with_too_many_fields_is_refused) {
  start();
  std::string fields;
  for (int i = 0; i < 100; ++i) fields += "X: y\r\n";
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n").status, 431U);
}

TEST_F(HttpLimits, a_body_that_is_announced_as_too_long_is_refused_before_it_is_sent) {
  start();
  EXPECT_EQ(ask(post(1'000) + std::string(1'000, 'x')).status, 200U);
  RawClient client = connect();
  client.send(post(1'001));
  const RawResponse response = client.response();
  EXPECT_EQ(response.status, 413U);
  EXPECT_EQ(response.field("Connection"), "close");
  EXPECT_EQ(handler_.refusals().front(), "413 POST /a: the body is longer than 1000 bytes");
}

TEST_F(HttpLimits, a_client_that_waits_for_100_continue_with_a_long_body_gets_413_instead) {
  start();
  EXPECT_EQ(ask("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n"
                "Expect: 100-continue\r\n\r\n")
                .status,
            413U);
}

TEST_F(HttpLimits, a_client_that_goes_on_sending_a_long_body_sees_413_and_no_reset) {
  start();
  RawClient client = connect();
  client.send(post(4'000'000));
  EXPECT_TRUE(client.send(std::string(4'000'000, 'x')));
  client.end_output();
  EXPECT_EQ(client.response().status, 413U);
  EXPECT_TRUE(client.sees_close());
  EXPECT_FALSE(client.was_reset());
  EXPECT_EQ(handler_.answered, 0);
}

TEST_F(HttpLimits, chunks_that_become_too_long_are_refused) {
  start();
  const std::string fits = "3e8\r\n" + std::string(1'000, 'x') + "\r\n0\r\n\r\n";
  EXPECT_EQ(ask(std::string(chunked) + fits).status, 200U);
  RawClient client = connect();
  client.send(std::string(chunked) + "3e8\r\n" + std::string(1'000, 'x') + "\r\n1\r\n");
  EXPECT_EQ(client.response().status, 413U);
  EXPECT_EQ(ask(std::string(chunked) + "ffffffffffffffff\r\n").status, 413U);
  EXPECT_EQ(handler_.answered, 1);
}

TEST_F(HttpLimits, a_client_that_never_stops_sending_is_cut_off) {
  limits_.drain_max = 1'000'000;
  start();
  RawClient client = connect();
  client.send(post(1'000'000'000));
  const std::string part(100'000, 'x');
  int parts = 0;
  while (client.send(part)) ASSERT_LT(++parts, 1'000);
}

TEST_F(HttpLimits, a_client_that_does_not_close_after_a_refusal_is_closed) {
  limits_.drain_timeout = 20ms;
  start();
  RawClient client = connect();
  client.send(post(1'000'000));
  EXPECT_EQ(client.response().status, 413U);
  EXPECT_TRUE(client.sees_close());
  EXPECT_TRUE(eventually([&] { return server_->figures().connections == 0; }));
}

TEST_F(HttpLimits, the_line_of_a_chunk_is_bounded) {
  limits_.head_max = 1'000;
  start();
  const std::string extension = ";a=" + std::string(1'000, 'b');
  EXPECT_EQ(ask(std::string(chunked) + "1" + extension + "\r\nx\r\n0\r\n\r\n").status, 400U);
  EXPECT_EQ(ask(std::string(chunked) + "1" + extension).status, 400U) << "without its end";
  EXPECT_EQ(ask(std::string(chunked) + "0\r\nX: " + std::string(1'000, 'y')).status, 400U);
}

TEST_F(HttpLimits, a_head_that_takes_too_long_is_refused_however_busily_it_is_sent) {
  limits_.head_timeout = 30ms;
  limits_.head_max = 100'000'000;
  start();
  RawClient client = connect();
  // Until the server gives up, one byte after another.
  client.send("GET / HTTP/1.1\r\nX: ");
  while (handler_.refusals().empty()) client.send("x");
  EXPECT_EQ(client.response().status, 408U);
  client.end_output();
  EXPECT_TRUE(client.sees_close());
  EXPECT_EQ(handler_.refusals().front(), "408  : the head did not arrive in time");
}

TEST_F(HttpLimits, the_time_for_a_head_begins_with_its_first_byte) {
  limits_.head_timeout = 1ms;
  limits_.idle_timeout = 60ms;
  start();
  const auto began = std::chrono::steady_clock::now();
  RawClient client = connect();
  EXPECT_EQ(client.rest(), "");
  EXPECT_GE(std::chrono::steady_clock::now() - began, 55ms);
  EXPECT_TRUE(handler_.refusals().empty());
}

TEST_F(HttpLimits, a_body_that_takes_too_long_is_refused) {
  limits_.body_timeout = 20ms;
  start();
  for (const std::string& begin : {post(10) + "abc", std::string(chunked) + "a\r\nabc"}) {
    RawClient client = connect();
    client.send(begin);
    EXPECT_EQ(client.response().status, 408U);
  }
  EXPECT_EQ(handler_.refusals().front(), "408 POST /a: the body did not arrive in time");
}

TEST_F(HttpLimits, a_long_body_has_more_time_as_long_as_it_arrives) {
  limits_.body_timeout = 1ms;
  limits_.body_bytes_per_second = 1;
  handler_.on_body = [](const Request&) { return std::size_t{2'000'000}; };
  start();
  RawClient client = connect();
  client.send(post(2'000'000) + "0123456789");  // which earns ten seconds
  client.send(std::string(1'999'990, 'x'));
  EXPECT_EQ(client.response().status, 200U);
}

TEST_F(HttpLimits, an_idle_connection_is_closed_without_a_word) {
  limits_.idle_timeout = 300ms;
  start();
  RawClient fresh = connect();
  EXPECT_EQ(fresh.rest(), "");
  RawClient used = connect();
  used.send(get);
  EXPECT_EQ(used.response().status, 200U);
  EXPECT_EQ(used.rest(), "");
  EXPECT_FALSE(used.was_reset());
}

TEST_F(HttpLimits, a_connection_that_is_used_is_not_idle) {
  limits_.idle_timeout = 800ms;
  start();
  RawClient client = connect();
  const auto until = std::chrono::steady_clock::now() + 1'000ms;
  while (std::chrono::steady_clock::now() < until) {
    client.send(get);
    ASSERT_EQ(client.response().status, 200U);
  }
}

TEST_F(HttpLimits, the_time_in_which_a_request_is_answered_has_no_limit) {
  limits_.idle_timeout = 400ms;
  limits_.head_timeout = 10ms;
  limits_.body_timeout = 10ms;
  limits_.write_timeout = 10ms;
  handler_.on_request = [&](const Request&) {
    const auto until = std::chrono::steady_clock::now() + 500ms;
    while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
    return ScriptedHandler::text("slow");
  };
  start();
  EXPECT_EQ(ask(get).body, "slow");
}

TEST_F(HttpLimits, a_client_that_does_not_read_is_dropped) {
  limits_.write_timeout = 50ms;
  handler_.on_request = [](const Request&) {
    return ScriptedHandler::text(std::string(30'000'000, 'x'));
  };
  start();
  RawClient client = connect(4'096);
  client.send(get);
  EXPECT_TRUE(eventually([&] { return handler_.answered == 1; }));
  EXPECT_TRUE(eventually([&] { return server_->figures().connections == 0; }));
  const RawResponse response = client.response();
  EXPECT_FALSE(response.is_complete);
  EXPECT_TRUE(client.was_reset());
}

TEST_F(HttpLimits, a_client_that_reads_slowly_gets_everything) {
  limits_.write_timeout = 2s;
  handler_.on_request = [](const Request&) {
    return ScriptedHandler::text(std::string(3'000'000, 'x'));
  };
  start();
  RawClient client = connect(4'096);
  client.send(get);
  EXPECT_EQ(client.response().body.size(), 3'000'000U);
}

TEST_F(HttpLimits, requests_that_wait_for_their_turn_are_left_in_the_network) {
  // Shared: requests are still answered when the test ends.
  const auto go_on = std::make_shared<Signal>();
  handler_.on_request = [go_on](const Request&) {
    (void)go_on->wait();
    return ScriptedHandler::text("x");
  };
  start();
  RawClient client = connect();
  client.set_patience({.tv_sec = 0, .tv_usec = 100'000});
  // More than the buffers of the system hold: the server must not read all of this.
  std::string requests;
  while (requests.size() < 64'000'000) requests += get;
  EXPECT_FALSE(client.send(requests));
  EXPECT_EQ(handler_.answered, 1);
  go_on->set();
  for (int i = 0; i < 1'000; ++i) ASSERT_EQ(client.response().status, 200U) << i;
}

TEST_F(HttpLimits, a_connection_too_many_is_turned_away_and_another_fits_once_one_has_ended) {
  limits_.connections_max = 2;
  start();
  RawClient first = connect();
  RawClient second = connect();
  for (RawClient* client : {&first, &second}) {
    client->send(get);
    EXPECT_EQ(client->response().status, 200U);
  }
  RawClient third = connect();
  third.send(get);
  const RawResponse response = third.response();
  EXPECT_EQ(response.status, 503U);
  EXPECT_EQ(response.field("Retry-After"), "5");
  third.end_output();
  EXPECT_TRUE(third.sees_close());
  EXPECT_FALSE(third.was_reset());
  EXPECT_EQ(server_->figures().refused, 1);
  EXPECT_EQ(server_->figures().connections, 2);
  first.close();
  EXPECT_TRUE(eventually([&] { return server_->figures().connections == 1; }));
  EXPECT_EQ(ask(get).status, 200U);
}

TEST_F(HttpLimits, a_flood_of_connections_too_many_is_closed_without_an_answer) {
  limits_.connections_max = 1;
  start();
  RawClient first = connect();
  first.send(get);
  EXPECT_EQ(first.response().status, 200U);
  std::vector<RawClient> others;
  for (int i = 0; i < 100; ++i) others.push_back(connect());
  EXPECT_TRUE(eventually([&] { return server_->figures().refused == 100; }));
  int answered = 0;
  for (RawClient& other : others) {
    other.end_output();
    if (other.response().status == 503) ++answered;
    EXPECT_TRUE(other.sees_close());
  }
  EXPECT_GE(answered, 64);
  EXPECT_LT(answered, 100);
  first.send(get);
  EXPECT_EQ(first.response().status, 200U);
}

TEST_F(HttpLimits, an_address_has_a_limit_of_its_own_unless_it_is_exempt) {
  limits_.connections_per_address_max = 1;
  limits_.loopback_is_exempt = false;
  std::atomic<bool> is_exempt = false;
  exemption_ = [&](std::string_view address) { return address == "127.0.0.1" && is_exempt; };
  start();
  RawClient first = connect();
  first.send(get);
  EXPECT_EQ(first.response().status, 200U);
  EXPECT_EQ(ask(get).status, 503U);
  is_exempt = true;
  EXPECT_EQ(ask(get).status, 200U);
}

TEST_F(HttpLimits, loopback_addresses_have_no_limit_of_their_own) {
  limits_.connections_per_address_max = 1;
  start();
  RawClient first = connect();
  EXPECT_EQ(ask(get).status, 200U);
}

TEST(Admission, addresses_are_counted_one_by_one_and_networks_of_ipv6_together) {
  Admission admission({.connections_max = 10, .connections_per_address_max = 2}, {});
  EXPECT_TRUE(admission.admit("10.0.0.1"));
  const auto second = admission.admit("10.0.0.1");
  ASSERT_TRUE(second);
  EXPECT_FALSE(admission.admit("10.0.0.1"));
  EXPECT_TRUE(admission.admit("10.0.0.2"));
  admission.leave(*second);
  EXPECT_TRUE(admission.admit("10.0.0.1"));
  EXPECT_TRUE(admission.admit("2001:db8::1"));
  EXPECT_TRUE(admission.admit("2001:db8::2"));
  EXPECT_FALSE(admission.admit("2001:db8::3"));
  EXPECT_TRUE(admission.admit("2001:db8:0:1::1"));
  EXPECT_TRUE(admission.admit("::1"));
  EXPECT_TRUE(admission.admit("::1"));
  EXPECT_TRUE(admission.admit("::1"));
  EXPECT_EQ(admission.count(), 9U);
  EXPECT_TRUE(admission.admit("127.9.9.9"));
  EXPECT_FALSE(admission.admit("10.0.0.9")) << "more than ten in all";
}

TEST_F(HttpLimits, bodies_that_do_not_fit_into_memory_together_are_refused) {
  limits_.bodies_max = 1'500;
  Signal running;
  Signal go_on;
  handler_.on_request = [&](const Request& request) {
    if (request.target == "/a") {
      running.set();
      (void)go_on.wait();
    }
    return ScriptedHandler::text("x");
  };
  start();
  RawClient first = connect();
  first.send(post(1'000) + std::string(1'000, 'x'));
  ASSERT_TRUE(running.wait());
  const std::string other =
      "POST /b HTTP/1.1\r\nHost: h\r\nContent-Length: 600\r\n\r\n" + std::string(600, 'x');
  const RawResponse refused = ask(other);
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.field("Retry-After"), "5");
  go_on.set();
  EXPECT_EQ(first.response().status, 200U);
  EXPECT_EQ(ask(other).status, 200U);
}

/// Takes every descriptor that this process may still open.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{.rlim_cur = 256, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
    for (int copy = 0; (copy = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) {
      copies_.push_back(copy);
    }
  }
  ~NoDescriptors() {
    for (const int copy : copies_) ::close(copy);
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
  std::vector<int> copies_;
};

TEST_F(HttpLimits, without_descriptors_clients_wait_until_there_are_some_again) {
  start();
  RawClient before = connect();
  before.send(get);
  EXPECT_EQ(before.response().status, 200U);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::optional<RawClient> late;
  {
    const NoDescriptors none;
    ::close(socket);  // the place for the client's own socket, which the server must not get
    late.emplace(server_->address());
    ASSERT_TRUE(late->is_connected());
    late->send(get);
    EXPECT_TRUE(eventually([&] { return server_->figures().accept_failures > 0; }));
    before.send(get);
    EXPECT_EQ(before.response().status, 200U) << "the others go on";
  }
  EXPECT_EQ(late->response().status, 200U);
}

}  // namespace
}  // namespace pawl::service
