#include "service/http/server.hpp"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "runtime/mutex.hpp"
#include "service/http/admission.hpp"
#include "service/http/connections.hpp"
#include "service/http/listener.hpp"
#include "service/http/request_threads.hpp"
#include "service/http/sockets.hpp"

namespace pawl::service {
namespace {

namespace asio = boost::asio;

/// More than any caller means; a later time might not fit into the clock.
constexpr std::chrono::milliseconds patience_max = std::chrono::hours(24);

class HttpServer final : public Server {
 public:
  HttpServer(Handler& handler, const ServerLimits& limits, Exemption is_exempt)
      : limits_(limits), connections_(io_, handler, limits_, std::move(is_exempt), threads_) {}
  ~HttpServer() override { stop(std::chrono::milliseconds::zero()); }

  [[nodiscard]] Status listen(const std::string& address) {
    Result<std::unique_ptr<Listener>> listener = Listener::open(io_, address);
    if (!listener) return std::unexpected(std::move(listener.error()));
    listener_ = std::move(*listener);
    return {};
  }
  [[nodiscard]] std::string address() const override { return listener_->address(); }
  void start() override PAWL_EXCLUDES(mutex_);
  void stop(std::chrono::milliseconds patience) override PAWL_EXCLUDES(mutex_);
  [[nodiscard]] ServerFigures figures() const override {
    ServerFigures figures = connections_.figures();
    figures.accept_failures = listener_->failures();
    figures.faults = faults_ + threads_->faults();
    return figures;
  }

 private:
  enum class Phase : std::uint8_t { made, started, stopped };

  void run();

  const ServerLimits limits_;
  IoContext io_{1};  // the only thread that runs it
  asio::executor_work_guard<IoContext::executor_type> work_{io_.get_executor()};
  const std::shared_ptr<RequestThreads> threads_ = std::make_shared<RequestThreads>();
  Connections connections_;
  std::unique_ptr<Listener> listener_;
  std::thread io_thread_;
  std::atomic<std::int64_t> faults_ = 0;

  runtime::Mutex mutex_;
  Phase phase_ PAWL_GUARDED_BY(mutex_) = Phase::made;
};

void HttpServer::start() {
  const runtime::MutexLock lock(mutex_);
  if (phase_ != Phase::made) return;
  phase_ = Phase::started;
  listener_->start([this](Socket socket, const std::string& peer) {
    connections_.add(std::move(socket), peer);
  });
  io_thread_ = std::thread([this] { run(); });
  threads_->start(limits_.request_threads);
}

void HttpServer::run() {
  for (;;) {
    try {
      io_.run();
      return;
    } catch (...) {
      ++faults_;  // one event was lost for want of memory; the others go on
    }
  }
}

void HttpServer::stop(std::chrono::milliseconds patience) {
  const runtime::MutexLock lock(mutex_);
  const bool is_running = std::exchange(phase_, Phase::stopped) == Phase::started;
  if (!is_running) {
    if (!io_thread_.joinable() && listener_) listener_->close();
    return;
  }
  const auto until = SteadyClock::now() + std::min(patience, patience_max);
  asio::post(io_, [this] {
    listener_->close();
    connections_.stop();
  });
  connections_.wait_until_empty(until);
  asio::post(io_, [this] { connections_.close_all(); });
  threads_->close();
  asio::post(io_, [this] { io_.stop(); });
  if (io_thread_.joinable()) io_thread_.join();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(const std::string& address, Handler& handler,
                                               ServerLimits limits, Exemption is_exempt) {
  if (const Status fit = check_limits(limits); !fit) return std::unexpected(fit.error());
  auto server = std::make_unique<HttpServer>(handler, limits, std::move(is_exempt));
  if (const Status open = server->listen(address); !open) return std::unexpected(open.error());
  return server;
}

}  // namespace pawl::service
