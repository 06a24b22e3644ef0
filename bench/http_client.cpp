#include "bench/http_client.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "bench/chunked_body.hpp"
#include "bench/measure.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::bench {

namespace {

/// The value of a field of a head; empty if it is missing.
std::string field_of(const std::string& head, std::string_view name) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  const std::string wanted = "\r\n" + std::string(name) + ":";
  const auto found = std::ranges::search(head, wanted, same);
  if (found.empty()) return "";
  const auto end = std::find(found.end(), head.end(), '\r');
  std::string value(found.end(), end);
  value.erase(0, value.find_first_not_of(' '));
  return value;
}

}  // namespace

Descriptor connection_to(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) give_up("'" + address + "' is not an address");
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<std::uint16_t>(std::atoi(address.c_str() + colon + 1)));
  if (::inet_pton(AF_INET, address.substr(0, colon).c_str(), &where.sin_addr) != 1) {
    give_up("'" + address + "' is not an address");
  }
  Descriptor connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::connect(connection.raw(), reinterpret_cast<const sockaddr*>(&where), sizeof where) != 0) {
    give_up("no connection to " + address);
  }
  const int on = 1;
  ::setsockopt(connection.raw(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return connection;
}

void send_all(const Descriptor& connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection.raw(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("a connection broke");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

HttpClient::HttpClient(std::string address)
    : address_(std::move(address)), connection_(connection_to(address_)) {
  fields_ = " HTTP/1.1\r\nHost: " + address_ + "\r\nSec-Fetch-Site: same-origin\r\n";
}

void HttpClient::use_cookie(const std::string& cookie) { fields_ += "Cookie: " + cookie + "\r\n"; }

HttpAnswer HttpClient::get(const std::string& target) {
  return send("GET " + target + fields_ + "\r\n", "");
}

HttpAnswer HttpClient::post(const std::string& target, const std::string& body) {
  return send("POST " + target + fields_ + "Content-Type: application/json\r\nContent-Length: " +
                  std::to_string(body.size()) + "\r\n\r\n",
              body);
}

Json HttpClient::document(const std::string& target) {
  const HttpAnswer answer = get(target);
  if (answer.status != 200) {
    give_up(target + " was answered with " + std::to_string(answer.status) + ": " + answer.body);
  }
  const Result<Json> document = parse_json(answer.body);
  if (!document) give_up(target + ": " + document.error().text());
  return *document;
}

HttpAnswer HttpClient::send(const std::string& head, const std::string& body) {
  const Stopwatch watch;
  send_all(connection_, head + body);
  HttpAnswer answer = read_answer();
  answer.milliseconds = watch.seconds() * 1e3;
  return answer;
}

HttpAnswer HttpClient::read_answer() {
  const std::string head = read_head();
  HttpAnswer answer;
  constexpr std::size_t before_status = std::string_view("HTTP/1.1 ").size();
  answer.status = std::atoi(head.c_str() + std::min(before_status, head.size()));
  const std::string cookie = field_of(head, "set-cookie");
  answer.cookie = cookie.substr(0, cookie.find(';'));
  if (field_of(head, "transfer-encoding") == "chunked") {
    ChunkedBody body;
    while (!body.is_complete()) {
      if (arrived_.empty()) read_some();
      arrived_.erase(0, body.take(arrived_, answer.body));
    }
  } else {
    const std::size_t length = std::strtoull(field_of(head, "content-length").c_str(), nullptr, 10);
    while (arrived_.size() < length) read_some();
    answer.body = arrived_.substr(0, length);
    arrived_.erase(0, length);
  }
  return answer;
}

std::string HttpClient::read_head() {
  constexpr std::string_view end_of_head = "\r\n\r\n";
  std::size_t end = arrived_.find(end_of_head);
  while (end == std::string::npos) {
    read_some();
    end = arrived_.find(end_of_head);
  }
  std::string head = arrived_.substr(0, end + 2);
  arrived_.erase(0, end + end_of_head.size());
  return head;
}

void HttpClient::read_some() {
  std::array<char, 65'536> bytes;
  const ssize_t count = ::recv(connection_.raw(), bytes.data(), bytes.size(), 0);
  if (count <= 0) give_up("the daemon closed a connection without an answer");
  arrived_.append(bytes.data(), static_cast<std::size_t>(count));
}

}  // namespace pawl::bench
