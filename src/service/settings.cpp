#include "service/settings.hpp"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "service/access/web_address.hpp"
#include "workflow/faults.hpp"
#include "workflow/map_reader.hpp"
#include "workflow/value_reader.hpp"
#include "workflow/yaml.hpp"

namespace pawl::service {

using namespace workflow;
namespace fs = std::filesystem;

namespace {

constexpr std::array<KnownKey, 7> file_keys{{{"listen"},
                                             {"public_url"},
                                             {"workflows"},
                                             {"sign_in"},
                                             {"session_time"},
                                             {"proxy"},
                                             {"limits"}}};
constexpr std::array<KnownKey, 2> proxy_keys{{{"trusted"}, {"user_header"}}};
constexpr std::array<KnownKey, 4> limits_keys{
    {{"connections"}, {"connections_per_address"}, {"request_threads"}, {"head"}}};

/// Whether there is nothing but comments.
bool is_blank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t first = line.find_first_not_of(" \r");
    if (first != std::string_view::npos && line[first] != '#') return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

/// An IP address with a port.
std::optional<HostPort> parse_listen(std::string_view text) {
  std::optional<HostPort> where = parse_host_port(text);
  if (!where || !where->port || !usual_address(where->host)) return std::nullopt;
  return where;
}

std::optional<std::string> read_listen(Faults& faults, const Value& value) {
  auto text = read_text(faults, value);
  if (!text || parse_listen(*text)) return text;
  faults.add("E101", value.node.place, value.what + " is not an address: " + in_quotes(*text),
             "write an IP address and a port: 127.0.0.1:7878, or \"[::1]:7878\"");
  return std::nullopt;
}

std::optional<std::string> read_public_url(Faults& faults, const Value& value) {
  const auto text = read_text(faults, value);
  if (!text) return std::nullopt;
  if (const auto address = parse_web_address(*text)) return text_of(*address);
  faults.add("E102", value.node.place,
             value.what + " is not the address of a web site: " + in_quotes(*text),
             "write http:// or https://, a host, and if need be a port and a path: "
             "https://pawl.example.org/flows");
  return std::nullopt;
}

std::optional<std::vector<fs::path>> read_directories(Faults& faults, const Value& value,
                                                      const fs::path& project) {
  std::vector<fs::path> directories;
  for (const PlacedText& one : read_texts(faults, value)) {
    directories.push_back((project / one.text).lexically_normal());
    std::error_code error;
    if (!fs::is_directory(directories.back(), error)) {
      faults.warn("W101", one.place, "there is no directory " + in_quotes(one.text),
                  "a relative path begins at the project, the directory that contains .pawl");
    }
  }
  return directories;
}

std::optional<SignInRule> read_sign_in(Faults& faults, const Value& value) {
  const auto word = read_word(faults, value, {"required", "none"});
  if (!word) return std::nullopt;
  return *word == "none" ? SignInRule::none : SignInRule::required;
}

std::optional<Duration> read_session_time(Faults& faults, const Value& value) {
  const auto time = read_duration(faults, value);
  if (!time || (*time >= session_time_min && *time <= session_time_max)) return time;
  faults.add("E023", value.node.place, value.what + " cannot be " + in_quotes(value.node.text),
             "use at least 1m and at most 365d");
  return std::nullopt;
}

/// Whether the list names any proxy, be it well or not.
bool read_ranges(Faults& faults, const Value& value, std::vector<AddressRange>& ranges) {
  const std::size_t before = faults.error_count();
  for (const PlacedText& one : read_texts(faults, value)) {
    const std::optional<AddressRange> range = AddressRange::parse(one.text);
    if (!range) {
      faults.add("E103", one.place, in_quotes(one.text) + " is not a range of IP addresses",
                 "write an address such as 192.0.2.7, or a range whose other bits are zero, such "
                 "as 10.0.0.0/8");
    } else if (range->is_everything()) {
      faults.add("E103", one.place, in_quotes(one.text) + " would trust everybody",
                 "name the addresses of the proxies");
    } else {
      ranges.push_back(*range);
    }
  }
  return !ranges.empty() || faults.error_count() > before;
}

/// Fields that a proxy cannot use for the name of a person.
bool has_its_own_meaning(std::string_view field) {
  constexpr std::array<std::string_view, 12> names{"Host",          "Cookie",
                                                   "Authorization", "Origin",
                                                   "Forwarded",     "X-Forwarded-For",
                                                   "Connection",    "Upgrade",
                                                   "Keep-Alive",    "Transfer-Encoding",
                                                   "Accept",        "Proxy-Authorization"};
  constexpr std::array<std::string_view, 2> beginnings{"Sec-", "Content-"};
  return std::ranges::any_of(names, [&](auto name) { return is_same_name(name, field); }) ||
         std::ranges::any_of(beginnings, [&](auto beginning) {
           return is_same_name(beginning, field.substr(0, beginning.size()));
         });
}

std::optional<std::string> read_header_name(Faults& faults, const Value& value) {
  auto text = read_text(faults, value);
  if (!text) return std::nullopt;
  constexpr std::size_t length_max = 64;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (text->size() > length_max || !std::ranges::all_of(*text, is_allowed)) {
    faults.add("E104", value.node.place,
               value.what + " is not the name of a header field: " + in_quotes(*text),
               "use letters, digits and -, such as X-Forwarded-User");
    return std::nullopt;
  }
  if (has_its_own_meaning(*text)) {
    faults.add("E104", value.node.place, "the field " + in_quotes(*text) + " has another meaning",
               "use a field of its own, such as X-Forwarded-User");
    return std::nullopt;
  }
  return text;
}

void read_proxy(Faults& faults, const Value& value, ProxySettings& proxy) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, proxy_keys, value.what);
  bool names_proxies = false;
  if (const auto trusted = reader.find("trusted")) {
    names_proxies = read_ranges(faults, *trusted, proxy.trusted);
  }
  if (const auto name = reader.with("user_header", read_header_name)) proxy.user_header = *name;
  const YamlMember* const header = reader.member("user_header");
  if (header != nullptr && !names_proxies) {
    faults.add("E105", header->key_place, "\"user_header\" without trusted proxies",
               "list the addresses of the proxies: trusted: [127.0.0.1]");
  }
}

/// An optional number replaces the default.
template <class Number>
void read_limit(const MapReader& reader, std::string_view key, std::int64_t least,
                std::int64_t most, Number& limit) {
  if (const auto number = reader.with(key, read_integer, least, most)) {
    limit = static_cast<Number>(*number);
  }
}

void read_limits(Faults& faults, const Value& value, ServerLimits& limits) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, limits_keys, value.what);
  read_limit(reader, "connections", 1, 1'000'000, limits.connections_max);
  read_limit(reader, "connections_per_address", 1, 1'000'000, limits.connections_per_address_max);
  read_limit(reader, "request_threads", 1, 256, limits.request_threads);
  read_limit(reader, "head", 1'024, std::int64_t{1} << 20U, limits.head_max);
}

/// Why everybody could come in; empty: they cannot.
std::string opening_of(const Settings& settings, const HostPort& listen) {
  if (settings.sign_in != SignInRule::none) return {};
  if (!is_loopback_host(listen.host)) {
    return "`sign_in: none` on " + settings.listen +
           " would let everybody on the network do everything";
  }
  const auto site = parse_web_address(settings.public_url);
  if (site && !is_loopback_host(site->host)) {
    return "`sign_in: none` at " + settings.public_url +
           " would let everybody who can reach it do everything";
  }
  if (!settings.proxy.trusted.empty()) {
    return "`sign_in: none` behind a proxy would let everybody who can reach it do everything";
  }
  return {};
}

/// Faults that no single value has.
void check_together(Faults& faults, const MapReader& reader, const Settings& settings) {
  if (faults.has_errors()) return;
  if (const Status safe = check_safe(settings); !safe) {
    faults.add("E106", reader.find("sign_in")->node.place, safe.error().message, safe.error().help);
  }
  const auto listen = parse_listen(settings.listen);
  if (!is_loopback_host(listen->host) && settings.public_url.empty()) {
    faults.warn("W102", reader.find("listen")->node.place,
                "other machines can connect, but every request of theirs is refused",
                "set public_url to the address that they use");
  }
}

Settings read_map(Faults& faults, const YamlNode& root, const fs::path& project) {
  Settings settings;
  const Value file{root, "the file"};
  if (!expect_map(faults, file, "write the settings as `key: value`")) return settings;
  const MapReader reader(faults, root, file_keys, file.what);
  if (const auto listen = reader.with("listen", read_listen)) settings.listen = *listen;
  if (const auto url = reader.with("public_url", read_public_url)) settings.public_url = *url;
  if (const auto found = reader.with("workflows", read_directories, project)) {
    settings.workflows = *found;
  }
  if (const auto rule = reader.with("sign_in", read_sign_in)) settings.sign_in = *rule;
  if (const auto time = reader.with("session_time", read_session_time)) {
    settings.session_time = *time;
  }
  if (const auto proxy = reader.find("proxy")) read_proxy(faults, *proxy, settings.proxy);
  if (const auto limits = reader.find("limits")) read_limits(faults, *limits, settings.limits);
  check_together(faults, reader, settings);
  return settings;
}

}  // namespace

std::expected<Settings, std::vector<Diagnostic>> read_settings(std::string_view text,
                                                               const std::string& name,
                                                               const fs::path& project) {
  if (is_blank(text)) return Settings{};
  const auto root = parse_yaml(text, name);
  if (!root) return std::unexpected(root.error());
  Faults faults(name);
  Settings settings = read_map(faults, *root, project);
  if (faults.has_errors()) return std::unexpected(faults.errors());
  settings.warnings = faults.warnings();
  return settings;
}

Status check_safe(const Settings& settings) {
  const std::optional<HostPort> listen = parse_listen(settings.listen);
  if (!listen) {
    return fail(ErrorCode::invalid, "not an address to listen on: '" + settings.listen + "'",
                "pass an IP address and a port, such as 127.0.0.1:7878 or [::1]:7878");
  }
  const std::string opening = opening_of(settings, *listen);
  if (opening.empty()) return {};
  return fail(ErrorCode::refused, opening,
              "set `sign_in: required`, or listen on 127.0.0.1 without a proxy in front");
}

}  // namespace pawl::service
