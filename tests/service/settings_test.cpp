#include "service/settings.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "temporary_folder.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Settings good(const std::string& text, const std::filesystem::path& project = "/project") {
  auto settings = read_settings(text, "serve.yaml", project);
  EXPECT_TRUE(settings) << text << render(settings.error(), text);
  return settings.value_or(Settings{});
}

std::vector<Diagnostic> faults_of(const std::string& text) {
  const auto settings = read_settings(text, "serve.yaml", "/project");
  EXPECT_FALSE(settings) << text;
  return settings ? std::vector<Diagnostic>{} : settings.error();
}

std::vector<std::string> codes_of(const std::vector<Diagnostic>& diagnostics) {
  std::vector<std::string> codes;
  for (const Diagnostic& one : diagnostics) codes.push_back(one.code);
  return codes;
}

TEST(Settings, have_a_default_for_every_key) {
  for (const char* const text : {"", "\n\n", "# listen: 0.0.0.0:80\n  # more\r\n"}) {
    const Settings settings = good(text);
    EXPECT_EQ(settings.listen, "127.0.0.1:7878");
    EXPECT_EQ(settings.sign_in, SignInRule::required);
    EXPECT_EQ(settings.session_time, 12h);
    EXPECT_EQ(settings.limits, ServerLimits{});
    EXPECT_THAT(settings.workflows, IsEmpty());
    EXPECT_TRUE(check_safe(settings));
  }
}

TEST(Settings, are_read_from_every_key) {
  const Settings settings = good(R"(
listen: 0.0.0.0:80
public_url: https://Pawl.example.org:443/flows/
workflows: [flows, ../shared/flows, /srv/flows]
sign_in: required
session_time: 8h
proxy:
  trusted: [127.0.0.1, 10.0.0.0/8]
  user_header: X-Remote-User
limits:
  connections: 100
  connections_per_address: 10
  request_threads: 8
  head: 8192
)");
  EXPECT_EQ(settings.listen, "0.0.0.0:80");
  EXPECT_EQ(settings.public_url, "https://pawl.example.org/flows");
  EXPECT_THAT(settings.workflows, ElementsAre("/project/flows", "/shared/flows", "/srv/flows"));
  EXPECT_EQ(settings.session_time, 8h);
  EXPECT_EQ(settings.proxy.user_header, "X-Remote-User");
  ASSERT_EQ(settings.proxy.trusted.size(), 2U);
  EXPECT_TRUE(settings.proxy.trusted[1].contains("10.1.2.3"));
  EXPECT_EQ(settings.limits.connections_max, 100U);
  EXPECT_EQ(settings.limits.connections_per_address_max, 10U);
  EXPECT_EQ(settings.limits.request_threads, 8U);
  EXPECT_EQ(settings.limits.head_max, 8'192U);
}

TEST(Settings, report_every_fault_at_once_with_its_place) {
  const std::vector<Diagnostic> faults = faults_of(R"(lisen: localhost
public_url: pawl.example.org
workflows: flows
sign_in: nobody
session_time: 12
proxy: { trusted: [10.0.0.1/8, 0.0.0.0/0], user_header: Host }
limits: { request_threads: 0, heads: 1 }
)");
  EXPECT_THAT(codes_of(faults), ElementsAre("E010", "E101", "E102", "E011", "E018", "E022", "E103",
                                            "E103", "E104", "E023", "E010", "E023"));
  std::vector<std::uint32_t> lines;
  for (const Diagnostic& one : faults) {
    lines.push_back(one.place.line);
    EXPECT_GT(one.place.column, 0U);
    EXPECT_EQ(one.file, "serve.yaml");
    EXPECT_FALSE(one.help.empty()) << one.message;
    EXPECT_NE(find_code(one.code), nullptr) << one.code;
  }
  EXPECT_THAT(lines, ElementsAre(1, 1, 2, 3, 4, 5, 6, 6, 6, 7, 7, 7));
  EXPECT_EQ(faults.front().help, "did you mean \"listen\"?");
}

TEST(Settings, have_no_keys_of_workflow_files_and_no_values_of_another_kind) {
  for (const auto& [text, code] : std::vector<std::pair<std::string, std::string>>{
           {"stages: {}", "E010"},
           {"[listen]", "E011"},
           {"listen", "E011"},
           {"listen: 7878", "E011"},
           {"listen:", "E011"},
           {"proxy: 127.0.0.1", "E011"},
           {"limits: 4", "E011"},
           {"limits: { head: 16KiB }", "E011"},
           {"workflows: [a, a]", "E026"},
           {"workflows: [1]", "E011"},
           {"session_time: 10s", "E023"},
           {"session_time: 400d", "E023"},
           {"session_time: 0s", "E022"},
           {"limits: { connections: 1000001 }", "E023"},
           {"listen: [::1]:7878", "E001"},
           {"listen: a\nlisten: b", "E003"},
           {"proxy: { user_header: 'X User', trusted: [10.0.0.1] }", "E104"},
           {"proxy: { user_header: sec-user, trusted: [10.0.0.1] }", "E104"},
           {"proxy: { user_header: content-length, trusted: [10.0.0.1] }", "E104"},
           {"proxy: { user_header: X-User }", "E105"},
           {"proxy: { user_header: X-User, trusted: [] }", "E105"},
       }) {
    EXPECT_THAT(codes_of(faults_of(text)), ElementsAre(code)) << text;
  }
}

TEST(Settings, do_not_add_that_nobody_is_trusted_to_a_fault_in_the_list) {
  EXPECT_THAT(codes_of(faults_of("proxy: { user_header: X-User, trusted: [proxy] }")),
              ElementsAre("E103"));
  EXPECT_THAT(codes_of(faults_of("proxy: { user_header: X-User, trusted: 10.0.0.1 }")),
              ElementsAre("E011"));
}

TEST(Settings, listen_on_an_address_and_a_port) {
  for (const char* const address : {"127.0.0.1:0", "127.0.0.1:7878", "[::1]:7878"}) {
    EXPECT_EQ(good("listen: \"" + std::string(address) + "\"").listen, address);
  }
  for (const char* const address : {"localhost:7878", "127.0.0.1", "::1:7878", "127.0.0.1:70000",
                                    "http://127.0.0.1:7878", ":7878", "*:7878"}) {
    EXPECT_THAT(codes_of(faults_of("listen: \"" + std::string(address) + "\"")),
                ElementsAre("E101"))
        << address;
  }
}

TEST(Settings, that_would_open_the_service_to_everybody_are_refused) {
  for (const char* const text :
       {"sign_in: none\nlisten: 0.0.0.0:7878", "sign_in: none\nlisten: 192.0.2.7:7878",
        "sign_in: none\nlisten: '[::]:7878'", "sign_in: none\npublic_url: https://pawl.example.org",
        "sign_in: none\nproxy: { trusted: [127.0.0.1] }"}) {
    const std::vector<Diagnostic> faults = faults_of(text);
    EXPECT_THAT(codes_of(faults), ElementsAre("E106")) << text;
    EXPECT_EQ(faults.at(0).place.line, 1U) << "the line of sign_in";
  }
  for (const char* const text :
       {"sign_in: none", "sign_in: none\nlisten: 127.1.2.3:80", "sign_in: none\nlisten: '[::1]:80'",
        "sign_in: none\npublic_url: http://localhost:8080", "listen: 0.0.0.0:7878"}) {
    good(text);
  }
}

TEST(Settings, are_unsafe_with_the_address_of_the_command_line_too) {
  Settings settings = good("sign_in: none");
  settings.listen = "0.0.0.0:7878";
  const Status unsafe = check_safe(settings);
  ASSERT_FALSE(unsafe);
  EXPECT_EQ(unsafe.error().code, ErrorCode::refused);
  EXPECT_THAT(unsafe.error().message, HasSubstr("0.0.0.0:7878"));
  settings.sign_in = SignInRule::required;
  EXPECT_TRUE(check_safe(settings));
  settings.listen = "localhost";
  EXPECT_EQ(check_safe(settings).error().code, ErrorCode::invalid);
}

TEST(Settings, warn_of_directories_that_do_not_exist) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "flows");
  std::ofstream(folder.path() / "file") << "text";
  const Settings settings = good("workflows: [flows, flow, file]", folder.path());
  EXPECT_THAT(codes_of(settings.warnings), ElementsAre("W101", "W101"));
  EXPECT_THAT(settings.warnings.at(0).message, HasSubstr("\"flow\""));
  EXPECT_EQ(settings.warnings.at(0).severity, Severity::warning);
  EXPECT_EQ(settings.warnings.at(0).place.column, 20U);
  EXPECT_EQ(settings.workflows.size(), 3U) << "it may be created later";
}

TEST(Settings, warn_of_a_network_address_without_a_name) {
  EXPECT_THAT(codes_of(good("listen: 0.0.0.0:80").warnings), ElementsAre("W102"));
  EXPECT_THAT(good("listen: 0.0.0.0:80\npublic_url: http://pawl").warnings, IsEmpty());
}

TEST(Settings, survive_whatever_a_file_contains) {
  for (const std::string& text :
       {std::string("\xff\xfe\x00l", 4), std::string("listen: \"\\0\""), std::string("? : ?"),
        std::string("listen: &a x\nproxy: *a"), std::string(70, '['), std::string("- - -"),
        std::string("listen: \"127.0.0.1:7878\\n\""),
        std::string("public_url: \"http://a\\x1b\"")}) {
    const auto settings = read_settings(text, "serve.yaml", "/project");
    ASSERT_FALSE(settings) << text;
    EXPECT_FALSE(settings.error().empty());
    EXPECT_FALSE(render(settings.error(), text).contains('\x1b'));
  }
}

TEST(SettingsCodes, have_a_story_each) {
  for (const char* const code : {"E101", "E102", "E103", "E104", "E105", "E106", "W101", "W102"}) {
    const CodeStory* const story = find_code(code);
    ASSERT_NE(story, nullptr) << code;
    EXPECT_THAT(std::string(story->story), HasSubstr("\nright:")) << code;
  }
}

}  // namespace
}  // namespace pawl::service
