/// Following the events: each one once and in order, whatever happens meanwhile.

#include "service/live/live_events.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "live_test.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::service {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::items;
using ::testing::SizeIs;
using State = BodyStream::State;

class LiveEventsTest : public LiveTest {};

TEST_F(LiveEventsTest, a_follower_from_the_beginning_sees_each_event_once_and_in_order) {
  run_job(3);
  LiveEvents live = this->live();
  Client client(live.follow({}, 0));
  EXPECT_EQ(client.read(), State::idle);
  run_job(2);
  EXPECT_EQ(client.read(), State::idle);
  EXPECT_THAT(client.text(), ::testing::StartsWith("retry: 1000\n\n"));
  EXPECT_EQ(client.numbers(), on_record());
}

TEST_F(LiveEventsTest, a_message_has_the_number_the_type_and_the_document_of_the_event) {
  run_job(1);
  LiveEvents live = this->live();
  Client client(live.follow({}, 0));
  client.read();
  const Message first = client.messages().front();
  EXPECT_EQ(first.event, "job.submitted");
  const auto document = parse_json(first.data);
  ASSERT_TRUE(document) << first.data;
  EXPECT_EQ(std::to_string(*field(*document, "seq").integer()), first.id);
  EXPECT_EQ(*field(*document, "data.workflow").string(), "letters");
}

TEST_F(LiveEventsTest, a_follower_without_a_cursor_sees_only_what_happens_from_now_on) {
  run_job(3);
  LiveEvents live = this->live();
  const EventSeq before = newest();
  auto stream = live.follow({});
  ASSERT_TRUE(stream);
  Client client(*stream);
  EXPECT_EQ(client.read(), State::idle);
  EXPECT_THAT(client.messages(), IsEmpty());
  run_job(2);
  client.read();
  EXPECT_EQ(client.numbers(), on_record(before));
}

TEST_F(LiveEventsTest, a_cursor_older_than_the_ring_is_read_from_the_records) {
  LiveEvents live = this->live({.ring = 1});
  const JobId first = run_job(1);
  const EventSeq cursor = on_record(0, first).front();
  run_job(200);
  ASSERT_GT(on_record().size(), 600U) << "more than the ring holds";
  Client client(live.follow({}, cursor));
  client.read();
  EXPECT_EQ(client.numbers(), on_record(cursor));
}

/// Events come in while the client reads, with rings and pieces of every size, so that the client
/// passes from the records to the ring, falls behind it and comes back.
TEST_F(LiveEventsTest, nothing_is_missed_or_doubled_while_a_client_catches_up) {
  for (const std::size_t ring : {1U, 300U, 10'000U}) {
    for (const std::size_t piece : {1U, 2'000U, 200'000U}) {
      SCOPED_TRACE("ring " + std::to_string(ring) + ", piece " + std::to_string(piece));
      LiveEvents live = this->live({.ring = ring, .piece_bytes = piece});
      const EventSeq cursor = newest();
      run_job(40);
      Client slow(live.follow({}, cursor));
      Client quick(live.follow({}, cursor));
      const JobId job = world_.submit(program_, [] {
        std::vector<NewItem> all;
        for (int i = 0; i < 60; ++i) {
          all.push_back({.key = std::to_string(i), .category = {}, .data = {}});
        }
        return all;
      }());
      // Each turn of the engine commits a little.
      for (bool goes_on = true; goes_on;) {
        goes_on = world_.engine().poll();
        slow.read_piece();
        quick.read();
      }
      world_.finish(job);
      slow.read();
      quick.read();
      EXPECT_EQ(slow.numbers(), on_record(cursor));
      EXPECT_EQ(quick.numbers(), on_record(cursor));
    }
  }
}

TEST_F(LiveEventsTest, the_records_may_be_ahead_of_what_the_engine_has_reported) {
  run_job(1);
  LiveEvents live = this->live();
  // Committed beside the engine: it has not noticed them yet.
  const auto job = submit_to_store(*store_, program_.workflow(), [](std::vector<NewItem>& page) {
    page = items({"a", "b"});
    return Result<bool>(false);
  });
  ASSERT_TRUE(job);
  Client client(live.follow({}, 0));  // so old that it begins with the records
  client.read();
  EXPECT_EQ(client.numbers(), on_record());
  world_.finish(*job);
  client.read();
  EXPECT_EQ(client.numbers(), on_record()) << "the engine has reported some of them again";
}

TEST_F(LiveEventsTest, events_that_another_process_commits_are_followed_too) {
  LiveEvents live = this->live();
  Client client(*live.follow({}));
  client.read();
  const auto job = submit_to_store(*store_, program_.workflow(), [](std::vector<NewItem>& page) {
    page = items({"a"});
    return Result<bool>(false);
  });
  ASSERT_TRUE(job);
  world_.run();  // the engine looks for commits of others
  live.wake_followers();
  EXPECT_EQ(client.wakes(), 1);
  client.read();
  EXPECT_THAT(client.events(), ::testing::Contains("job.submitted"));
}

TEST_F(LiveEventsTest, a_follower_of_a_job_sees_all_of_this_job_and_nothing_else) {
  const JobId first = run_job(2);
  LiveEvents live = this->live({.ring = 1});
  const JobId second = run_job(200);
  Client of_first(live.follow({.job = first}, 0));
  Client of_second(live.follow({.job = second}, 0));
  of_first.read();
  of_second.read();
  run_job(2);
  of_first.read();
  of_second.read();
  EXPECT_EQ(of_first.numbers(), on_record(0, first));
  EXPECT_EQ(of_second.numbers(), on_record(0, second));
}

TEST_F(LiveEventsTest, a_follower_of_some_types_sees_only_these) {
  LiveEvents live = this->live();
  Client client(live.follow({.types = {EventType::job_submitted, EventType::job_finished}}, 0));
  client.read();
  run_job(2);
  client.read();
  EXPECT_THAT(client.events(), ElementsAre("job.submitted", "job.finished"));
}

TEST_F(LiveEventsTest, a_rare_type_is_found_in_a_long_log_piece_by_piece) {
  for (int i = 0; i < 10; ++i) run_job(200);
  LiveEvents live = this->live();
  Client client(live.follow({.types = {EventType::job_finished}}, 0));
  int pieces = 1;
  for (; client.read_piece() == State::more; ++pieces) {
  }
  EXPECT_GT(pieces, 1) << "a request thread must not read a long log in one go";
  EXPECT_THAT(client.numbers(), SizeIs(10));
}

TEST_F(LiveEventsTest, a_cursor_after_the_newest_event_is_reset) {
  run_job(1);
  LiveEvents live = this->live();
  const EventSeq last = newest();
  Client client(live.follow({}, last + 1'000));
  client.read();
  ASSERT_THAT(client.events(), ElementsAre("reset"));
  EXPECT_EQ(client.messages()[0].id, std::to_string(last)) << "the client resumes after it";
  EXPECT_EQ(client.messages()[0].data, "{\"last_event\":" + std::to_string(last) + "}");
  run_job(1);
  client.read();
  EXPECT_EQ(client.numbers(), on_record(last));
  EXPECT_EQ(live.figures().resets, 1);
}

TEST_F(LiveEventsTest, a_cursor_that_no_event_has_is_reset) {
  run_job(3);
  LiveEvents live = this->live();
  const std::vector<EventSeq> numbers = on_record();
  EventSeq unused = 1;
  while (std::ranges::find(numbers, unused) != numbers.end()) ++unused;
  Client client(live.follow({}, unused));
  client.read();
  EXPECT_THAT(client.events(), ElementsAre("reset"));
}

TEST_F(LiveEventsTest, the_newest_event_is_a_cursor_like_any_other) {
  run_job(1);
  LiveEvents live = this->live();
  Client client(live.follow({}, newest()));
  client.read();
  EXPECT_THAT(client.messages(), IsEmpty());
}

TEST_F(LiveEventsTest, an_empty_store_can_be_followed) {
  LiveEvents live = this->live();
  Client from_the_start(live.follow({}, 0));
  Client lost(live.follow({}, 7));
  EXPECT_EQ(from_the_start.read(), State::idle);
  EXPECT_EQ(lost.read(), State::idle);
  EXPECT_THAT(lost.events(), ElementsAre("reset"));
  run_job(1);
  from_the_start.read();
  lost.read();
  EXPECT_EQ(from_the_start.numbers(), on_record());
  EXPECT_EQ(lost.numbers(), on_record());
}

TEST_F(LiveEventsTest, everybody_is_reset_when_the_store_was_set_back) {
  LiveEvents live = this->live();
  run_job(1);
  Client client(live.follow({}, 0));
  Client idle(*live.follow({}));
  client.read();
  idle.read();
  const std::size_t before = client.numbers().size();
  ++store_->times_set_back;
  live.wake_followers();
  EXPECT_EQ(client.wakes(), 1) << "also without an event";
  EXPECT_EQ(idle.wakes(), 1);
  client.read();
  idle.read();
  EXPECT_EQ(client.events().back(), "reset");
  EXPECT_EQ(idle.events().back(), "reset");
  const EventSeq last = newest();
  run_job(1);
  live.wake_followers();
  client.read();
  const std::vector<EventSeq> numbers = client.numbers();
  EXPECT_EQ(std::vector(numbers.begin() + static_cast<std::ptrdiff_t>(before), numbers.end()),
            on_record(last));
}

TEST_F(LiveEventsTest, a_client_that_catches_up_is_reset_when_the_store_was_set_back) {
  run_job(10);
  LiveEvents live = this->live({.piece_bytes = 1'000});
  Client client(live.follow({}, 0));
  ASSERT_EQ(client.read_piece(), State::more);
  ++store_->times_set_back;
  live.wake_followers();
  const std::size_t before = client.numbers().size();
  client.read();
  EXPECT_EQ(client.events().back(), "reset");
  EXPECT_EQ(client.numbers().size(), before) << "what is left may not be what it was";
}

/// The engine goes on behind the newest event that is left. Its numbers are used again.
TEST_F(LiveEventsTest, numbers_that_are_used_again_are_noticed_without_the_store_saying_so) {
  run_job(2);
  FollowerRoom room(*store_, {.has_thread = false}, [this] { return now_; });
  room.begin_after(newest() - 16);
  Event event = (*world_.records().events({.limit = 1'000})).back();
  room.take(event);
  auto shared = std::shared_ptr<FollowerRoom>(&room, [](FollowerRoom*) {});
  Client client(std::make_shared<Follower>(shared, EventChoice{}, event.seq));
  client.read();
  EXPECT_THAT(client.messages(), IsEmpty());
  room.take(event);  // the same number again: what had it before is lost
  client.read();
  EXPECT_THAT(client.events(), ElementsAre("reset"));
  // A client that comes back with a number of the lost part is told, too.
  Client returning(std::make_shared<Follower>(shared, EventChoice{}, event.seq));
  returning.read();
  EXPECT_THAT(returning.events(), ElementsAre("reset"));
}

/// A reader as the server has it: it reads on a thread of its own, and again when it is woken.
class Reader {
 public:
  Reader(std::shared_ptr<BodyStream> stream, std::string until)
      : stream_(std::move(stream)), until_(std::move(until)) {
    stream_->on_wake([signal = signal_] {
      const std::lock_guard lock(signal->mutex);
      signal->is_awake = true;
      signal->changed.notify_one();
    });
    thread_ = std::jthread([this] { read(); });
  }
  /// What it has read, once it has read what it waits for.
  std::string text() {
    thread_.join();
    return text_;
  }

 private:
  struct Signal {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_awake = false;
  };

  void read() {
    while (text_.find(until_) == std::string::npos) {
      const BodyStream::Piece piece = stream_->next();
      text_ += piece.bytes;
      if (piece.state == State::end) return;
      const bool is_done = text_.find(until_) != std::string::npos;
      if (piece.state != State::idle || is_done) continue;
      std::unique_lock lock(signal_->mutex);
      signal_->changed.wait(lock, [&] { return signal_->is_awake; });
      signal_->is_awake = false;
    }
  }

  std::shared_ptr<BodyStream> stream_;
  const std::string until_;
  std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
  std::string text_;
  std::jthread thread_;
};

TEST(LiveEventsWithThreads, every_reader_sees_each_event_once_while_an_engine_works) {
  const std::shared_ptr<Store> store = open_memory_store(system_clock());
  const auto engine = Engine::create(store, {.threads = 2});
  ASSERT_TRUE(engine);
  WorkflowBuilder build("letters");
  build.stage("write", [](Context&, std::stop_token) -> Outcome { return Output{}; });
  const Program program = testing::built(build);
  (*engine)->serve(program);
  LiveEvents live(**engine, {.ring = 500, .piece_bytes = 5'000});
  (*engine)->start();
  std::vector<std::unique_ptr<Reader>> readers;
  for (int i = 0; i < 8; ++i) {
    readers.push_back(std::make_unique<Reader>(live.follow({}, 0), "event: job.finished\n"));
  }
  std::vector<NewItem> all;
  for (int i = 0; i < 1'000; ++i) {
    all.push_back({.key = std::to_string(i), .category = {}, .data = {}});
  }
  const Result<JobId> job = (*engine)->submit(program.workflow(), std::move(all));
  ASSERT_TRUE(job);
  ASSERT_TRUE((*engine)->wait(*job));
  const auto events = store->records().events({.limit = 1'000'000});
  ASSERT_TRUE(events);
  std::string expected;
  for (const Event& event : *events) expected += std::to_string(event.seq) + " ";
  for (const auto& reader : readers) {
    std::istringstream lines(reader->text());
    std::string numbers;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("id: ")) numbers += line.substr(4) + " ";
    }
    EXPECT_EQ(numbers, expected);
  }
  (*engine)->stop();
}

/// Each event comes while the reader is about to become idle, or just has. A wake-up that is lost
/// would leave it asleep.
TEST_F(LiveEventsTest, no_wake_up_is_lost_while_a_reader_falls_asleep) {
  constexpr EventSeq last = 20'000;
  const auto room = std::make_shared<FollowerRoom>(*store_, LiveLimits{.has_thread = false},
                                                   &std::chrono::steady_clock::now);
  room->begin_after(0);
  const auto stream = std::make_shared<Follower>(room, EventChoice{}, 0);
  room->add(stream);
  std::atomic<bool> is_awake = true;
  std::atomic<EventSeq> seen = 0;
  stream->on_wake([&] {
    is_awake = true;
    is_awake.notify_one();
  });
  std::jthread reader([&] {
    for (EventSeq read = 0; read < last;) {
      is_awake.wait(false);
      is_awake = false;
      for (State state = State::more; state == State::more;) {
        const BodyStream::Piece piece = stream->next();
        for (std::size_t at = piece.bytes.find("\nevent: "); at != std::string::npos;
             at = piece.bytes.find("\nevent: ", at + 1)) {
          seen = ++read;
        }
        state = piece.state;
        if (state == State::end) return;
      }
    }
  });
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (EventSeq seq = 1; seq <= last; ++seq) {
    room->take({.type = EventType::job_paused, .seq = seq, .job = JobId{1}, .code = 1});
    room->wake_followers();
    while (seen < seq && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    if (seen < seq) break;
  }
  EXPECT_EQ(seen, last);
  room->stop();
}

}  // namespace
}  // namespace pawl::service
