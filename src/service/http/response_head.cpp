#include "service/http/response_head.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "service/http/field_text.hpp"

namespace pawl::service {
namespace {

constexpr std::array<std::string_view, 7> own_fields{
    "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
    "Trailer",        "Upgrade",           "Date"};

bool is_own_field(std::string_view name) {
  return std::ranges::any_of(own_fields,
                             [&](std::string_view own) { return is_same_name(own, name); });
}

unsigned status_of(const Response& response) {
  return response.status >= 200 && response.status <= 599 ? response.status : 500;
}

/// RFC 9110 forbids these to have a body.
bool has_no_body(unsigned status) { return status == 204 || status == 304; }

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text += name;
  text += ": ";
  for (const char c : value) text += is_control(c) ? ' ' : c;
  text += "\r\n";
}

void append_number(std::string& text, int number, int width) {
  const std::string digits = std::to_string(number);
  text.append(static_cast<std::size_t>(std::max(0, width - static_cast<int>(digits.size()))), '0');
  text += digits;
}

}  // namespace

Framing framing_of(const Response& response, const ResponseForm& form) {
  if (form.answers_head || has_no_body(status_of(response))) return Framing::none;
  if (!response.stream) return Framing::length;
  return form.is_http_1_0 ? Framing::close : Framing::chunked;
}

std::string response_head(const Response& response, const ResponseForm& form,
                          std::string_view date) {
  const unsigned status = status_of(response);
  std::string text = "HTTP/1.1 ";
  append_number(text, static_cast<int>(status), 3);
  text += ' ';
  text += reason_of(status);
  text += "\r\n";
  append_field(text, "Date", date);
  for (const auto& [name, value] : response.headers.all()) {
    if (is_token(name) && !is_own_field(name)) append_field(text, name, value);
  }
  if (!has_no_body(status)) {
    // The response to HEAD has the fields that the response to GET would have.
    if (!response.stream) {
      append_field(text, "Content-Length", std::to_string(response.body.size()));
    } else if (!form.is_http_1_0) {
      append_field(text, "Transfer-Encoding", "chunked");
    }
  }
  if (!form.keeps_open) append_field(text, "Connection", "close");
  text += "\r\n";
  return text;
}

std::string chunk_of(std::string_view bytes) {
  std::string chunk;
  if (bytes.empty()) return chunk;
  std::array<char, 16> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), bytes.size(), 16).ptr;
  chunk.reserve(bytes.size() + 20);
  chunk.append(digits.data(), end);
  chunk += "\r\n";
  chunk += bytes;
  chunk += "\r\n";
  return chunk;
}

std::string http_date(std::chrono::system_clock::time_point at) {
  using namespace std::chrono;
  // Not strftime, whose names of days depend on the locale.
  constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                    "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = floor<std::chrono::days>(at);
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(at - day));
  std::string text(days.at(weekday(day).c_encoding()));
  text += ", ";
  append_number(text, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  text += ' ';
  text += months.at(static_cast<unsigned>(date.month()) - 1);
  text += ' ';
  append_number(text, static_cast<int>(date.year()), 4);
  text += ' ';
  append_number(text, static_cast<int>(time.hours().count()), 2);
  text += ':';
  append_number(text, static_cast<int>(time.minutes().count()), 2);
  text += ':';
  append_number(text, static_cast<int>(time.seconds().count()), 2);
  text += " GMT";
  return text;
}

}  // namespace pawl::service
