#pragma once

/// The real HTTP server on a free port, with a handler that a test writes.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "raw_client.hpp"
#include "service/http/message.hpp"
#include "service/http/server.hpp"

namespace pawl::service {

using namespace std::chrono_literals;

/// Answers as a test wants; notes what the server refused.
class ScriptedHandler : public Handler {
 public:
  using Answer = std::function<Response(const Request&)>;

  /// Set before the server starts.
  Answer on_request = [](const Request& request) {
    return text(request.method + " " + request.target);
  };
  std::function<std::size_t(const Request&)> on_body = [](const Request&) {
    return std::size_t{1'000};
  };
  std::function<std::optional<Response>(const Request&)> on_request_at_once = [](const Request&) {
    return std::nullopt;
  };
  std::function<Response(unsigned)> on_refusal = [](unsigned status) {
    Response response = text("refused");
    response.status = status;
    return response;
  };

  [[nodiscard]] std::size_t body_max(const Request& head) const override { return on_body(head); }
  [[nodiscard]] std::optional<Response> answer_at_once(const Request& request) override {
    return on_request_at_once(request);
  }
  [[nodiscard]] Response answer(const Request& request) override {
    ++answered;
    return on_request(request);
  }
  [[nodiscard]] Response refuse(unsigned status, std::string_view why,
                                const Request& request) override {
    {
      const std::lock_guard lock(mutex_);
      refusals_.push_back(std::to_string(status) + " " + request.method + " " + request.target +
                          ": " + std::string(why));
    }
    return on_refusal(status);
  }
  /// "413 POST /upload: the body is longer than 1000 bytes"
  [[nodiscard]] std::vector<std::string> refusals() const {
    const std::lock_guard lock(mutex_);
    return refusals_;
  }

  [[nodiscard]] static Response text(std::string body) {
    Response response{.status = 200, .headers = {}, .body = std::move(body)};
    response.headers.add("Content-Type", "text/plain");
    return response;
  }

  std::atomic<int> answered = 0;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> refusals_;
};

/// Something that one thread does and another waits for, at most ten seconds.
class Signal {
 public:
  void set() {
    {
      const std::lock_guard lock(mutex_);
      is_set_ = true;
    }
    changed_.notify_all();
  }
  [[nodiscard]] bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

class HttpTest : public ::testing::Test {
 protected:
  void TearDown() override {
    if (server_) server_->stop(5s);
  }

  void start() {
    auto server = Server::listen("127.0.0.1:0", handler_, limits_, exemption_);
    ASSERT_TRUE(server.has_value()) << server.error().text();
    server_ = std::move(*server);
    server_->start();
  }
  [[nodiscard]] RawClient connect(int receive_buffer = 0) {
    return RawClient(server_->address(), receive_buffer);
  }
  /// One request on a connection of its own, and the answer.
  [[nodiscard]] RawResponse ask(std::string_view request) {
    RawClient client = connect();
    client.send(request);
    return client.response();
  }
  /// Waits for something that another thread is about to do, at most ten seconds.
  [[nodiscard]] static bool eventually(const std::function<bool()>& is_so) {
    const auto until = std::chrono::steady_clock::now() + 10s;
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }

  static constexpr std::string_view get = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

  ScriptedHandler handler_;
  ServerLimits limits_;
  Exemption exemption_;
  std::unique_ptr<Server> server_;
};

}  // namespace pawl::service
