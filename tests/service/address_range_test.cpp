#include "service/access/address_range.hpp"

#include <gtest/gtest.h>

#include "service/access/forwarded.hpp"
#include "service/access/web_address.hpp"

namespace pawl::service {
namespace {

bool is_in(std::string_view range, std::string_view address) {
  const std::optional<AddressRange> parsed = AddressRange::parse(range);
  EXPECT_TRUE(parsed) << range;
  return parsed && parsed->contains(address);
}

TEST(AddressRange, an_address_is_a_range_of_itself_alone) {
  EXPECT_TRUE(is_in("192.0.2.7", "192.0.2.7"));
  EXPECT_FALSE(is_in("192.0.2.7", "192.0.2.8"));
  EXPECT_TRUE(is_in("2001:db8::7", "2001:0DB8:0::0007"));
  EXPECT_FALSE(is_in("2001:db8::7", "2001:db8::8"));
}

TEST(AddressRange, has_the_addresses_that_share_its_first_bits) {
  EXPECT_TRUE(is_in("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(is_in("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(is_in("192.0.2.128/25", "192.0.2.128"));
  EXPECT_TRUE(is_in("192.0.2.128/25", "192.0.2.255"));
  EXPECT_FALSE(is_in("192.0.2.128/25", "192.0.2.127"));
  EXPECT_TRUE(is_in("fd00::/8", "fdff::1"));
  EXPECT_FALSE(is_in("fd00::/8", "fe00::1"));
  EXPECT_TRUE(is_in("192.0.2.7/32", "192.0.2.7"));
  EXPECT_FALSE(is_in("192.0.2.7/32", "192.0.2.6"));
}

TEST(AddressRange, takes_an_ipv4_address_for_the_same_as_its_mapped_one) {
  EXPECT_TRUE(is_in("10.0.0.0/8", "::ffff:10.1.2.3"));
  EXPECT_TRUE(is_in("::ffff:10.0.0.0/104", "10.1.2.3"));
  EXPECT_FALSE(is_in("10.0.0.0/8", "::10.1.2.3"));
  EXPECT_FALSE(is_in("fd00::/8", "10.1.2.3"));
}

TEST(AddressRange, ignores_the_zone_of_an_address) {
  EXPECT_TRUE(is_in("fe80::/10", "fe80::1%eth0"));
}

TEST(AddressRange, is_not_made_of_anything_else) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {""sv,
                                      "localhost"sv,
                                      "proxy.example.org"sv,
                                      "10.0.0"sv,
                                      "10.0.0.0.0"sv,
                                      "10.0.0.256"sv,
                                      "010.0.0.1"sv,
                                      "10.0.0.0/"sv,
                                      "10.0.0.0/33"sv,
                                      "10.0.0.0/-1"sv,
                                      "10.0.0.0/08"sv,
                                      "10.0.0.0/8 "sv,
                                      " 10.0.0.1"sv,
                                      "10.0.0.1/8"sv,
                                      "fd00::/129"sv,
                                      "fd00::1/8"sv,
                                      "::g"sv,
                                      "10.0.0.1\0"sv,
                                      "10.0.0.0/8/8"sv,
                                      "[::1]"sv,
                                      "0x7f.1"sv,
                                      "127.1"sv}) {
    EXPECT_FALSE(AddressRange::parse(text)) << text;
  }
}

TEST(AddressRange, contains_nothing_that_is_no_address) {
  for (const char* const text : {"", "localhost", "unix", "10.0.0", "%"}) {
    EXPECT_FALSE(is_in("0.0.0.0/0", text)) << text;
  }
}

TEST(AddressRange, knows_when_it_has_every_address) {
  EXPECT_TRUE(AddressRange::parse("0.0.0.0/0")->is_everything());
  EXPECT_TRUE(AddressRange::parse("::/0")->is_everything());
  EXPECT_TRUE(AddressRange::parse("::/1")->is_everything());
  EXPECT_FALSE(AddressRange::parse("0.0.0.0/1")->is_everything());
  EXPECT_FALSE(AddressRange::parse("8000::/1")->is_everything());
}

TEST(Loopback, is_127_and_one_address_of_ipv6) {
  for (const char* const yes : {"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback(yes)) << yes;
  }
  for (const char* const no : {"128.0.0.1", "0.0.0.0", "::", "::2", "localhost", "127.1", ""}) {
    EXPECT_FALSE(is_loopback(no)) << no;
  }
}

TEST(UsualAddress, is_the_same_for_every_way_of_writing_one) {
  EXPECT_EQ(usual_address("::ffff:192.0.2.7"), "192.0.2.7");
  EXPECT_EQ(usual_address("2001:0DB8:0:0::7"), "2001:db8::7");
  EXPECT_EQ(usual_address("fe80::1%eth0"), "fe80::1");
  EXPECT_EQ(usual_address("nobody"), std::nullopt);
}

TEST(HostPort, is_a_name_or_an_address_with_or_without_a_port) {
  EXPECT_EQ(parse_host_port("Pawl.Example.ORG:8080"), (HostPort{"pawl.example.org", 8080}));
  EXPECT_EQ(parse_host_port("localhost"), (HostPort{"localhost", std::nullopt}));
  EXPECT_EQ(parse_host_port("127.0.0.1:0"), (HostPort{"127.0.0.1", 0}));
  EXPECT_EQ(parse_host_port("[::1]:7878"), (HostPort{"::1", 7878}));
  EXPECT_EQ(parse_host_port("[2001:DB8:0::1]"), (HostPort{"2001:db8::1", std::nullopt}));
}

TEST(HostPort, is_nothing_else) {
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {""sv,           ":80"sv,     "a:"sv,  "a:b"sv,  "a:65536"sv, "a:-1"sv, "a:+1"sv,
        "a:000080"sv,   "a:80:80"sv, "::1"sv, "[::1"sv, "[::1]80"sv, "[]"sv,   "[127.0.0.1]"sv,
        "[::1%eth0]"sv, "a b"sv,     "a/b"sv, "a@b"sv,  "a\tb"sv,    "a\0b"sv, "a,b"sv,
        "ä.example"sv,  ".a"sv,      "a?b"sv, "a#b"sv,  "a\\b"sv}) {
    EXPECT_FALSE(parse_host_port(text)) << text;
  }
  EXPECT_FALSE(parse_host_port(std::string(254, 'a')));
}

TEST(WebAddress, has_a_port_and_no_slash_at_the_end) {
  const auto address = parse_web_address("https://Pawl.example.org/flows/a/");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->port, 443);
  EXPECT_EQ(address->prefix, "/flows/a");
  EXPECT_EQ(text_of(*address), "https://pawl.example.org/flows/a");
  EXPECT_EQ(text_of(*parse_web_address("http://[::1]:80/")), "http://[::1]");
  EXPECT_EQ(text_of(*parse_web_address("http://pawl:8080")), "http://pawl:8080");
}

TEST(WebAddress, is_nothing_that_a_service_cannot_be_at) {
  for (const char* const text : {"",
                                 "pawl.example.org",
                                 "ftp://a",
                                 "https://",
                                 "https:///a",
                                 "HTTPS://a",
                                 "https://a?b",
                                 "https://a#b",
                                 "https://u@a",
                                 "https://u:p@a",
                                 "https://a:0",
                                 "https://a:port",
                                 "https://a/..",
                                 "https://a/../b",
                                 "https://a/./b",
                                 "https://a//b",
                                 "https://a/%2e",
                                 "https://a/b c",
                                 "https://a/b\"",
                                 " https://a",
                                 "https://a ",
                                 "null"}) {
    EXPECT_FALSE(parse_web_address(text)) << text;
  }
}

TEST(WebAddress, has_an_origin_of_scheme_host_and_port) {
  const auto site = parse_web_address("https://a.example/flows");
  for (const char* const same : {"https://a.example", "https://A.EXAMPLE:443/other"}) {
    EXPECT_TRUE(parse_web_address(same)->has_origin_of(*site)) << same;
  }
  for (const char* const other :
       {"http://a.example", "https://a.example:444", "https://b.example"}) {
    EXPECT_FALSE(parse_web_address(other)->has_origin_of(*site)) << other;
  }
}

std::vector<std::string> hops_of(const std::vector<std::pair<std::string, std::string>>& headers) {
  Request request;
  for (const auto& [name, value] : headers) request.headers.add(name, value);
  return forwarded_addresses(request);
}

TEST(ForwardedAddresses, are_those_of_every_field_in_order) {
  using Hops = std::vector<std::string>;
  EXPECT_EQ(hops_of({}), Hops{});
  EXPECT_EQ(hops_of({{"X-Forwarded-For", "192.0.2.1, 10.0.0.1"}, {"x-forwarded-for", "10.0.0.2"}}),
            (Hops{"192.0.2.1", "10.0.0.1", "10.0.0.2"}));
  EXPECT_EQ(hops_of({{"X-Forwarded-For", "192.0.2.1:4711,[2001:DB8::7]:80,\t2001:db8::8"}}),
            (Hops{"192.0.2.1", "2001:db8::7", "2001:db8::8"}));
  EXPECT_EQ(
      hops_of({{"Forwarded", "For=\"[2001:db8::7]:4711\";proto=https, proto=http;for=192.0.2.1"}}),
      (Hops{"2001:db8::7", "192.0.2.1"}));
}

TEST(ForwardedAddresses, are_read_from_one_kind_of_field) {
  EXPECT_EQ(hops_of({{"Forwarded", "for=192.0.2.66"}, {"X-Forwarded-For", "192.0.2.1"}}),
            std::vector<std::string>{"192.0.2.1"});
}

TEST(ForwardedAddresses, are_empty_where_no_address_is) {
  EXPECT_EQ(hops_of({{"X-Forwarded-For", "unknown, ,192.0.2.1\r, <b>"}}),
            (std::vector<std::string>{"", "", "", ""}));
  EXPECT_EQ(hops_of({{"Forwarded", "for=_hidden;by=10.0.0.1,for,=,"}}),
            (std::vector<std::string>{"", "", "", ""}));
}

}  // namespace
}  // namespace pawl::service
