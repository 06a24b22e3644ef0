#include "service/log.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"

namespace pawl::service {
namespace {

class Logs : public ::testing::Test {
 protected:
  Log log(LogForm form, LogLevel least = LogLevel::info) {
    return Log(form, least, clock_, [this](const std::string& line) { lines_.push_back(line); });
  }
  RequestRecord request(unsigned status, std::string_view route = "/api/v1/jobs") {
    return {.method = "GET",
            .path = "/api/v1/jobs",
            .route = route,
            .status = status,
            .duration = std::chrono::microseconds(1'500),
            .address = "127.0.0.1",
            .actor = "ana",
            .by = "token"};
  }

  ManualClock clock_;
  std::vector<std::string> lines_;
};

TEST_F(Logs, a_line_of_json_is_one_document_whatever_the_message_is) {
  Log log = this->log(LogForm::json);
  log.say(LogLevel::error, "a \"quote\", a\nline, \x1b[31m red, \xff and \xe2\x80\xae");
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].find('\n'), lines_[0].size() - 1);
  EXPECT_EQ(lines_[0].find('\x1b'), std::string::npos);
  const Result<Json> line = parse_json(lines_[0]);
  ASSERT_TRUE(line.has_value()) << lines_[0];
  EXPECT_EQ(field(*line, "level").string(), "error");
  EXPECT_TRUE(field(*line, "time").string()->ends_with('Z'));
}

TEST_F(Logs, a_line_of_text_is_one_line_without_control_characters) {
  Log log = this->log(LogForm::text);
  log.say(LogLevel::warning, "two\nlines and \x1b[31m");
  EXPECT_EQ(lines_[0].find('\n'), lines_[0].size() - 1);
  EXPECT_EQ(lines_[0].find('\x1b'), std::string::npos);
  EXPECT_NE(lines_[0].find("warning: "), std::string::npos);
}

TEST_F(Logs, passwords_of_addresses_are_hidden) {
  Log log = this->log(LogForm::json);
  log.say(LogLevel::error, "cannot reach postgres://me:hush@db/pawl");
  EXPECT_EQ(lines_[0].find("hush"), std::string::npos);
}

TEST_F(Logs, a_request_has_who_asked_and_what_came_of_it) {
  Log log = this->log(LogForm::json);
  log.note(request(200));
  const Json line = parse_json(lines_.at(0)).value();
  EXPECT_EQ(field(line, "message").string(), "request");
  EXPECT_EQ(field(line, "status").integer(), 200);
  EXPECT_EQ(field(line, "duration_ms").number(), 1.5);
  EXPECT_EQ(field(line, "actor").string(), "ana");
  EXPECT_EQ(field(line, "by").string(), "token");
  EXPECT_EQ(field(line, "error").text(), "null");
}

TEST_F(Logs, successful_checks_of_health_are_only_for_the_curious) {
  Log quiet = this->log(LogForm::json);
  for (const char* route : {"/healthz", "/readyz", "/metrics"}) quiet.note(request(200, route));
  EXPECT_TRUE(lines_.empty());
  quiet.note(request(503, "/readyz"));
  EXPECT_EQ(lines_.size(), 1U);
  Log curious = this->log(LogForm::json, LogLevel::debug);
  curious.note(request(200, "/healthz"));
  EXPECT_EQ(lines_.size(), 2U);
}

TEST_F(Logs, lines_below_the_least_level_are_left_out) {
  Log log = this->log(LogForm::json, LogLevel::warning);
  log.say(LogLevel::info, "x");
  log.note(request(200));
  log.note(request(404));
  EXPECT_TRUE(lines_.empty());
  log.note(request(500));
  EXPECT_EQ(lines_.size(), 1U);
}

}  // namespace
}  // namespace pawl::service
