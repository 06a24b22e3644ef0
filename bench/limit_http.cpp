#include "bench/limit_http.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <map>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "bench/descriptor.hpp"
#include "bench/measure.hpp"

namespace pawl::bench {

namespace {

/// A connection, and how much of the end of a head has arrived last.
struct Client {
  Descriptor connection;
  std::size_t matched = 0;
};

/// How many heads end in these bytes.
int heads_in(std::string_view bytes, std::size_t& matched) {
  constexpr std::string_view end_of_head = "\r\n\r\n";
  int heads = 0;
  for (const char c : bytes) {
    matched = c == end_of_head[matched] ? matched + 1 : (c == '\r' ? 1 : 0);
    if (matched < end_of_head.size()) continue;
    matched = 0;
    ++heads;
  }
  return heads;
}

/// One loop over all connections.
class Loop {
 public:
  Loop(const Descriptor& listener, std::size_t bytes)
      : listener_(listener),
        answer_("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
                std::to_string(bytes) + "\r\n\r\n" + std::string(bytes, 'x')),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    watch(listener.raw());
  }

  void turn() {
    std::array<epoll_event, 64> ready;
    const int count = ::epoll_wait(epoll_.raw(), ready.data(), static_cast<int>(ready.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int descriptor = ready[static_cast<std::size_t>(i)].data.fd;
      if (descriptor == listener_.raw()) {
        accept();
      } else if (!answer(descriptor, clients_[descriptor])) {
        clients_.erase(descriptor);
      }
    }
  }

 private:
  void watch(int descriptor) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
    ::epoll_ctl(epoll_.raw(), EPOLL_CTL_ADD, descriptor, &event);
  }

  void accept() {
    const int accepted = ::accept4(listener_.raw(), nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0) return;
    const int on = 1;
    ::setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    clients_[accepted].connection = Descriptor(accepted);
    watch(accepted);
  }

  /// False when the client is gone.
  bool answer(int descriptor, Client& client) {
    std::array<char, 16'384> buffer;
    const ssize_t arrived = ::recv(descriptor, buffer.data(), buffer.size(), 0);
    if (arrived <= 0) return false;
    const std::string_view text(buffer.data(), static_cast<std::size_t>(arrived));
    for (int heads = heads_in(text, client.matched); heads > 0; --heads) {
      std::string_view left = answer_;
      while (!left.empty()) {
        const ssize_t sent = ::send(descriptor, left.data(), left.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        left.remove_prefix(static_cast<std::size_t>(sent));
      }
    }
    return true;
  }

  const Descriptor& listener_;
  const std::string answer_;
  const Descriptor epoll_;
  std::map<int, Client> clients_;
};

}  // namespace

LimitHttp::LimitHttp(std::size_t bytes) {
  const Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof where;
  auto* const address = reinterpret_cast<sockaddr*>(&where);
  if (::bind(listener.raw(), address, size) != 0 || ::listen(listener.raw(), SOMAXCONN) != 0 ||
      ::getsockname(listener.raw(), address, &size) != 0) {
    give_up("the limit of W7 cannot listen");
  }
  address_ = "127.0.0.1:" + std::to_string(ntohs(where.sin_port));
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ < 0) give_up("no child process");
  if (process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Loop loop(listener, bytes);
    for (;;) loop.turn();
  }
}

LimitHttp::~LimitHttp() {
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

}  // namespace pawl::bench
