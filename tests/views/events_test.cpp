/// The names of events, and which events somebody wants to see.

#include "views/events.hpp"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/testing/testing.hpp"
#include "views/event_choice.hpp"
#include "views/remembered.hpp"

namespace pawl::views {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Timestamp noon{std::chrono::seconds(1'700'000'000)};

TEST(EventTypes, a_pattern_chooses_what_it_matches) {
  EXPECT_THAT(*event_types_of({"job.finished"}), ElementsAre(EventType::job_finished));
  EXPECT_THAT(
      *event_types_of({"gate.*"}),
      ElementsAre(EventType::gate_accepted, EventType::gate_rejected, EventType::gate_uncertain));
  EXPECT_THAT(*event_types_of({"*.finished"}), Contains(EventType::attempt_finished));
  EXPECT_THAT(*event_types_of({"g?te.*ed"}),
              ElementsAre(EventType::gate_accepted, EventType::gate_rejected));
  EXPECT_THAT(*event_types_of({"job.finished", "job.*"}), Contains(EventType::job_submitted));
  EXPECT_EQ(event_types_of({})->size(), event_types_of({"*"})->size());
  EXPECT_EQ(event_types_of({})->size(), event_types_of({"**"})->size());
}

TEST(EventTypes, a_pattern_that_matches_nothing_names_the_nearest_type) {
  const auto near = event_types_of({"job.*", "job.finishd"});
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().code, ErrorCode::invalid);
  EXPECT_THAT(near.error().help, HasSubstr("job.finished"));
  for (const char* bad : {"", "x", "JOB.*", "job", "job.finished.", "?"}) {
    EXPECT_FALSE(event_types_of({bad})) << bad;
  }
}

TEST(EventTypes, a_hostile_pattern_takes_no_time) {
  std::string stars;
  for (int i = 0; i < 2'000; ++i) stars += "*a";
  EXPECT_FALSE(event_types_of({stars}));
}

TEST(TimeSince, is_a_duration_or_a_time) {
  EXPECT_EQ(*time_since("15m", noon), noon - 15min);
  EXPECT_EQ(*time_since("1h30m", noon), noon - 90min);
  EXPECT_EQ(*time_since("2023-11-14T22:13:20Z", noon), noon);
  EXPECT_EQ(*time_since("", noon), no_time);
  for (const char* bad : {"yesterday", "15", "-15m", "2023-11-14", "9999999999d"}) {
    EXPECT_FALSE(time_since(bad, noon)) << bad;
  }
}

TEST(Remembered, keeps_what_was_used_last_and_never_more_than_twice_its_size) {
  Remembered<int, int> squares(10);
  (void)squares.add(0, 0);
  for (int i = 1; i < 1'000; ++i) {
    (void)squares.add(i, i * i);
    ASSERT_NE(squares.find(0), nullptr) << "it is used all the time";
    ASSERT_NE(squares.find(i), nullptr);
  }
  int kept = 0;
  for (int i = 0; i < 1'000; ++i) kept += squares.find(i) != nullptr ? 1 : 0;
  EXPECT_GE(kept, 10);
  EXPECT_LE(kept, 20);
}

class EventNamesTest : public ::testing::Test {
 protected:
  EventNamesTest() {
    const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
    WorkflowBuilder build("letters");
    build.stage("write", succeed);
    job_ = world_.submit(testing::built(build), testing::items({"a"}));
    world_.finish(job_);
    events_ = *world_.records().events({.limit = 100});
  }

  testing::World world_;
  JobId job_;
  std::vector<Event> events_;
};

TEST_F(EventNamesTest, an_event_shows_the_names_of_its_item_and_stage) {
  EventNames names(world_.records());
  bool is_seen = false;
  for (const Event& event : events_) {
    const Result<Json> document = names.document_of(event);
    ASSERT_TRUE(document);
    if (event.type != EventType::attempt_started) continue;
    is_seen = true;
    EXPECT_EQ(field(*document, "item").text(), "\"a\"");
    EXPECT_EQ(field(*document, "stage").text(), "\"write\"");
    EXPECT_EQ(*names.place_of(event), "1/a/write");
  }
  EXPECT_TRUE(is_seen);
}

TEST_F(EventNamesTest, an_event_of_a_record_that_was_purged_has_no_name) {
  EventNames names(world_.records());
  const Event event{.type = EventType::attempt_started,
                    .seq = 1,
                    .job = job_,
                    .item = ItemId{99},
                    .task = task_id(ItemId{99}, StageIndex{}),
                    .at = noon};
  const Result<Json> document = names.document_of(event);
  ASSERT_TRUE(document);
  EXPECT_EQ(field(*document, "item").text(), "null");
}

}  // namespace
}  // namespace pawl::views
