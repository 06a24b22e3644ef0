#include "postgres/listener.hpp"

#include <algorithm>
#include <chrono>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "pawl/core/result.hpp"
#include "postgres/sessions.hpp"

namespace pawl::postgres {

namespace {

using Steady = std::chrono::steady_clock;

constexpr char select_newest[] = "SELECT value FROM counters WHERE name = 'journal'";
constexpr auto tell_every = std::chrono::milliseconds(20);
constexpr auto first_pause = std::chrono::milliseconds(100);
constexpr auto longest_pause = std::chrono::milliseconds(5'000);

}  // namespace

std::string channel_of(const Address& address) { return "pawl_" + address.schema; }

Listener::Listener(Dialer& dialer, Duration look_every, ServerClock& clock)
    : dialer_(dialer),
      look_every_(look_every),
      clock_(clock),
      channel_(channel_of(dialer.address())),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  require(wake_ >= 0, "an eventfd can be created");
}

Listener::~Listener() {
  if (thread_.joinable()) {
    thread_.request_stop();
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
    thread_.join();
  }
  ::close(wake_);
}

std::uint64_t Listener::mark() {
  if (!is_running_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(mutex_);
    if (!thread_.joinable()) {
      thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
      is_running_ = true;
    }
  }
  return mark_;
}

bool Listener::tell() {
  if (!is_running_) return false;
  if (!has_news_.exchange(true)) {
    const std::uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
  }
  return true;
}

/// Reconnects whenever the connection breaks, after a pause that grows.
void Listener::run(const std::stop_token& stop) {
  auto pause = first_pause;
  while (!stop.stop_requested()) {
    const auto began = Steady::now();
    try {
      listen(stop);
    } catch (const DbError&) {
      // The writer reports what is wrong; the listener only retries.
    }
    if (stop.stop_requested()) return;
    // Notifications may have been missed.
    ++mark_;
    if (Steady::now() - began > longest_pause) pause = first_pause;
    wait(-1, pause);
    pause = std::min(pause * 2, longest_pause);
  }
}

void Listener::listen(const std::stop_token& stop) {
  const Address& address = dialer_.address();
  const std::unique_ptr<Connection> own =
      dialer_.connect("pawl listener " + address.schema,
                      reader_set_up(address) + "; LISTEN " + quoted_name(channel_));
  Connection& connection = *own;
  look(connection);
  auto next_look = Steady::now() + look_every_;
  auto may_tell_at = Steady::now();
  while (!stop.stop_requested()) {
    const auto now = Steady::now();
    if (has_news_ && now >= may_tell_at) {
      has_news_ = false;
      (void)connection.ask(notify_channel, Parameters::of(channel_));
      may_tell_at = now + tell_every;
    }
    if (now >= next_look) {
      look(connection);
      next_look = now + look_every_;
    }
    if (take_notifications(connection)) ++mark_;
    auto until = next_look;
    if (has_news_) until = std::min(until, may_tell_at);
    wait(connection.socket(), as_duration(std::max(until - Steady::now(), Steady::duration(0))));
    if (PQconsumeInput(connection.raw()) == 0) return;
  }
}

/// Our own notifications come back too and are ignored.
bool Listener::take_notifications(Connection& connection) {
  bool is_news = false;
  while (PGnotify* const one = PQnotifies(connection.raw())) {
    is_news |= one->be_pid != connection.backend();
    PQfreemem(one);
  }
  return is_news;
}

void Listener::look(Connection& connection) {
  clock_.read(connection, 1);
  const Reply newest = connection.ask(select_newest);
  const std::int64_t row = newest.rows() == 0 ? 0 : newest.integer(0, 0);
  if (std::exchange(seen_row_, row) != row) ++mark_;
}

void Listener::wait(int socket, Duration at_most) {
  pollfd waits[] = {{.fd = wake_, .events = POLLIN, .revents = 0},
                    {.fd = socket, .events = POLLIN, .revents = 0}};
  // Rounded up, because a wait that ends a little early would only be started again.
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(at_most).count() + 1;
  (void)::poll(waits, 2, static_cast<int>(milliseconds));
  std::uint64_t ignored = 0;
  (void)!::read(wake_, &ignored, sizeof ignored);
}

}  // namespace pawl::postgres
