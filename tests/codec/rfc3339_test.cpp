#include "pawl/codec/rfc3339.hpp"

#include <gtest/gtest.h>

#include "codec/arbitrary.hpp"

namespace pawl {
namespace {

constexpr Timestamp noon{std::chrono::seconds(1'700'000'000)};

TEST(Rfc3339, shows_decimals_only_where_there_are_any) {
  EXPECT_EQ(rfc3339(noon), "2023-11-14T22:13:20Z");
  EXPECT_EQ(rfc3339(noon + std::chrono::milliseconds(50)), "2023-11-14T22:13:20.050Z");
  EXPECT_EQ(rfc3339(noon + Duration{7}), "2023-11-14T22:13:20.000007Z");
  EXPECT_EQ(rfc3339(Timestamp{Duration{-1}}), "1969-12-31T23:59:59.999999Z");
}

TEST(Rfc3339, shows_a_time_beyond_its_years_as_the_nearest_inside) {
  EXPECT_EQ(rfc3339(Timestamp::min()), "0000-01-01T00:00:00Z");
  EXPECT_EQ(rfc3339(Timestamp::max()), "9999-12-31T23:59:59.999999Z");
}

TEST(Rfc3339, reads_offsets_and_any_number_of_decimals) {
  const auto read = [](std::string_view text) { return parse_rfc3339(text).value(); };
  EXPECT_EQ(read("2023-11-14T22:13:20Z"), noon);
  EXPECT_EQ(read("2023-11-15T00:13:20+02:00"), noon);
  EXPECT_EQ(read("2023-11-14t17:43:20-04:30"), noon);
  EXPECT_EQ(read("2023-11-14 22:13:20.1234567899Z"), noon + Duration{123'456});
  EXPECT_EQ(read("2024-02-29T00:00:00Z") + std::chrono::days(1), read("2024-03-01T00:00:00Z"));
}

TEST(Rfc3339, refuses_what_is_no_time) {
  for (const char* text :
       {"", "2023", "2023-11-14", "2023-11-14T22:13Z", "2023-11-14T22:13:20",
        "2023-13-14T22:13:20Z", "2023-02-29T22:13:20Z", "2023-11-14T24:00:00Z",
        "2023-11-14T22:60:20Z", "2023-11-14T22:13:61Z", "2023-11-14T22:13:20.Z",
        "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:20+0200",
        "20x3-11-14T22:13:20Z", "-023-11-14T22:13:20Z"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(Rfc3339, every_time_reads_back) {
  arbitrary::check(500, [] {
    const Timestamp time{Duration{*rc::gen::inRange<std::int64_t>(0, 253'402'300'800'000'000)}};
    RC_ASSERT(parse_rfc3339(rfc3339(time)).value() == time);
  });
}

}  // namespace
}  // namespace pawl
