#include "service/http/request_head.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "service/http/field_text.hpp"

namespace pawl::service {
namespace {

using Fault = std::optional<Refusal>;

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t fields_max = 100;
/// Every number of so many digits fits into 64 bits.
constexpr std::size_t length_digits_max = 19;

Fault bad(std::string why) { return Refusal{.status = 400, .why = std::move(why)}; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The next line, without its end, which is taken away as well.
std::string_view take_line(std::string_view& bytes) {
  const std::size_t end = std::min(bytes.find(line_end), bytes.size());
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(std::min(end + line_end.size(), bytes.size()));
  return line;
}

Fault read_version(std::string_view version, RequestHead& head) {
  if (version.size() != 8 || !version.starts_with("HTTP/") || !is_digit(version[5]) ||
      version[6] != '.' || !is_digit(version[7])) {
    return bad("the request line is not `METHOD /path HTTP/1.1`");
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return Refusal{.status = 505, .why = "this server speaks HTTP/1.1"};
  }
  head.is_http_1_0 = version == "HTTP/1.0";
  return std::nullopt;
}

bool is_target_char(char c) { return c > ' ' && c < '\x7f' && c != '#'; }

/// The host and port of a target such as "http://host:80/path", which is left with its path. None
/// if it has another form.
std::optional<std::string> take_authority(std::string& target) {
  const std::size_t scheme_end = target.find("://");
  if (scheme_end == std::string::npos) return std::nullopt;
  const std::string_view scheme = std::string_view(target).substr(0, scheme_end);
  if (!is_same_name(scheme, "http") && !is_same_name(scheme, "https")) return std::nullopt;
  const std::size_t begin = scheme_end + 3;
  const std::size_t end = std::min(target.find_first_of("/?", begin), target.size());
  std::string authority = target.substr(begin, end - begin);
  target.erase(0, end);
  if (!target.starts_with('/')) target.insert(0, "/");
  return authority;
}

/// `authority` gets the host of an absolute target.
Fault read_request_line(std::string_view line, RequestHead& head,
                        std::optional<std::string>& authority) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == last) return bad("the request line is not `METHOD /path HTTP/1.1`");
  const std::string_view method = line.substr(0, first);
  std::string target(line.substr(first + 1, last - first - 1));
  if (Fault fault = read_version(line.substr(last + 1), head)) return fault;
  if (!is_token(method)) return bad("the method is malformed");
  if (target.empty() || !std::ranges::all_of(target, is_target_char)) {
    return bad("the target has a character that must be escaped");
  }
  if (!target.starts_with('/')) {
    authority = take_authority(target);
    if (!authority) return bad("the target must begin with /");
  }
  head.request.method = method;
  head.request.target = std::move(target);
  return std::nullopt;
}

Fault read_field(std::string_view line, Headers& headers) {
  if (line.starts_with(' ') || line.starts_with('\t')) {
    return bad("a header field goes on in the next line");
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return bad("a header field has no colon");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = without_blanks(line.substr(colon + 1));
  if (!is_token(name)) return bad("the name of a header field is malformed");
  if (!is_field_value(value)) return bad("a header field has a control character");
  headers.add(std::string(name), std::string(value));
  return std::nullopt;
}

Fault read_fields(std::string_view lines, Headers& headers) {
  for (;;) {
    const std::string_view line = take_line(lines);
    if (line.empty()) {
      return lines.empty() ? Fault() : bad("there is more after the end of the head");
    }
    if (headers.all().size() == fields_max) {
      return Refusal{.status = 431, .why = "the request has too many header fields"};
    }
    if (Fault fault = read_field(line, headers)) return fault;
  }
}

bool is_host_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '-' || c == '.' ||
         c == '_';
}

/// "host", "127.0.0.1:7878" or "[::1]:80". What other programs might take apart differently, such
/// as a user name or a comma, is not a host.
bool is_host(std::string_view text) {
  std::string_view name = text;
  std::string_view port;
  if (const std::size_t colon = text.rfind(':');
      colon != std::string_view::npos && !text.ends_with(']')) {
    name = text.substr(0, colon);
    port = text.substr(colon + 1);
    if (port.empty() || port.size() > 5 || !std::ranges::all_of(port, is_digit)) return false;
  }
  if (name.starts_with('[') && name.ends_with(']')) {
    name = name.substr(1, name.size() - 2);
    return !name.empty() && name.find_first_not_of("0123456789abcdefABCDEF:.") == name.npos;
  }
  return !name.empty() && std::ranges::all_of(name, is_host_char);
}

Fault check_host(const RequestHead& head, const std::optional<std::string>& authority) {
  const Headers& headers = head.request.headers;
  const std::size_t count = headers.count("Host");
  if (count > 1) return bad("the request has several Host fields");
  if (count == 0) {
    if (!head.is_http_1_0) return bad("the request has no Host field");
    return authority ? bad("the target has a host, but there is no Host field") : Fault();
  }
  const std::string_view host = *headers.find("Host");
  if (!is_host(host)) return bad("the Host field is malformed");
  if (authority && !is_same_name(*authority, host)) {
    return bad("the target has another host than the Host field");
  }
  return std::nullopt;
}

/// How long the body is. There must be only one way to find out.
Fault read_framing(RequestHead& head) {
  const Headers& headers = head.request.headers;
  const std::size_t codings = headers.count("Transfer-Encoding");
  const std::size_t lengths = headers.count("Content-Length");
  if (codings > 0) {
    if (codings > 1 || *headers.find("Transfer-Encoding") != "chunked") {
      return bad("the only Transfer-Encoding is `chunked`");
    }
    if (lengths > 0) return bad("the request has both Transfer-Encoding and Content-Length");
    if (head.is_http_1_0) return bad("HTTP/1.0 has no Transfer-Encoding");
    head.is_chunked = true;
    return std::nullopt;
  }
  if (lengths == 0) return std::nullopt;
  if (lengths > 1) return bad("the request has several Content-Length fields");
  const std::string_view digits = *headers.find("Content-Length");
  if (digits.empty() || digits.size() > length_digits_max ||
      !std::ranges::all_of(digits, is_digit)) {
    return bad("the Content-Length is not a number");
  }
  std::from_chars(digits.data(), digits.data() + digits.size(), head.length);
  return std::nullopt;
}

/// Whether a field that is a list, "close, TE", has the word.
bool lists(const Headers& headers, std::string_view name, std::string_view word) {
  for (const auto& [known, value] : headers.all()) {
    if (!is_same_name(known, name)) continue;
    std::string_view rest = value;
    while (!rest.empty()) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (is_same_name(without_blanks(rest.substr(0, comma)), word)) return true;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return false;
}

Fault read_expectation(RequestHead& head) {
  const Headers& headers = head.request.headers;
  const std::size_t count = headers.count("Expect");
  // HTTP/1.0 does not have the field; a proxy may have passed it on.
  if (count == 0 || head.is_http_1_0) return std::nullopt;
  if (count > 1 || !is_same_name(*headers.find("Expect"), "100-continue")) {
    return Refusal{.status = 417, .why = "the only expectation is `100-continue`"};
  }
  head.expects_continue = true;
  return std::nullopt;
}

Fault read_into(RequestHead& head, std::string_view bytes) {
  std::optional<std::string> authority;
  if (Fault fault = read_request_line(take_line(bytes), head, authority)) return fault;
  if (Fault fault = read_fields(bytes, head.request.headers)) return fault;
  if (Fault fault = check_host(head, authority)) return fault;
  if (Fault fault = read_framing(head)) return fault;
  head.keeps_open = !head.is_http_1_0 && !lists(head.request.headers, "Connection", "close");
  return read_expectation(head);
}

}  // namespace

HeadReading read_head(std::string_view bytes) {
  HeadReading reading;
  reading.refusal =
      bytes.ends_with("\r\n\r\n") ? read_into(reading.head, bytes) : bad("the head has no end");
  return reading;
}

std::size_t HeadScanner::scan(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    state_ = take(bytes[i]);
    if (state_ != State::more) return i + 1;
  }
  return bytes.size();
}

HeadScanner::State HeadScanner::take(char byte) {
  if (after_return_ != (byte == '\n')) return State::malformed;  // neither comes alone
  after_return_ = byte == '\r';
  if (after_return_) return State::more;
  if (byte != '\n') {
    ++line_length_;
    return is_control(byte) ? State::malformed : State::more;
  }
  const bool is_end = line_length_ == 0 && !is_first_line_;
  is_first_line_ = false;
  line_length_ = 0;
  return is_end ? State::complete : State::more;
}

}  // namespace pawl::service
