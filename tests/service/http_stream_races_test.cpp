/// Many streams, and many threads that wake them.

#include <string>
#include <vector>

#include <malloc.h>
#include <sys/resource.h>

#include "http_streams_fixture.hpp"

namespace pawl::service {
namespace {

class HttpStreamRaces : public HttpStreams {};

TEST_F(HttpStreamRaces, no_wake_is_lost_and_no_two_pieces_are_made_at_once) {
  constexpr int streams = 8;
  constexpr int wakers = 4;
  constexpr int pieces = 2'000;
  start();
  std::vector<std::shared_ptr<StreamProbe>> probes;
  std::vector<RawClient> clients;
  for (int i = 0; i < streams; ++i) {
    probes.push_back(prepare());
    clients.push_back(open_stream());
    ASSERT_TRUE(has_streams(i + 1));
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < wakers; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < pieces; ++n) {
        for (const auto& probe : probes) probe->push("x");
      }
    });
  }
  // The last pieces come without an end, so that one lost wake would leave the client waiting.
  for (RawClient& client : clients) {
    threads.emplace_back([&client] {
      std::size_t count = 0;
      (void)client.head();
      while (count < std::size_t{wakers} * pieces) {
        const auto chunk = client.chunk();
        ASSERT_TRUE(chunk.has_value()) << "after " << count << " pieces";
        count += chunk->size();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& probe : probes) EXPECT_FALSE(probe->overlapped);
}

TEST_F(HttpStreamRaces, streams_may_end_be_woken_reset_and_stopped_all_at_the_same_time) {
  for (int round = 0; round < 20; ++round) {
    start();
    std::vector<std::shared_ptr<StreamProbe>> probes;
    std::vector<RawClient> clients;
    for (int i = 0; i < 8; ++i) {
      probes.push_back(prepare());
      clients.push_back(open_stream());
    }
    std::atomic<bool> is_over = false;
    std::thread waker([&] {
      while (!is_over) {
        for (const auto& probe : probes) probe->push("x");
      }
    });
    ASSERT_TRUE(eventually([&] { return probes.back()->nexts > 0; }));
    std::thread resetter([&] {
      for (RawClient& client : clients) client.reset();
    });
    std::thread ender([&] {
      for (const auto& probe : probes) probe->end();
    });
    server_->stop(std::chrono::milliseconds(round));
    server_.reset();
    is_over = true;
    waker.join();
    resetter.join();
    ender.join();
    for (const auto& probe : probes) EXPECT_FALSE(probe->overlapped);
  }
}

TEST_F(HttpStreamRaces, a_thousand_idle_streams_are_cheap_and_all_wake_up) {
  constexpr std::size_t count = 1'000;
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  ASSERT_GE(files.rlim_cur, 2 * count + 100);
  start();
  std::vector<std::shared_ptr<StreamProbe>> probes;
  std::vector<RawClient> clients;
  for (std::size_t i = 0; i < count; ++i) probes.push_back(prepare());
  clients.reserve(count);
  (void)ask(get);
  // A sanitizer's allocator counts nothing here.
  const std::size_t before = ::mallinfo2().uordblks;
  for (std::size_t i = 0; i < count; ++i) clients.push_back(open_stream());
  ASSERT_TRUE(has_streams(count));
  for (const auto& probe : probes) {
    ASSERT_TRUE(eventually([&] { return probe->nexts > 0; }));
  }
  const std::size_t used = ::mallinfo2().uordblks - before;
  EXPECT_LT(used / count, 20'000U);
  RecordProperty("bytes_of_a_stream", static_cast<int>(used / count));
  for (const auto& probe : probes) probe->push("hello");
  for (RawClient& client : clients) {
    (void)client.head();
    EXPECT_EQ(client.chunk(), "hello");
  }
  clients.clear();
  server_->stop(10s);
  EXPECT_EQ(server_->figures().streams, 0);
  for (const auto& probe : probes) EXPECT_TRUE(probe->gone.wait());
}

}  // namespace
}  // namespace pawl::service
