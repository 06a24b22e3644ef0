/// The threads of an engine and their wake-ups: no piece of work, no call to the store and no
/// message for the loop may be left unnoticed, whichever thread is faster.

#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "runtime/inbox.hpp"
#include "runtime/pool.hpp"
#include "runtime/store_thread.hpp"
#include "runtime/tendency.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;

/// Tends a pool as the engine's own thread does.
class Lookout {
 public:
  explicit Lookout(Pool& pool) : pool_(pool) {
    pool_.assign({.tend = [this] { ++tended; }, .watch = [this] { inbox_.keep_watch(); }});
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        if (inbox_.wait(10ms)) continue;  // waits: for the pool to ask to be tended
        inbox_.end_watch();
        if (pool_.look()) inbox_.keep_watch();
      }
    });
  }
  std::atomic<int> tended = 0;

 private:
  Pool& pool_;
  Inbox inbox_;
  std::jthread thread_;
};

TEST(Pools, work_from_many_threads_is_all_done_whoever_is_quicker) {
  constexpr int each = 20'000;
  constexpr int submitters = 4;
  std::atomic<int> left = each * submitters;
  std::promise<void> done;
  Pool pool(4);
  const Lookout lookout(pool);
  std::vector<std::jthread> threads;
  for (int i = 0; i < submitters; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < each; ++n) {
        pool.submit([&] {
          if (--left == 0) done.set_value();
        });
      }
    });
  }
  EXPECT_EQ(done.get_future().wait_for(60s), std::future_status::ready) << left << " left";
}

TEST(Pools, a_lone_piece_after_a_rest_always_finds_a_thread) {
  Pool pool(3);
  const Lookout lookout(pool);
  for (int n = 0; n < 5'000; ++n) {
    std::promise<void> one;
    std::promise<void> two;
    pool.submit([&] { one.set_value(); });
    pool.submit([&] { two.set_value(); });
    ASSERT_EQ(one.get_future().wait_for(30s), std::future_status::ready) << "round " << n;
    ASSERT_EQ(two.get_future().wait_for(30s), std::future_status::ready) << "round " << n;
  }
}

TEST(Pools, pieces_that_come_together_are_begun_when_they_are_many_or_no_more_come) {
  Pool pool(2);
  pool.assign({.tend = [] {}, .watch = [] {}});
  for (int n = 0; n < 2'000; ++n) {
    std::promise<void> lone;
    {
      const Pool::Together together(pool);
      pool.submit([&] { lone.set_value(); });
    }
    ASSERT_EQ(lone.get_future().wait_for(30s), std::future_status::ready) << "round " << n;
  }
  std::promise<void> first;
  const Pool::Together together(pool);
  pool.submit([&] { first.set_value(); });
  for (int n = 0; n < 1'000; ++n) pool.submit([] {});
  EXPECT_EQ(first.get_future().wait_for(30s), std::future_status::ready) << "while more may come";
}

TEST(Pools, a_piece_that_blocks_holds_up_no_other) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::latch others(3);
  Pool pool(4);
  const Lookout lookout(pool);
  for (int n = 0; n < 100; ++n) pool.submit([] {});
  pool.submit([&] { released.wait(); });
  for (int n = 0; n < 3; ++n) {
    pool.submit([&] {
      others.count_down();
      released.wait();
    });
  }
  others.wait();
  release.set_value();
}

// Found by reading: a thread considered itself superfluous beside a blocked one, and went idle
// although a piece was queued for which no other thread had been woken.
TEST(Pools, who_leaves_a_piece_to_another_asks_for_a_look) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::latch tending(1);
  std::latch blocked(1);
  std::promise<void> watched;
  std::promise<void> done;
  std::once_flag first_tend;
  std::once_flag first_watch;
  Pool pool(2);
  pool.assign({.tend =
                   [&] {
                     std::call_once(first_tend, [&] {
                       tending.count_down();
                       blocked.wait();
                       pool.submit([&] { done.set_value(); });
                     });
                   },
               .watch = [&] { std::call_once(first_watch, [&] { watched.set_value(); }); }});
  pool.submit([] {});
  tending.wait();
  pool.submit([&] {
    blocked.count_down();
    released.wait();
  });
  EXPECT_EQ(watched.get_future().wait_for(30s), std::future_status::ready);
  std::future<void> is_done = done.get_future();
  for (int looks = 0; looks < 10 && is_done.wait_for(10ms) != std::future_status::ready; ++looks) {
    (void)pool.look();
  }
  EXPECT_EQ(is_done.wait_for(0s), std::future_status::ready);
  release.set_value();
}

// A stuck thread must not count as one that returns soon: short work beside it would wait to be
// tended each time, a millisecond for a handful of pieces.
TEST(Pools, short_work_beside_a_piece_that_blocks_waits_for_few_looks) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  Pool pool(2);
  pool.assign({.tend = [] {}, .watch = [] {}});
  std::latch stuck(1);
  pool.submit([&] {
    stuck.count_down();
    released.wait();
  });
  stuck.wait();
  constexpr int pieces = 10'000;
  std::atomic<int> left = pieces;
  for (int n = 0; n < pieces; ++n) pool.submit([&] { --left; });
  int looks = 0;
  for (int before = -1; left > 0; ++looks) {
    (void)pool.look();
    // Until the other thread is idle again, or all is done.
    while (left > 0 && left != before) {
      before = left;
      std::this_thread::sleep_for(1ms);  // waits: one round of the engine's thread
    }
    before = -1;
  }
  release.set_value();
  EXPECT_LT(looks, 100) << "looks for " << pieces << " pieces";
}

TEST(Pools, a_thread_tends_before_it_rests_and_when_it_is_asked) {
  std::atomic<int> tended = 0;
  Pool pool(1);
  pool.assign({.tend =
                   [&] {
                     ++tended;
                     tended.notify_all();
                   },
               .watch = [] {}});
  pool.submit([] {});
  tended.wait(0);
  const int before = tended;
  while (!pool.ask_to_tend()) std::this_thread::yield();  // until it is idle
  tended.wait(before);
}

TEST(StoreThreads, calls_run_in_order_and_one_at_a_time_whoever_carries_them_out) {
  constexpr int calls = 20'000;
  StoreThread store(true);
  int last = -1;  // guarded by the promise under test
  std::atomic<bool> inside = false;
  std::atomic<int> out_of_order = 0;
  std::promise<void> done;
  std::atomic<bool> over = false;
  std::vector<std::jthread> others;
  for (int i = 0; i < 2; ++i) {
    others.emplace_back([&] {
      while (!over) {
        if (!store.run_one()) std::this_thread::yield();
      }
    });
  }
  for (int n = 0; n < calls; ++n) {
    store.post([&, n] {
      if (inside.exchange(true) || last != n - 1) ++out_of_order;
      last = n;
      inside = false;
      if (n == calls - 1) done.set_value();
    });
    store.wake();
  }
  EXPECT_EQ(done.get_future().wait_for(60s), std::future_status::ready);
  over = true;
  EXPECT_EQ(out_of_order, 0);
}

TEST(StoreThreads, what_is_queued_while_another_is_at_it_is_carried_out_too) {
  for (int n = 0; n < 2'000; ++n) {
    StoreThread store(true);
    std::promise<void> second;
    store.post([&] {
      store.post([&] { second.set_value(); });
      store.wake();
    });
    if (!store.run_one()) FAIL() << "nobody else was at it";
    ASSERT_EQ(second.get_future().wait_for(30s), std::future_status::ready) << "round " << n;
  }
}

TEST(Inboxes, word_that_is_left_quietly_wakes_nobody_and_is_there) {
  Inbox inbox;
  Inbox other;
  inbox.keep_watch();
  other.keep_watch();
  {
    const Inbox::Quiet quiet(inbox);
    inbox.post([] {});
    other.post([] {});
  }
  EXPECT_FALSE(inbox.wait(60s)) << "only the watch ended the wait";
  EXPECT_TRUE(other.wait(60s)) << "it was quiet for the one alone";
  EXPECT_TRUE(inbox.has_mail());
  EXPECT_EQ(inbox.take().calls.size(), 1U);
  EXPECT_FALSE(inbox.has_mail());
}

TEST(Inboxes, who_waits_is_woken_also_after_another_took_the_word_first) {
  for (int round = 0; round < 300; ++round) {
    Inbox inbox;
    std::atomic<bool> over = false;
    std::jthread waiter([&] {
      while (!over) (void)inbox.wait(20s);  // waits: for a message
    });
    for (int n = 0; n < 50; ++n) {
      inbox.post([] {});
      (void)inbox.take();
    }
    over = true;
    const auto begun = std::chrono::steady_clock::now();
    inbox.post([] {});
    waiter.join();
    ASSERT_LT(std::chrono::steady_clock::now() - begun, 10s) << "round " << round;
  }
}

TEST(Inboxes, a_watch_ends_a_long_wait_with_a_look) {
  Inbox inbox;
  std::jthread other([&] { inbox.keep_watch(); });
  EXPECT_FALSE(inbox.wait(60s)) << "time to look, not the end of the wait";
  EXPECT_FALSE(inbox.wait(60s));
  inbox.end_watch();
  inbox.wake();
  EXPECT_TRUE(inbox.wait(60s));
}

TEST(Tendencies, one_slow_turn_is_chance_and_a_few_in_a_row_are_not) {
  Tendency pieces;
  for (int n = 0; n < 100; ++n) pieces.note(false);
  pieces.note(true);
  EXPECT_FALSE(pieces.is_slow());
  for (int n = 0; n < 4; ++n) pieces.note(true);
  EXPECT_TRUE(pieces.is_slow());
  for (int n = 0; n < 8; ++n) pieces.note(false);
  EXPECT_FALSE(pieces.is_slow());
}

// A result must not wait for the next piece of work that its thread has begun.
TEST(Threads, a_result_is_committed_although_its_thread_is_stuck_in_the_next_stage) {
  const std::shared_ptr<Store> store = open_memory_store(system_clock());
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  WorkflowBuilder build("stuck");
  build.stage("work", [&](Context& context, std::stop_token) -> Outcome {
    if (context.item_key() == "slow") released.wait();
    return Output{.json = Json("done")};
  });
  const Program program = built(build);
  auto engine = std::move(*Engine::create(store, {.threads = 1}));
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"a", "b", "c", "slow", "z"}));

  std::mutex mutex;
  std::condition_variable changed;
  int settled = 0;
  const Subscription subscription = engine->subscribe(0, [&](const Event& event) {
    if (event.type != EventType::item_settled) return;
    {
      const std::lock_guard lock(mutex);
      ++settled;
    }
    changed.notify_one();
  });
  engine->start();
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, 30s, [&] { return settled == 3; })) << settled;
  }
  release.set_value();
  EXPECT_EQ(state_of(*engine->wait(job)), JobState::completed);
}

// Frequent news are reported together. Here nothing polls for an hour, so news without a
// notification would never arrive.
TEST(Threads, subscribers_hear_of_every_item_although_they_are_not_woken_for_each) {
  const std::shared_ptr<Store> store = open_memory_store(system_clock());
  const auto engine = std::move(*Engine::create(store, {.threads = 2, .poll_interval = 1h}));
  WorkflowBuilder build("told");
  build.stage("one", [](Context&, std::stop_token) -> Outcome { return Output{}; });
  build.stage("two", [](Context&, std::stop_token) -> Outcome { return Output{}; }).needs("one");
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  std::mutex mutex;
  std::condition_variable changed;
  int settled = 0;
  const Subscription subscription = engine->subscribe(0, [&](const Event& event) {
    if (event.type != EventType::item_settled) return;
    const std::lock_guard lock(mutex);
    ++settled;
    changed.notify_one();
  });
  for (int n = 1; n <= 300; ++n) {
    ASSERT_TRUE(engine->submit(program.workflow(), items({"item"})));
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, 30s, [&] { return settled == n; })) << "item " << n;
  }
  engine->stop();
}

TEST(Threads, stages_that_block_run_on_as_many_threads_as_there_are) {
  const std::shared_ptr<Store> store = open_memory_store(system_clock());
  constexpr unsigned threads = 6;
  std::latch all_there(threads);
  WorkflowBuilder build("blocking");
  build.stage("work", [&](Context&, std::stop_token) -> Outcome {
    all_there.arrive_and_wait();  // passes only when all run at once
    return Output{.json = Json("done")};
  });
  const Program program = built(build);
  auto engine = std::move(*Engine::create(store, {.threads = threads}));
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(threads));
  engine->start();
  EXPECT_EQ(state_of(*engine->wait(job)), JobState::completed);
}

}  // namespace
}  // namespace pawl
