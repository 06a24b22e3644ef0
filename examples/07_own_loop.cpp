/// The engine inside a host program's own event loop.
///
/// Shows: no `start()`. The host waits in epoll on its own descriptors and on the engine's
/// `wake_fd()`, no longer than until `next_wake()`, and then calls `poll()`. Handlers run on the
/// engine's pool threads, so a slow one holds up neither the loop nor its neighbours; events are
/// told from `poll()`, on the loop's thread.
///
/// Run it: 07_own_loop [STORE]      (without STORE: in a temporary folder)

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lesson.hpp"
#include "pawl/pawl.hpp"

namespace {

using lesson::must;
using lesson::promise;
using namespace std::chrono_literals;

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) { promise(fd >= 0, "the system gives a descriptor"); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(fd_); }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

/// Takes its time, and ends early when asked to.
pawl::Outcome develop(pawl::Context& context, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, 40ms, [] { return false; });
  if (context.attempt() == 1 && context.item_key() == "photo-3") {
    return pawl::retryable("underexposed");
  }
  return pawl::Output{.summary = context.item_key() + " developed"};
}

/// How long epoll may wait: until the engine has something due, for ever if nothing is.
int timeout_ms(const pawl::Engine& engine, pawl::Timestamp now) {
  const pawl::Timestamp due = engine.next_wake();
  if (due == pawl::no_time) return -1;
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(due - now).count();
  return static_cast<int>(std::clamp<long long>(wait, 0, 60'000));
}

void own_loop(const std::filesystem::path& path) {
  pawl::WorkflowBuilder build("darkroom");
  build.stage("develop", develop).retry({.max_attempts = 2, .backoff = {.initial = 50ms}});
  const pawl::Program darkroom = must(build.build());

  const auto store = must(pawl::open_sqlite_store({.path = path}));
  const auto engine = must(pawl::Engine::create(store, {.threads = 2}));
  engine->serve(darkroom);
  const pawl::JobId job = must(engine->submit(
      darkroom.workflow(), {{.key = "photo-1"}, {.key = "photo-2"}, {.key = "photo-3"}}));

  // Events come in order, from `poll()`, on this thread: no lock is needed for what they touch.
  const std::thread::id loop_thread = std::this_thread::get_id();
  bool finished = false;
  bool on_loop_thread = true;
  int told = 0;
  const pawl::Subscription events = engine->subscribe(0, [&](const pawl::Event& event) {
    if (event.job != job) return;
    on_loop_thread = on_loop_thread && std::this_thread::get_id() == loop_thread;
    ++told;
    if (event.type == pawl::EventType::task_succeeded) {
      std::printf("engine: photo done at attempt %u\n", event.attempt);
    }
    if (event.type == pawl::EventType::retry_scheduled) std::printf("engine: retry scheduled\n");
    if (event.type == pawl::EventType::job_finished) finished = true;
  });

  // The host's own descriptor, as if it were a socket: a timer that ticks every 25 ms.
  const Descriptor ticker(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  const itimerspec every{.it_interval = {.tv_sec = 0, .tv_nsec = 25'000'000},
                         .it_value = {.tv_sec = 0, .tv_nsec = 25'000'000}};
  ::timerfd_settime(ticker.get(), 0, &every, nullptr);

  const Descriptor epoll(::epoll_create1(EPOLL_CLOEXEC));
  for (const int fd : {ticker.get(), engine->wake_fd()}) {
    epoll_event interest{.events = EPOLLIN, .data = {.fd = fd}};
    promise(::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &interest) == 0, "epoll takes the fd");
  }

  // The loop. It never blocks but in epoll_wait.
  int turns = 0;
  int ticks = 0;
  while (!finished && turns < 10'000) {
    ++turns;
    while (engine->poll()) {
    }
    if (finished) break;
    std::array<epoll_event, 8> ready{};
    const int count = ::epoll_wait(epoll.get(), ready.data(), static_cast<int>(ready.size()),
                                   timeout_ms(*engine, store->now()));
    for (int i = 0; i < count; ++i) {
      if (ready[static_cast<std::size_t>(i)].data.fd != ticker.get()) continue;
      std::uint64_t expired = 0;
      if (::read(ticker.get(), &expired, sizeof expired) > 0) {
        ticks += static_cast<int>(expired);
        std::printf("host:   tick %d\n", ticks);
      }
    }
  }
  engine->stop();

  const pawl::Job done = must(store->records().job(job));
  std::printf("\n%lld photos developed in %lld attempts; %d turns of the loop, %d ticks served\n",
              static_cast<long long>(done.items.succeeded),
              static_cast<long long>(done.attempts_opened), turns, ticks);
  promise(pawl::state_of(done) == pawl::JobState::completed, "the job is completed");
  promise(done.attempts_opened == 4, "one photo took two attempts");
  promise(told > 0 && on_loop_thread, "events were told on the loop's thread");
  promise(ticks > 0, "the host's own timer was served meanwhile");
  promise(turns < 1'000, "the loop did not spin");
}

}  // namespace

int main(int argc, char** argv) { return lesson::run(argc, argv, own_loop); }
