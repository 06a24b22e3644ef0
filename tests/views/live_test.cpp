#include "views/live.hpp"

#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"

namespace pawl::views {
namespace {

TEST(LiveReports, are_a_list_in_the_document) {
  const Json document = with_live(Json::object({{"job", 1}}),
                                  {{.item_key = "ada",
                                    .stage = "read",
                                    .child = "page 3",
                                    .attempt = 2,
                                    .progress = 0.5,
                                    .message = "page \"3\""},
                                   {.item_key = {}, .stage = "total", .child = {}, .attempt = 1}});
  EXPECT_EQ(document.text(),
            R"({"job":1,"live":[{"item":"ada","stage":"read","child":"page 3","attempt_number":2,)"
            R"("progress":0.5,"message":"page \"3\""},{"item":null,"stage":"total","child":null,)"
            R"("attempt_number":1,"progress":null,"message":null}]})");
  EXPECT_EQ(with_live(Json::object({}), {}).text(), R"({"live":[]})");
}

TEST(LiveReports, say_a_percentage_only_between_nothing_and_all) {
  const auto words = [](std::optional<double> progress, const std::string& message) {
    return report_in_words({.progress = progress, .message = message});
  };
  EXPECT_EQ(words(0.29, "page 3"), "29%, page 3");
  EXPECT_EQ(words(0, ""), "0%");
  EXPECT_EQ(words(1, ""), "100%");
  EXPECT_EQ(words(40, "page 3"), "page 3");
  EXPECT_EQ(words(-1, ""), "");
}

TEST(LiveReports, are_named_by_item_stage_and_child) {
  const RunningAttempt child{.item_key = "ada", .stage = "read", .child = "3"};
  EXPECT_EQ(child.name(), "ada/read[3]");
  EXPECT_EQ((RunningAttempt{.stage = "total"}).name(), "total");
}

}  // namespace
}  // namespace pawl::views
