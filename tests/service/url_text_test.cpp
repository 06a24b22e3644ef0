#include "service/api/url_text.hpp"

#include <gtest/gtest.h>

namespace pawl::service {
namespace {

TEST(UrlText, any_bytes_come_back_from_their_escapes) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_EQ(without_escapes(with_escapes(all)), all);
}

TEST(UrlText, a_malformed_escape_is_no_text) {
  for (const char* text : {"%", "%2", "a%zz", "%2x"}) EXPECT_FALSE(without_escapes(text)) << text;
}

TEST(UrlText, a_plus_is_a_space_in_a_query_only) {
  EXPECT_EQ(without_escapes("a+b"), "a+b");
  EXPECT_EQ(query_parts("q=a+b%2B").front().second, "a b+");
}

TEST(UrlText, a_query_keeps_its_order_and_empty_values) {
  const auto parts = query_parts("a=1&&b&c==");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].second, "1");
  EXPECT_EQ(parts[1].first, "b");
  EXPECT_EQ(parts[1].second, "");
  EXPECT_EQ(parts[2].second, "=");
}

}  // namespace
}  // namespace pawl::service
