#include "bench/live_clients.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/http_client.hpp"
#include "bench/live_stream.hpp"
#include "bench/measure.hpp"

namespace pawl::bench {

namespace {

constexpr double patience_seconds = 30;
/// So many clients look at the times of events.
constexpr std::size_t clients_with_delays = 10;

void allow_descriptors(std::int64_t count) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  constexpr rlim_t others = 100;
  const auto wanted = static_cast<rlim_t>(count) + others;
  if (limit.rlim_cur >= wanted) return;
  if (limit.rlim_max < wanted) give_up("the clients of W7 need more open files than are allowed");
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The loop of the process.
class Loop {
 public:
  /// Asks for commands at `commands`: the number of the last event.
  Loop(std::int64_t count, int commands)
      : epoll_(::epoll_create1(EPOLL_CLOEXEC)), commands_(commands) {
    allow_descriptors(count);
    const auto size = static_cast<std::size_t>(count);
    connections_.resize(size);
    streams_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      streams_.emplace_back(i < clients_with_delays ? &delays_ : nullptr);
    }
    watch(commands, size);
  }

  void connect(const std::string& address, const std::string& request) {
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      connections_[i] = connection_to(address);
      send_all(connections_[i], request);
      ::fcntl(connections_[i].raw(), F_SETFL, O_NONBLOCK);
      watch(connections_[i].raw(), i);
    }
    const Stopwatch time;
    while (!std::ranges::all_of(streams_, &LiveStream::has_begun)) {
      turn();
      if (time.seconds() > patience_seconds) give_up("the daemon does not serve all clients");
    }
  }

  void run() {
    while (!last_) turn();
    const Stopwatch time;
    const auto is_done = [&](const LiveStream& stream) { return stream.last() >= *last_; };
    while (!std::ranges::all_of(streams_, is_done) && closed_ == 0 &&
           time.seconds() < patience_seconds) {
      turn();
    }
  }

  [[nodiscard]] LiveReport report() const {
    LiveReport report{.least = streams_.front().events(),
                      .closed = closed_,
                      .delay_p50_ms = quantile(delays_, 0.5),
                      .delay_p95_ms = quantile(delays_, 0.95),
                      .processor = processor_seconds()};
    for (const LiveStream& stream : streams_) {
      report.events += stream.events();
      report.least = std::min(report.least, stream.events());
      report.most = std::max(report.most, stream.events());
      report.complete += stream.last() == last_ ? 1 : 0;
      report.disordered += stream.disordered();
      report.notices += stream.notices();
      report.bytes += stream.bytes();
    }
    return report;
  }

 private:
  void watch(int descriptor, std::size_t number) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = number}};
    ::epoll_ctl(epoll_.raw(), EPOLL_CTL_ADD, descriptor, &event);
  }

  void turn() {
    std::array<epoll_event, 256> ready;
    constexpr int at_most_ms = 100;
    const int count =
        ::epoll_wait(epoll_.raw(), ready.data(), static_cast<int>(ready.size()), at_most_ms);
    for (int i = 0; i < count; ++i) {
      const std::size_t number = ready[static_cast<std::size_t>(i)].data.u64;
      number == connections_.size() ? read_command() : read_stream(number);
    }
  }

  void read_command() {
    EventSeq last = 0;
    // The benchmark is gone if it sends nothing.
    if (::read(commands_, &last, sizeof last) != sizeof last) std::_Exit(2);
    last_ = last;
  }

  void read_stream(std::size_t number) {
    const ssize_t count =
        ::recv(connections_[number].raw(), buffer_.data(), buffer_.size(), MSG_DONTWAIT);
    if (count > 0) {
      streams_[number].take({buffer_.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
      ++closed_;
      connections_[number].close();
    }
  }

  Descriptor epoll_;
  int commands_;
  std::vector<Descriptor> connections_;
  std::vector<LiveStream> streams_;
  std::vector<double> delays_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{256} << 10U);
  std::optional<EventSeq> last_;
  std::int64_t closed_ = 0;
};

[[noreturn]] void become_clients(const std::string& address, const std::string& request,
                                 std::int64_t count, int commands, int answers) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_DFL);
  Loop loop(count, commands);
  loop.connect(address, request);
  bool is_sent = ::write(answers, "r", 1) == 1;
  loop.run();
  const LiveReport report = loop.report();
  is_sent = is_sent && ::write(answers, &report, sizeof report) == sizeof report;
  std::_Exit(is_sent ? 0 : 2);
}

}  // namespace

LiveClients::LiveClients(const std::string& address, const std::string& cookie,
                         const std::string& target, std::int64_t count) {
  std::array<int, 2> to{};
  std::array<int, 2> from{};
  if (::pipe2(to.data(), O_CLOEXEC) != 0 || ::pipe2(from.data(), O_CLOEXEC) != 0) {
    give_up("no pipe");
  }
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ < 0) give_up("no child process");
  if (process_ == 0) {
    ::close(to[1]);
    ::close(from[0]);
    become_clients(address,
                   "GET " + target + " HTTP/1.1\r\nHost: " + address +
                       "\r\nAccept: text/event-stream\r\nCookie: " + cookie + "\r\n\r\n",
                   count, to[0], from[1]);
  }
  ::close(to[0]);
  ::close(from[1]);
  to_ = Descriptor(to[1]);
  from_ = Descriptor(from[0]);
  char word = 0;
  if (::read(from_.raw(), &word, 1) != 1) give_up("the clients of W7 are gone");
}

LiveClients::~LiveClients() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

LiveReport LiveClients::finish(EventSeq last) {
  LiveReport report;
  if (::write(to_.raw(), &last, sizeof last) != sizeof last ||
      ::read(from_.raw(), &report, sizeof report) != sizeof report) {
    give_up("the clients of W7 are gone");
  }
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
  return report;
}

void must_be_complete(const LiveReport& report, std::int64_t clients, std::int64_t events) {
  if (report.complete == clients && report.least == events && report.most == events &&
      report.disordered == 0 && report.notices == 0 && report.closed == 0) {
    return;
  }
  const auto text = [](std::int64_t count) { return std::to_string(count); };
  give_up(text(report.complete) + " of " + text(clients) +
          " clients saw the last event; each saw " + text(report.least) + " to " +
          text(report.most) + " of " + text(events) + " events, " + text(report.disordered) +
          " out of order; " + text(report.notices) + " notices, and the daemon ended " +
          text(report.closed) + " streams");
}

}  // namespace pawl::bench
