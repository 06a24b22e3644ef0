#include "codec/journal.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/arbitrary.hpp"
#include "codec/damage.hpp"

namespace pawl::codec {
namespace {

constexpr JobId job{41};
constexpr Timestamp noon{std::chrono::seconds(1'700'000'000)};

std::string written(const std::vector<Event>& events) {
  std::string text;
  append_events(text, events);
  return text;
}

std::vector<Event> as_read(std::vector<Event> events, EventSeq row) {
  for (std::size_t i = 0; i < events.size(); ++i) {
    events[i].seq = row * 16 + static_cast<EventSeq>(i);
    events[i].job = job;
    events[i].at = noon;
  }
  return events;
}

TEST(Journal, any_events_read_back_as_they_were_written) {
  arbitrary::check(1'000, [] {
    const std::size_t size = *rc::gen::inRange<std::size_t>(0, 17);
    const auto events = *rc::gen::container<std::vector<Event>>(size, arbitrary::event());
    const EventSeq row = *rc::gen::inRange<EventSeq>(0, 1'000'000'000);
    const auto read = read_events(written(events), row, job, noon);
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == as_read(events, row));
  });
}

TEST(Journal, hostile_texts_stay_what_they_are) {
  for (const std::string text :
       {"\n", "\\", "\\n", ",", "=", ",,\n,,", "\\\n\\", "a\n9,9,9", "\r\n", "\xff\xfe", "\\0"}) {
    Event event{.type = EventType::gate_rejected};
    event.text = text;
    const std::vector<Event> events{event, event};
    EXPECT_EQ(read_events(written(events), 3, job, noon), as_read(events, 3)) << text;
  }
  Event event{.type = EventType::escalated};
  event.text = std::string("\0a\0", 3);
  EXPECT_EQ(written({event}).find('\0'), std::string::npos);
  EXPECT_EQ(read_events(written({event}), 3, job, noon), as_read({event}, 3));
}

TEST(Journal, a_plain_step_is_short) {
  Event started{.type = EventType::attempt_started};
  started.item = ItemId{7};
  started.task = task_id(ItemId{7}, StageIndex{1});
  started.attempt = 1;
  started.code = 1;
  Event done = started;
  done.type = EventType::task_succeeded;
  done.attempt = 0;
  done.code = 0;
  EXPECT_EQ(written({started, done}), "7,7,458753,1,1\n17,=,=");
}

TEST(Journal, appends_to_what_is_there_and_adds_nothing_for_no_events) {
  std::string text = "x";
  append_events(text, {});
  EXPECT_EQ(text, "x");
  EXPECT_EQ(read_events("", 1, job, noon), std::vector<Event>{});
}

TEST(Journal, damaged_text_is_an_error_and_never_a_crash) {
  for (const char* text : {"0", "99", "x", "7,x", "7,=", "7,1,=", "7,1,2,-1", "7,1,2,4294967296",
                           "7,,,,2147483648", "7\n", "\n7", "7\n\n7", "7,,,,,,,a\\", "7,,,,,,,\\q",
                           "7,99999999999999999999", "7 ", "+7", "7,1,2,="}) {
    const auto read = read_events(text, 5, job, noon);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::corrupt);
    EXPECT_NE(read.error().message.find("row 5"), std::string::npos);
  }
  std::string seventeen = "7";
  for (int i = 0; i < 16; ++i) seventeen += "\n7";
  EXPECT_FALSE(read_events(seventeen, 5, job, noon));

  Event event{.type = EventType::retry_scheduled};
  event.item = ItemId{12};
  event.task = task_id(ItemId{12}, StageIndex{3});
  event.attempt = 2;
  event.code = 2;
  event.count = 8;
  event.when = noon;
  event.text = "ocr, busy\nagain";
  const std::string sound = written({event, event, event});
  testing::Damage damage(3);
  for (int i = 0; i < 20'000; ++i) {
    const auto read = read_events(damage(sound), 5, job, noon);
    // Accepted text can be encoded again.
    if (!read) continue;
    EXPECT_EQ(read_events(written(*read), 5, job, noon), read);
  }
}

}  // namespace
}  // namespace pawl::codec
