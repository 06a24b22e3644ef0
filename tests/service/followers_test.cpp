/// The followers of events: heartbeats, slow clients, wake-ups, a store that is away, the end.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "live_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using State = BodyStream::State;

class FollowersTest : public LiveTest {};

TEST_F(FollowersTest, a_quiet_stream_has_a_comment_every_15_seconds) {
  run_job(1);
  LiveEvents live = this->live();
  Client client(*live.follow({}));
  client.read();
  const std::size_t before = client.text().size();
  now_ += 14s;
  live.wake_followers();
  EXPECT_EQ(client.wakes(), 0);
  now_ += 1s;
  live.wake_followers();
  EXPECT_EQ(client.wakes(), 1);
  EXPECT_EQ(client.read(), State::idle);
  EXPECT_EQ(client.text().substr(before), ": still here\n\n");
  now_ += 15s;
  live.wake_followers();
  client.read();
  EXPECT_EQ(client.text().substr(before), ": still here\n\n: still here\n\n");
}

TEST_F(FollowersTest, a_comment_carries_the_number_of_what_was_looked_at) {
  LiveEvents live = this->live();
  Client client(live.follow({.types = {EventType::review_requested}}, 0));
  client.read();
  run_job(1);
  now_ += 15s;
  live.wake_followers();
  client.read();
  EXPECT_THAT(client.text(), HasSubstr("id: " + std::to_string(newest()) + "\n: still here\n\n"));
  EXPECT_THAT(client.messages(), IsEmpty());
}

TEST_F(FollowersTest, a_client_that_does_not_read_for_30_seconds_is_dropped_and_can_resume) {
  LiveEvents live = this->live({.piece_bytes = 500});
  run_job(5);
  Client client(live.follow({}, 0));
  ASSERT_EQ(client.read_piece(), State::more);
  now_ += 31s;
  EXPECT_EQ(client.read_piece(), State::end);
  EXPECT_EQ(client.events().back(), "dropped");
  EXPECT_EQ(live.figures().dropped, 1);
  const EventSeq last = std::stoll(client.messages().back().id);
  EXPECT_EQ(last, client.numbers().back());
  Client again(live.follow({}, last));
  again.read();
  std::vector<EventSeq> all = client.numbers();
  std::ranges::copy(again.numbers(), std::back_inserter(all));
  EXPECT_EQ(all, on_record());
}

TEST_F(FollowersTest, a_client_with_nothing_to_read_is_not_slow) {
  LiveEvents live = this->live();
  Client client(*live.follow({}));
  client.read();
  now_ += 1h;
  run_job(1);
  live.wake_followers();
  EXPECT_EQ(client.read(), State::idle);
  EXPECT_THAT(client.events(), Not(Contains("dropped")));
}

TEST_F(FollowersTest, a_client_that_falls_too_far_behind_is_dropped_and_can_resume) {
  LiveEvents live = this->live({.ring = 1, .behind_max = 700});
  Client client(*live.follow({}));
  const EventSeq begin = newest();
  client.read();
  run_job(60);
  ASSERT_GT(on_record(begin).size(), 257U) << "the ring has forgotten some of it";
  client.read();
  EXPECT_EQ(client.numbers(), on_record(begin)) << "it catches up";
  const EventSeq last = newest();
  run_job(250);
  ASSERT_GT(on_record(last).size(), 700U);
  EXPECT_EQ(client.read(), State::end);
  EXPECT_EQ(client.events().back(), "dropped");
  EXPECT_EQ(client.messages().back().id, std::to_string(last));
  Client again(live.follow({}, last));
  EXPECT_EQ(again.read(), State::idle) << "a client that resumes may be as far behind as it is";
  EXPECT_EQ(again.numbers(), on_record(last));
}

TEST_F(FollowersTest, a_piece_is_bounded_however_much_there_is) {
  LiveEvents live = this->live({.piece_bytes = 10'000});
  Client behind(live.follow({}, 0));
  run_job(200);
  Client late(live.follow({}, 0));
  behind.read();
  late.read();
  constexpr std::size_t one_event_at_most = 1'000;
  EXPECT_LT(behind.largest(), 10'000 + one_event_at_most);
  EXPECT_LT(late.largest(), 10'000 + one_event_at_most);
}

TEST_F(FollowersTest, a_follower_that_was_woken_is_not_woken_again_until_it_has_read) {
  LiveEvents live = this->live();
  Client client(*live.follow({}));
  client.read();
  for (int i = 0; i < 5; ++i) {
    run_job(1);
    live.wake_followers();
  }
  EXPECT_EQ(client.wakes(), 1);
  client.read();
  run_job(1);
  live.wake_followers();
  EXPECT_EQ(client.wakes(), 2);
}

TEST_F(FollowersTest, a_follower_is_woken_only_for_what_it_chose) {
  const JobId job = run_job(1);
  LiveEvents live = this->live();
  Client of_job(live.follow({.job = job}, newest()));
  Client of_type(live.follow({.types = {EventType::review_requested}}, newest()));
  Client of_all(*live.follow({}));
  for (Client* client : {&of_job, &of_type, &of_all}) client->read();
  run_job(1);
  live.wake_followers();
  EXPECT_EQ(of_job.wakes(), 0);
  EXPECT_EQ(of_type.wakes(), 0);
  EXPECT_EQ(of_all.wakes(), 1);
}

TEST_F(FollowersTest, a_follower_of_something_rare_does_not_fall_behind) {
  const JobId job = run_job(1);
  LiveEvents live = this->live({.ring = 400, .behind_max = 500});
  Client client(live.follow({.job = job}, newest()));
  client.read();
  for (int i = 0; i < 20; ++i) {
    run_job(30);
    live.wake_followers();
    if (client.wakes() > 0) {
      EXPECT_EQ(client.read(), State::idle);
    }
  }
  EXPECT_GT(client.wakes(), 0);
  EXPECT_THAT(client.messages(), IsEmpty());
}

TEST_F(FollowersTest, a_stream_waits_for_a_store_that_is_away_and_goes_on) {
  LiveEvents live = this->live();
  const EventSeq begin = newest();
  Client client(*live.follow({}));
  client.read();
  run_job(3);
  store_->is_away = true;
  live.wake_followers();
  EXPECT_EQ(client.read(), State::idle);
  EXPECT_THAT(client.text(), Not(HasSubstr("attempt.started"))) << "the item's name is not known";
  now_ += 15s;
  live.wake_followers();
  EXPECT_EQ(client.read(), State::idle);
  EXPECT_THAT(client.text(), HasSubstr(": still here"));
  store_->is_away = false;
  const int wakes = client.wakes();
  live.wake_followers();
  EXPECT_EQ(client.wakes(), wakes + 1) << "somebody tries again";
  client.read();
  EXPECT_EQ(client.numbers(), on_record(begin));
  EXPECT_THAT(client.text(), HasSubstr("\"item\":\"doc-2\""));
}

TEST_F(FollowersTest, a_cursor_is_resumed_when_a_store_that_was_away_is_back) {
  run_job(2);
  LiveEvents live = this->live();
  const EventSeq cursor = on_record().front();
  store_->is_away = true;
  EXPECT_FALSE(live.follow({})) << "nobody knows what the newest event is";
  Client client(live.follow({}, cursor));
  EXPECT_EQ(client.read(), State::idle);
  store_->is_away = false;
  live.wake_followers();
  client.read();
  EXPECT_EQ(client.numbers(), on_record(cursor));
}

TEST_F(FollowersTest, a_store_that_is_away_at_the_start_is_followed_later) {
  run_job(1);
  store_->is_away = true;
  LiveEvents live = this->live();
  Client client(live.follow({}, 0));
  EXPECT_EQ(client.read(), State::idle);
  store_->is_away = false;
  live.wake_followers();
  client.read();
  EXPECT_EQ(client.numbers(), on_record());
  run_job(1);
  live.wake_followers();
  client.read();
  EXPECT_EQ(client.numbers(), on_record());
}

TEST_F(FollowersTest, stopping_ends_every_stream_and_wakes_the_idle_ones) {
  LiveEvents live = this->live();
  Client idle(*live.follow({}));
  idle.read();
  Client reading(live.follow({}, 0));
  live.stop();
  EXPECT_EQ(idle.wakes(), 1);
  EXPECT_EQ(idle.read(), State::end);
  EXPECT_EQ(reading.read(), State::end);
  Client late(live.follow({}, 0));
  EXPECT_EQ(late.read(), State::end);
}

TEST_F(FollowersTest, one_stream_can_be_stopped_alone) {
  LiveEvents live = this->live();
  Client one(*live.follow({}));
  Client other(*live.follow({}));
  one.read();
  other.read();
  one.stream().stop();
  EXPECT_EQ(one.wakes(), 1);
  EXPECT_EQ(one.read(), State::end);
  EXPECT_EQ(other.wakes(), 0);
  EXPECT_EQ(other.read(), State::idle);
}

TEST_F(FollowersTest, a_stream_may_outlive_what_it_follows) {
  std::unique_ptr<Client> client;
  {
    LiveEvents live = this->live();
    client = std::make_unique<Client>(*live.follow({}));
    client->read();
  }
  EXPECT_EQ(client->read(), State::end);
}

TEST_F(FollowersTest, hostile_names_cannot_forge_messages) {
  LiveEvents live = this->live();
  const std::string key = "a\n\nid: 7\nevent: reset\ndata: {}\r\n\r\nid: 8";
  const JobId job = world_.submit(program_, {{.key = key, .category = {}, .data = {}}});
  world_.finish(job);
  Client client(live.follow({}, 0));
  client.read();
  EXPECT_EQ(client.numbers(), on_record());
  EXPECT_THAT(client.events(), Not(Contains("reset")));
  EXPECT_THAT(client.text(), Not(HasSubstr("\r")));
}

TEST_F(FollowersTest, figures_count_those_who_follow_now) {
  LiveEvents live = this->live();
  EXPECT_EQ(live.figures().followers, 0);
  {
    Client one(*live.follow({}));
    Client other(*live.follow({}));
    EXPECT_EQ(live.figures().followers, 2);
  }
  EXPECT_EQ(live.figures().followers, 0);
  run_job(1);
  EXPECT_EQ(live.figures().events, static_cast<std::int64_t>(on_record().size()));
}

TEST_F(FollowersTest, a_listener_is_called_for_every_event_until_its_subscription_ends) {
  run_job(1);
  LiveEvents live = this->live();
  const EventSeq before = newest();
  std::vector<EventSeq> heard;
  {
    const Listening listening =
        live.listen([&](const Event& event) { heard.push_back(event.seq); });
    EXPECT_EQ(listening.after, before);
    run_job(1);
  }
  EXPECT_EQ(heard, on_record(before));
  run_job(1);
  EXPECT_LT(heard.size(), on_record(before).size());
}

}  // namespace
}  // namespace pawl::service
