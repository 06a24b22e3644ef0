#pragma once

/// Calls the routes as a signed-in person does, without a network: a world in virtual time, the
/// real router, the real table.

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/store/people.hpp"
#include "pawl/testing/testing.hpp"
#include "service/access/gatekeeper.hpp"
#include "service/access/sign_in.hpp"
#include "service/api/router.hpp"
#include "service/backend.hpp"
#include "service/live/live_events.hpp"
#include "service/live/metrics.hpp"
#include "service/live/stage_figures.hpp"
#include "service/work/operations.hpp"
#include "service/work/uploaded_files.hpp"
#include "service/work/workflow_library.hpp"
#include "temporary_folder.hpp"

namespace pawl::service {

/// Lets everybody in under the name and role that a test chooses.
class OpenGate : public Gatekeeper {
 public:
  std::optional<Caller> caller =
      Caller{.actor = {.name = "olga", .method = ActorMethod::session, .address = "127.0.0.1"},
             .standing = {.kind = ActorKind::person, .role = Role::admin, .groups = {}},
             .by = "session"};

  [[nodiscard]] Status check_host(const Request& /*request*/) const override { return {}; }
  [[nodiscard]] Result<std::optional<Caller>> identify(const Request& /*request*/) override {
    return caller;
  }
  [[nodiscard]] Status check_origin(const Request& /*request*/,
                                    const Caller* /*caller*/) const override {
    return {};
  }
  [[nodiscard]] std::string address_of(const Request& request) const override {
    return request.peer;
  }
};

class ApiTest : public ::testing::Test {
 protected:
  struct Answer {
    unsigned status = 0;
    std::string body;
    Headers headers;
    [[nodiscard]] Json json() const {
      const Result<Json> document = parse_json(body);
      EXPECT_TRUE(document.has_value()) << body;
      return document.value_or(Json());
    }
    /// A value inside the document as JSON text: `at("job.state")` is `"running"`, quotes included.
    [[nodiscard]] std::string at(std::string_view path) const {
      const Json document = json();
      return std::string(field(document, path).text());
    }
  };

  /// The request as the server would pass it, and the answer with its whole body.
  Answer call(std::string method, std::string target, const Json& body = Json::object({}),
              const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    Request request{.method = std::move(method),
                    .target = std::move(target),
                    .headers = {},
                    .body = {},
                    .peer = "127.0.0.1"};
    request.headers.add("Host", "127.0.0.1:7878");
    if (request.method != "GET" && request.method != "HEAD") {
      request.headers.add("Content-Type", "application/json");
      request.body = body.text();
    }
    for (const auto& [name, value] : headers) request.headers.set(name, value);
    return send(request);
  }
  Answer get(std::string target,
             const std::vector<std::pair<std::string, std::string>>& headers = {}) {
    return call("GET", std::move(target), Json(), headers);
  }
  Answer post(std::string target, const Json& body = Json::object({})) {
    return call("POST", std::move(target), body);
  }
  Answer send(const Request& request) {
    Response response = router_.answer(request);
    Answer answer{
        .status = response.status, .body = std::move(response.body), .headers = response.headers};
    while (response.stream) {
      const BodyStream::Piece piece = response.stream->next();
      answer.body += piece.bytes;
      if (piece.state != BodyStream::State::more) break;
    }
    return answer;
  }

  /// Acts under another name or role from now on.
  void sign_in_as(const std::string& name, Role role) {
    gate_.caller =
        Caller{.actor = {.name = name, .method = ActorMethod::session, .address = "127.0.0.1"},
               .standing = {.kind = ActorKind::person, .role = role, .groups = {}},
               .by = "session"};
  }
  void sign_out() { gate_.caller = std::nullopt; }

  [[nodiscard]] Store& store() { return world_.store(); }

  TemporaryFolder folder_;
  testing::World world_;
  SignIn sign_in_{world_.store(), std::chrono::hours(12)};
  WorkflowLibrary library_{{}};
  LiveEvents live_{world_.engine()};
  StageFigures figures_{world_.engine(), live_};
  Operations operations_{world_.store().clock()};
  UploadedFiles uploads_{world_.store().clock()};
  Metrics metrics_{live_};
  Backend backend_{.store = world_.store(),
                   .engine = world_.engine(),
                   .workflows = library_,
                   .sign_in = sign_in_,
                   .live = live_,
                   .figures = figures_,
                   .operations = operations_,
                   .uploads = uploads_,
                   .metrics = metrics_};
  OpenGate gate_;
  std::vector<std::string> log_;  ///< "GET /api/v1/jobs 200"; guarded by log_mutex_
  std::mutex log_mutex_;
  Router router_{backend_, gate_, routes(), [this](const RequestRecord& record) {
                   const std::lock_guard lock(log_mutex_);
                   log_.push_back(std::string(record.method) + " " + std::string(record.path) +
                                  " " + std::to_string(record.status));
                 }};
};

}  // namespace pawl::service
