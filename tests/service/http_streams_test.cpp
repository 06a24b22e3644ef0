/// Bodies that are made while they are sent.

#include <string>
#include <vector>

#include "http_streams_fixture.hpp"

namespace pawl::service {
namespace {

using State = BodyStream::State;

TEST_F(HttpStreams, each_piece_is_a_chunk_and_the_connection_is_used_again) {
  const auto probe = prepare();
  for (const char* text : {"one", "", "two"}) probe->add(text);
  probe->end(State::end, "three");
  start();
  RawClient client = open_stream();
  const RawResponse response = client.response();
  EXPECT_EQ(response.field("Transfer-Encoding"), "chunked");
  EXPECT_FALSE(response.headers.find("Content-Length"));
  EXPECT_EQ(response.body, "onetwothree");
  EXPECT_TRUE(response.is_complete);
  client.send(get);
  EXPECT_EQ(client.response().body, "/a");
  EXPECT_TRUE(probe->gone.wait());
  EXPECT_EQ(server_->figures().streams, 0);
}

TEST_F(HttpStreams, http_1_0_gets_the_bytes_until_the_connection_ends) {
  const auto probe = prepare();
  probe->add("one");
  probe->end(State::end, "two");
  start();
  RawClient client = connect();
  client.send("GET /stream HTTP/1.0\r\n\r\n");
  const RawResponse response = client.response();
  EXPECT_FALSE(response.headers.find("Transfer-Encoding"));
  EXPECT_EQ(response.body, "onetwo");
  EXPECT_FALSE(client.was_reset());
}

TEST_F(HttpStreams, head_has_the_fields_and_no_piece_is_made) {
  const auto probe = prepare();
  start();
  RawClient client = connect();
  client.send("HEAD /stream HTTP/1.1\r\nHost: h\r\n\r\n" + std::string(get));
  EXPECT_EQ(client.response(true).field("Transfer-Encoding"), "chunked");
  EXPECT_EQ(client.response().body, "/a");
  EXPECT_TRUE(probe->gone.wait());
  EXPECT_EQ(probe->nexts, 0);
}

TEST_F(HttpStreams, a_body_that_is_cut_is_visibly_incomplete) {
  auto probe = prepare();
  probe->add("one");
  probe->end(State::cut, "two");
  start();
  RawClient client = open_stream();
  const RawResponse response = client.response();
  EXPECT_EQ(response.body, "onetwo");
  EXPECT_FALSE(response.is_complete);
  EXPECT_TRUE(probe->gone.wait());

  probe = prepare();
  probe->add("one");
  RawClient old = connect();
  old.send("GET /stream HTTP/1.0\r\n\r\n");
  ASSERT_TRUE(eventually([&] { return probe->nexts > 0; }));
  probe->end(State::cut);
  (void)old.response();
  EXPECT_TRUE(old.was_reset());
}

TEST_F(HttpStreams, a_body_that_is_cut_before_it_began_is_an_error_response) {
  prepare()->end(State::cut);
  start();
  RawClient client = open_stream();
  EXPECT_EQ(client.response().status, 500U);
  client.send(get);
  EXPECT_EQ(client.response().body, "/a");
}

TEST_F(HttpStreams, a_stream_that_throws_is_cut) {
  const auto probe = prepare();
  probe->add("one");
  probe->add("two");
  probe->during_next = [&] {
    if (probe->nexts == 2) throw 7;  // NOLINT: streams are not ours
  };
  start();
  RawClient client = open_stream();
  const RawResponse response = client.response();
  EXPECT_EQ(response.body, "one");
  EXPECT_FALSE(response.is_complete);
  EXPECT_TRUE(probe->gone.wait());
}

TEST_F(HttpStreams, an_idle_stream_sends_its_head_and_is_asked_again_only_when_it_is_woken) {
  const auto probe = prepare();
  start();
  RawClient client = open_stream();
  ASSERT_TRUE(has_streams(1));
  for (int i = 1; i <= 20; ++i) {
    probe->push(std::to_string(i));
    if (i == 1) continue;  // the first may have come before the first call
    EXPECT_TRUE(eventually([&] { return probe->nexts >= i; }));
  }
  probe->end();
  EXPECT_TRUE(client.response().is_complete);
  EXPECT_LE(probe->nexts, 1 + 20 + 1);
}

TEST_F(HttpStreams, the_head_of_an_idle_stream_arrives_before_its_first_piece) {
  const auto probe = prepare();
  start();
  RawClient client = open_stream();
  std::thread reader([&] { EXPECT_EQ(client.response().body, "late"); });
  ASSERT_TRUE(eventually([&] { return probe->nexts == 1; }));
  probe->end(State::end, "late");
  reader.join();
}

TEST_F(HttpStreams, a_wake_while_a_piece_is_made_counts) {
  const auto probe = prepare();
  probe->add("one");
  probe->during_next = [&] {
    // After the stream has looked and found nothing more: the usual race.
    if (probe->nexts == 1) probe->push("two");
    if (probe->nexts == 2) probe->end();
  };
  start();
  RawClient client = open_stream();
  EXPECT_EQ(client.response().body, "onetwo");
}

TEST_F(HttpStreams, a_wake_before_the_first_piece_counts) {
  const auto probe = prepare();
  probe->during_next = [&] {
    if (probe->nexts == 1) probe->end(State::end, "x");
  };
  start();
  RawClient client = open_stream();
  EXPECT_EQ(client.response().body, "x");
}

TEST_F(HttpStreams, a_wake_after_the_end_does_nothing) {
  const auto probe = prepare();
  start();
  RawClient client = open_stream();
  ASSERT_TRUE(eventually([&] { return probe->waker() != nullptr; }));
  const auto wake = probe->waker();
  probe->end();
  EXPECT_TRUE(client.response().is_complete);
  EXPECT_TRUE(probe->gone.wait());
  wake();
  server_->stop(1s);
  wake();
  server_.reset();
  wake();
}

TEST_F(HttpStreams, idle_streams_hold_no_request_thread) {
  limits_.request_threads = 1;
  start();
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) {
    prepare();
    clients.push_back(open_stream());
  }
  ASSERT_TRUE(has_streams(10));
  EXPECT_EQ(ask(get).body, "/a");
}

TEST_F(HttpStreams, a_stream_is_asked_for_no_more_than_the_client_takes) {
  limits_.write_timeout = 100ms;
  const auto made = std::make_shared<std::atomic<std::size_t>>(0);
  handler_.on_request = [made](const Request&) {
    Response response;
    response.stream = std::make_shared<EndlessStream>(65'536, made);
    return response;
  };
  start();
  RawClient client = connect(4'096);
  client.send(get);
  ASSERT_TRUE(eventually([&] { return *made > 0; }));
  EXPECT_TRUE(has_streams(0)) << "a client that does not read is dropped";
  EXPECT_LT(*made, 8'000'000U);
  (void)client.response();
  EXPECT_TRUE(client.was_reset());
}

TEST_F(HttpStreams, a_client_that_resets_its_connection_ends_its_stream) {
  const auto probe = prepare();
  start();
  RawClient client = open_stream();
  ASSERT_TRUE(eventually([&] { return probe->nexts == 1; }));
  client.reset();
  EXPECT_TRUE(probe->gone.wait());
  EXPECT_TRUE(has_streams(0));
}

TEST_F(HttpStreams, a_client_that_resets_after_it_closed_its_side_ends_its_stream) {
  const auto probe = prepare();
  start();
  RawClient client = open_stream();
  client.end_output();
  probe->push("still there");
  EXPECT_EQ(client.head().status, 200U);
  EXPECT_EQ(client.chunk(), "still there");
  probe->push("unread");  // without it, the system would close politely
  ASSERT_TRUE(eventually([&] { return probe->nexts >= 2; }));
  client.reset();
  EXPECT_TRUE(probe->gone.wait());
}

TEST_F(HttpStreams, a_client_that_resets_with_requests_waiting_ends_its_stream) {
  const auto probe = prepare();
  limits_.head_max = 100;
  start();
  RawClient client = open_stream();
  for (int i = 0; i < 10; ++i) client.send(get);
  ASSERT_TRUE(eventually([&] { return probe->nexts == 1; }));
  client.reset();
  EXPECT_TRUE(probe->gone.wait());
}

TEST_F(HttpStreams, a_client_that_has_closed_its_side_still_gets_the_pieces) {
  const auto probe = prepare();
  start();
  RawClient client = open_stream();
  client.end_output();
  ASSERT_TRUE(eventually([&] { return probe->nexts == 1; }));
  probe->push("one");
  probe->end(State::end, "two");
  const RawResponse response = client.response();
  EXPECT_EQ(response.body, "onetwo");
  EXPECT_TRUE(response.is_complete);
}

TEST_F(HttpStreams, a_request_after_a_stream_waits_for_its_end) {
  const auto probe = prepare();
  start();
  RawClient client = connect();
  client.send(std::string(stream) + std::string(get));
  ASSERT_TRUE(eventually([&] { return probe->nexts == 1; }));
  EXPECT_EQ(handler_.answered, 1);
  probe->end(State::end, "x");
  EXPECT_EQ(client.response().body, "x");
  EXPECT_EQ(client.response().body, "/a");
}

TEST_F(HttpStreams, stopping_asks_every_stream_to_end_and_waits_for_it) {
  start();
  std::vector<std::shared_ptr<StreamProbe>> probes;
  std::vector<RawClient> clients;
  for (int i = 0; i < 10; ++i) {
    probes.push_back(prepare());
    clients.push_back(open_stream());
  }
  ASSERT_TRUE(has_streams(10));
  server_->stop(1h);
  for (RawClient& client : clients) {
    const RawResponse response = client.response();
    EXPECT_EQ(response.body, "bye");
    EXPECT_TRUE(response.is_complete);
    EXPECT_TRUE(client.sees_close());
  }
  for (const auto& probe : probes) {
    EXPECT_EQ(probe->stops, 1);
    EXPECT_FALSE(probe->overlapped);
    EXPECT_TRUE(probe->gone.wait());
  }
}

TEST_F(HttpStreams, a_stream_that_does_not_end_is_cut_when_patience_is_over) {
  const auto probe = prepare();
  probe->ends_on_stop = false;
  start();
  RawClient client = open_stream();
  ASSERT_TRUE(eventually([&] { return probe->nexts == 1; }));
  server_->stop(20ms);
  EXPECT_FALSE(client.response().is_complete);
  EXPECT_TRUE(probe->gone.wait());
}

}  // namespace
}  // namespace pawl::service
