/// The threads of an engine and their wake-ups: no piece of work, no call to the store and no
/// message for the loop may be left unnoticed, whichever thread is faster.

#include "runtime/crew.hpp"

#include <atomic>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <poll.h>

#include "runtime/desk.hpp"
#include "runtime/tendency.hpp"
#include "world.hpp"

namespace pawl::runtime {
namespace {

using namespace testing_world;

constexpr auto patience = 60s;

/// A loop that only runs its messages. What it is asked for is added while it is driven, as the
/// engine's loop does.
class Team {
 public:
  explicit Team(unsigned pieces) : desk(std::make_shared<Desk>(pieces)), crew_(desk, pieces) {
    crew_.begin_driving([this]() -> Duration {
      EXPECT_FALSE(is_driven_.exchange(true)) << "one thread at a time drives";
      Desk::Mail mail = desk->take_mail();
      for (Desk::Message& result : mail.results) result();
      for (Desk::Message& message : mail.messages) message();
      ++drives;
      is_driven_ = false;
      return pause;
    });
  }

  /// Adds a piece from outside.
  void run(std::function<void()> piece, std::function<void()> on_result = nullptr) {
    desk->post([this, piece = std::move(piece), on_result = std::move(on_result)] {
      add(piece, on_result);
    });
  }
  /// By the driver.
  Desk::Ticket add(std::function<void()> piece, std::function<void()> on_result = nullptr) {
    return desk->add_piece([piece = std::move(piece), on_result]() -> Desk::Message {
      piece();
      if (!on_result) return nullptr;
      return on_result;
    });
  }

  std::shared_ptr<Desk> desk;
  std::atomic<Duration> pause = Duration(1h);
  std::atomic<int> drives = 0;

 private:
  std::atomic<bool> is_driven_ = false;

 public:
  Crew crew_;  // last: its threads use everything above
};

testing::AssertionResult comes(std::future<void> what) {
  if (what.wait_for(patience) == std::future_status::ready) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "nobody came";
}

TEST(Crews, pieces_of_many_senders_are_all_done_whichever_thread_is_faster) {
  constexpr int each = 20'000;
  constexpr int senders = 4;
  std::atomic<int> done = 0;
  std::atomic<int> heard = 0;
  std::promise<void> all;
  Team team(4);
  std::vector<std::jthread> threads;
  for (int i = 0; i < senders; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < each; ++n) {
        team.run([&] { ++done; },
                 [&] {
                   if (++heard == each * senders) all.set_value();
                 });
      }
    });
  }
  EXPECT_TRUE(comes(all.get_future())) << done << " done, " << heard << " heard";
}

TEST(Crews, a_lone_piece_after_a_rest_always_finds_a_thread) {
  Team team(3);
  for (int n = 0; n < 5'000; ++n) {
    std::promise<void> one;
    std::promise<void> two;
    std::promise<void> heard;
    team.run([&] { one.set_value(); });
    team.run([&] { two.set_value(); }, [&] { heard.set_value(); });
    ASSERT_TRUE(comes(one.get_future())) << "round " << n;
    ASSERT_TRUE(comes(two.get_future())) << "round " << n;
    ASSERT_TRUE(comes(heard.get_future())) << "round " << n;
  }
}

TEST(Crews, a_chain_of_lone_pieces_and_calls_stays_on_one_thread) {
  constexpr int stages = 200;
  Team team(4);
  std::promise<void> end;
  // Used by one chore at a time.
  std::thread::id last;
  int changes = 0;
  int stage = 0;
  std::function<void()> next;
  const auto note = [&] {
    const std::thread::id own = std::this_thread::get_id();
    if (std::exchange(last, own) != own) ++changes;
  };
  next = [&] {
    if (stage++ == stages) return end.set_value();
    team.add(note, [&] {
      team.desk->add_call(Desk::Line::commits, [&]() -> Desk::Message {
        note();
        return [&] { next(); };
      });
    });
  };
  team.desk->post([&] { next(); });
  ASSERT_TRUE(comes(end.get_future()));
  EXPECT_LE(changes, stages / 10) << "a busy machine may hold up the thread now and then";
}

TEST(Crews, a_piece_that_blocks_holds_up_no_other) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::latch others(3);
  Team team(4);
  for (int n = 0; n < 100; ++n) team.run([] {});
  team.run([&] { released.wait(); });
  for (int n = 0; n < 3; ++n) {
    team.run([&] {
      others.count_down();
      released.wait();
    });
  }
  others.wait();
  release.set_value();
}

TEST(Crews, results_are_heard_although_their_thread_is_stuck_in_the_next_piece) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::promise<void> heard;
  Team team(1);
  team.desk->post([&] {
    for (int n = 0; n < 20; ++n) team.add([] {});
    team.add([] {}, [&] { heard.set_value(); });
    team.add([&] { released.wait(); });
    team.add([] {});
  });
  EXPECT_TRUE(comes(heard.get_future()));
  release.set_value();
}

TEST(Crews, blocked_pieces_leave_threads_for_driving_and_for_both_lines) {
  constexpr unsigned pieces = 3;
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::latch blocked(pieces);
  std::promise<void> driven;
  std::promise<void> renewed;
  std::latch committing(1);
  Team team(pieces);
  for (unsigned n = 0; n < pieces + 2; ++n) {
    team.run([&] {
      if (!blocked.try_wait()) blocked.count_down();
      released.wait();
    });
  }
  blocked.wait();
  team.desk->post([&] {
    team.desk->add_call(Desk::Line::commits, [&]() -> Desk::Message {
      committing.count_down();
      released.wait();
      return nullptr;
    });
    team.desk->add_call(Desk::Line::lease,
                        [&]() -> Desk::Message { return [&] { renewed.set_value(); }; });
  });
  committing.wait();
  EXPECT_TRUE(comes(renewed.get_future()));
  team.desk->post([&] { driven.set_value(); });
  EXPECT_TRUE(comes(driven.get_future()));
  release.set_value();
}

TEST(Crews, no_more_pieces_run_at_once_than_are_allowed) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::latch all(200);
  {
    Team team(2);
    for (int n = 0; n < 200; ++n) {
      team.run([&] {
        const int now = ++running;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::yield();
        --running;
        all.count_down();
      });
    }
    all.wait();
  }
  EXPECT_LE(most, 2);
}

// A stuck thread must not count as one that comes for the next piece.
TEST(Crews, short_pieces_beside_one_that_blocks_go_on) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  Team team(2);
  std::latch stuck(1);
  team.run([&] {
    stuck.count_down();
    released.wait();
  });
  stuck.wait();
  std::promise<void> all;
  std::atomic<int> left = 10'000;
  for (int n = left; n > 0; --n) {
    team.run([&] {
      if (--left == 0) all.set_value();
    });
  }
  EXPECT_TRUE(comes(all.get_future())) << left << " left";
  release.set_value();
}

TEST(Crews, calls_of_a_line_run_in_order_and_one_at_a_time) {
  constexpr int calls = 20'000;
  int last = -1;  // guarded by the promise under test
  std::atomic<bool> inside = false;
  std::atomic<int> out_of_order = 0;
  std::promise<void> done;
  Team team(4);
  for (int n = 0; n < calls; ++n) {
    team.desk->post([&, n] {
      team.add([] {});
      team.desk->add_call(Desk::Line::commits, [&, n]() -> Desk::Message {
        if (inside.exchange(true) || last != n - 1) ++out_of_order;
        last = n;
        inside = false;
        if (n == calls - 1) done.set_value();
        return nullptr;
      });
    });
  }
  EXPECT_TRUE(comes(done.get_future()));
  EXPECT_EQ(out_of_order, 0);
}

TEST(Crews, a_call_that_is_offered_runs_while_the_turn_goes_on) {
  Team team(1);
  std::promise<void> called;
  std::promise<bool> was_called;
  team.desk->post([&] {
    team.desk->add_call(Desk::Line::commits, [&]() -> Desk::Message {
      called.set_value();
      return nullptr;
    });
    team.desk->offer();
    was_called.set_value(called.get_future().wait_for(patience) == std::future_status::ready);
  });
  EXPECT_TRUE(was_called.get_future().get());
}

TEST(Crews, the_loop_is_driven_when_its_time_has_come) {
  Team team(2);
  team.pause = Duration(5ms);
  team.desk->post([] {});
  const int before = team.drives;
  while (team.drives < before + 20) std::this_thread::yield();
}

TEST(Crews, a_message_that_is_in_no_hurry_is_read_all_the_same) {
  Team team(1);
  std::promise<void> read;
  team.desk->post_unhurried([&] { read.set_value(); });
  EXPECT_TRUE(comes(read.get_future()));
}

TEST(Crews, an_abandoned_piece_is_replaced_and_its_late_result_is_heard) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::promise<void> heard;
  std::promise<Desk::Ticket> ticket;
  std::latch running(1);
  Team team(1);
  team.desk->post([&] {
    ticket.set_value(team.add(
        [&] {
          running.count_down();
          released.wait();
        },
        [&] { heard.set_value(); }));
  });
  running.wait();
  const Desk::Ticket given = ticket.get_future().get();
  std::promise<void> next;
  team.desk->post([&] {
    EXPECT_FALSE(team.desk->withdraw(given)) << "it has begun";
    team.crew_.abandon(given);
    team.add([&] { next.set_value(); });
  });
  EXPECT_TRUE(comes(next.get_future()));
  EXPECT_EQ(team.desk->abandoned(), 1);
  release.set_value();
  EXPECT_TRUE(comes(heard.get_future()));
  EXPECT_EQ(team.desk->abandoned(), 0);
}

TEST(Crews, a_piece_that_has_not_begun_can_be_withdrawn) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  std::promise<bool> withdrawn;
  std::atomic<bool> has_run = false;
  {
    Team team(1);
    team.desk->post([&] {
      team.add([&] { released.wait(); });
      const Desk::Ticket second = team.add([&] { has_run = true; });
      withdrawn.set_value(team.desk->withdraw(second));
    });
    EXPECT_TRUE(withdrawn.get_future().get());
    release.set_value();
  }
  EXPECT_FALSE(has_run);
}

TEST(Desks, a_host_that_drives_sees_its_descriptor_become_readable_once_for_each_mail) {
  Desk desk(0);
  pollfd waits{.fd = desk.fd(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&waits, 1, 0), 0);
  desk.post([] {});
  desk.post_unhurried([] {});
  EXPECT_EQ(::poll(&waits, 1, 0), 1);
  EXPECT_EQ(desk.take_mail().messages.size(), 2U);
  EXPECT_EQ(::poll(&waits, 1, 0), 0);
}

TEST(Desks, without_threads_the_driver_runs_pieces_and_calls_itself) {
  Desk desk(0);
  desk.add_piece([]() -> Desk::Message { return [] {}; });
  desk.add_call(Desk::Line::commits, []() -> Desk::Message { return [] {}; });
  EXPECT_TRUE(desk.run_piece());
  EXPECT_FALSE(desk.run_piece());
  EXPECT_TRUE(desk.run_call());
  EXPECT_FALSE(desk.run_call());
  const Desk::Mail mail = desk.take_mail();
  EXPECT_EQ(mail.results.size(), 1U);
  EXPECT_EQ(mail.messages.size(), 1U);
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

TEST(Threads, a_job_can_be_waited_for_while_the_engine_stops) {
  for (int round = 0; round < 20; ++round) {
    const std::shared_ptr<Store> store = open_memory_store(system_clock());
    WorkflowBuilder build("waits");
    build.stage("work", [&](Context&, std::stop_token stop) -> Outcome {
      while (!stop.stop_requested()) std::this_thread::yield();
      return retryable("asked to stop");
    });
    const Program program = built(build);
    const auto engine = std::move(*Engine::create(store, {.threads = 2}));
    engine->serve(program);
    const JobId job = *engine->submit(program.workflow(), items({"a", "b"}));
    engine->start();
    std::jthread waiting([&] { EXPECT_TRUE(engine->wait(job)); });
    engine->stop();
  }
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
}  // namespace pawl::runtime
