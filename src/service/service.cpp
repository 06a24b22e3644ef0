#include "service/service.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "service/access/service_gate.hpp"
#include "service/access/sign_in.hpp"
#include "service/access/web_address.hpp"
#include "service/api/router.hpp"
#include "service/backend.hpp"
#include "service/http/server.hpp"
#include "service/live/live_events.hpp"
#include "service/live/metrics.hpp"
#include "service/live/stage_figures.hpp"
#include "service/work/operations.hpp"
#include "service/work/uploaded_files.hpp"
#include "service/work/workflow_library.hpp"

namespace pawl::service {
namespace {

/// Lets a reverse proxy leave the path of the public address in front of each path, or take it off.
class BelowPrefix : public Handler {
 public:
  BelowPrefix(Handler& inner, std::string prefix) : inner_(inner), prefix_(std::move(prefix)) {}

  [[nodiscard]] std::size_t body_max(const Request& head) const override {
    return is_below(head) ? inner_.body_max(without_prefix(head)) : inner_.body_max(head);
  }
  [[nodiscard]] std::optional<Response> answer_at_once(const Request& request) override {
    return is_below(request) ? inner_.answer_at_once(without_prefix(request))
                             : inner_.answer_at_once(request);
  }
  [[nodiscard]] Response answer(const Request& request) override {
    return is_below(request) ? inner_.answer(without_prefix(request)) : inner_.answer(request);
  }
  [[nodiscard]] Response refuse(unsigned status, std::string_view why,
                                const Request& request) override {
    return inner_.refuse(status, why, request);
  }

 private:
  [[nodiscard]] bool is_below(const Request& request) const {
    return !prefix_.empty() && request.target.starts_with(prefix_) &&
           request.target.substr(prefix_.size()).starts_with('/');
  }
  [[nodiscard]] Request without_prefix(Request request) const {
    request.target.erase(0, prefix_.size());
    return request;
  }

  Handler& inner_;
  const std::string prefix_;
};

std::string prefix_of(const Settings& settings) {
  const std::optional<WebAddress> site = parse_web_address(settings.public_url);
  return site ? site->prefix : std::string();
}

class RunningService : public Service {
 public:
  RunningService(const ServiceParts& parts, const Settings& settings)
      : settings_(settings),
        log_(parts.log),
        sign_in_(parts.engine.store(), settings.session_time, settings.public_url),
        library_(settings.workflows, parts.trusts_owner),
        live_(parts.engine),
        figures_(parts.engine, live_),
        operations_(parts.engine.store().clock()),
        uploads_(parts.engine.store().clock()),
        metrics_(live_),
        backend_{.store = parts.engine.store(),
                 .engine = parts.engine,
                 .workflows = library_,
                 .sign_in = sign_in_,
                 .live = live_,
                 .figures = figures_,
                 .operations = operations_,
                 .uploads = uploads_,
                 .metrics = metrics_,
                 .daemon = {.works = parts.works, .started_at = parts.engine.store().now()}},
        gate_(parts.engine.store(), sign_in_, settings, parts.local_user),
        router_(backend_, gate_, routes(),
                [this](const RequestRecord& request) {
                  log_.note(request);
                  metrics_.note(request);
                }),
        front_(router_, prefix_of(settings)) {
    backend_.daemon.store_kind = parts.store_kind;
    backend_.daemon.run_directory = parts.run_directory;
    backend_.daemon.trusts_owner = parts.trusts_owner;
    if (parts.is_dead) backend_.daemon.is_dead = parts.is_dead;
  }

  ~RunningService() override { stop({}); }

  Status bind() {
    const auto is_proxy = [this](std::string_view address) {
      return std::ranges::any_of(settings_.proxy.trusted, [&](const AddressRange& range) {
        return range.contains(address);
      });
    };
    Result<std::unique_ptr<Server>> server =
        Server::listen(settings_.listen, front_, settings_.limits, is_proxy);
    if (!server) return std::unexpected(server.error());
    server_ = std::move(*server);
    backend_.daemon.server = server_.get();
    return {};
  }

  void start() override {
    report_faulty_workflows();
    server_->start();
  }

  std::vector<std::string> reload(const Settings& settings) override {
    library_.reload(settings.workflows);
    report_faulty_workflows();
    std::vector<std::string> later;
    const auto compare = [&](bool is_same, const char* name) {
      if (!is_same) later.emplace_back(name);
    };
    compare(settings.listen == settings_.listen, "listen");
    compare(settings.public_url == settings_.public_url, "public_url");
    compare(settings.sign_in == settings_.sign_in, "sign_in");
    compare(settings.proxy == settings_.proxy, "proxy");
    compare(settings.session_time == settings_.session_time, "session_time");
    compare(settings.limits == settings_.limits, "limits");
    return later;
  }

  void stop(std::chrono::milliseconds patience) override {
    if (is_stopped_.exchange(true)) return;
    backend_.daemon.is_stopping = true;
    operations_.stop();
    live_.stop();
    if (server_) server_->stop(patience);
  }

  [[nodiscard]] std::string address() const override { return server_->address(); }

  [[nodiscard]] std::string sign_in_url(const std::string& person) override {
    const std::string site =
        settings_.public_url.empty() ? "http://" + address() : settings_.public_url;
    return site + (site.ends_with('/') ? "" : "/") + "#code=" + sign_in_.make_code(person);
  }

 private:
  void report_faulty_workflows() {
    for (const auto& file : library_.all()) {
      if (file->file) continue;
      const std::string why =
          file->diagnostics.empty() ? std::string() : ": " + file->diagnostics.front().message;
      log_.say(LogLevel::warning, "cannot be submitted: " + file->path.string() + why);
    }
  }

  const Settings settings_;
  Log& log_;
  SignIn sign_in_;
  WorkflowLibrary library_;
  LiveEvents live_;
  StageFigures figures_;
  Operations operations_;
  UploadedFiles uploads_;
  Metrics metrics_;
  Backend backend_;
  ServiceGate gate_;
  Router router_;
  BelowPrefix front_;
  std::atomic<bool> is_stopped_ = false;
  std::unique_ptr<Server> server_;  // last: its threads use what is above
};

}  // namespace

Result<std::unique_ptr<Service>> Service::open(const ServiceParts& parts,
                                               const Settings& settings) {
  if (const Status safe = check_safe(settings); !safe) return std::unexpected(safe.error());
  auto service = std::make_unique<RunningService>(parts, settings);
  if (const Status bound = service->bind(); !bound) return std::unexpected(bound.error());
  return service;
}

}  // namespace pawl::service
