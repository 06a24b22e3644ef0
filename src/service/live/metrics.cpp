#include "service/live/metrics.hpp"

#include <utility>

#include "pawl/version.hpp"
#include "service/backend.hpp"
#include "service/http/server.hpp"
#include "service/live/live_events.hpp"
#include "service/live/process_figures.hpp"

namespace pawl::service {
namespace {

void write_one(MetricText& text, std::string_view name, MetricKind kind, std::string_view help,
               double value) {
  text.begin(name, kind, help);
  text.add(value);
}

void write_process(MetricText& text) {
  text.begin("pawl_build_info", MetricKind::gauge, "The version of this program.");
  text.add({{"version", version}}, 1);
  const ProcessFigures process = process_figures();
  const auto gauge = [&](std::string_view name, std::string_view help, double value) {
    write_one(text, name, MetricKind::gauge, help, value);
  };
  gauge("process_start_time_seconds", "When this process started, in seconds since 1970.",
        process.started_at);
  gauge("process_resident_memory_bytes", "Memory of this process.", process.resident_bytes);
  gauge("process_open_fds", "Open file descriptors.", process.open_fds);
  gauge("process_max_fds", "The most file descriptors that it may have.", process.max_fds);
  gauge("process_threads", "Threads of this process.", process.threads);
  write_one(text, "process_cpu_seconds_total", MetricKind::counter, "Time on processors.",
            process.cpu_seconds);
}

void write_engine(MetricText& text, const Backend& backend) {
  const EngineStatus status = backend.engine.status();
  const auto gauge = [&](std::string_view name, std::string_view help, double value) {
    write_one(text, name, MetricKind::gauge, help, value);
  };
  gauge("pawl_engine_works", "Whether this process runs stages.", backend.daemon.works ? 1 : 0);
  gauge("pawl_engine_attempts_open", "Attempts that this process holds.",
        static_cast<double>(status.open_attempts));
  gauge("pawl_engine_attempts_abandoned", "Handlers that ignored their stop token and still run.",
        static_cast<double>(status.abandoned));
  gauge("pawl_engine_fault", "Whether the engine stopped by itself.", status.fault ? 1 : 0);
  write_one(text, "pawl_engine_results_lost_total", MetricKind::counter,
            "Results of this process that the store had acknowledged and then lost.",
            static_cast<double>(status.forgotten_results));
  text.begin("pawl_commit_duration_seconds", MetricKind::summary,
             "How long the store took for the commits of this process.");
  text.add_sum({}, std::chrono::duration<double>(status.commit_time).count(), status.commits);
}

void write_connections(MetricText& text, const Backend& backend) {
  if (const Server* const server = backend.daemon.server) {
    const ServerFigures figures = server->figures();
    write_one(text, "pawl_http_connections", MetricKind::gauge, "Open connections.",
              static_cast<double>(figures.connections));
    write_one(text, "pawl_http_streams", MetricKind::gauge, "Responses that are being streamed.",
              static_cast<double>(figures.streams));
    write_one(text, "pawl_http_connections_accepted_total", MetricKind::counter,
              "Connections that were accepted.", static_cast<double>(figures.accepted));
    write_one(text, "pawl_http_connections_refused_total", MetricKind::counter,
              "Connections over a limit.", static_cast<double>(figures.refused));
    write_one(text, "pawl_http_accept_failures_total", MetricKind::counter,
              "Connections that could not be accepted, for example for want of descriptors.",
              static_cast<double>(figures.accept_failures));
  }
  const LiveEvents::Figures live = backend.live.figures();
  write_one(text, "pawl_sse_followers", MetricKind::gauge, "Clients that follow the events.",
            static_cast<double>(live.followers));
  write_one(text, "pawl_sse_dropped_total", MetricKind::counter,
            "Clients that were dropped because they read too slowly.",
            static_cast<double>(live.dropped));
  write_one(text, "pawl_sse_resets_total", MetricKind::counter,
            "Clients whose cursor could not be resumed.", static_cast<double>(live.resets));
}

}  // namespace

Metrics::Metrics(LiveEvents& live)
    : subscription_(
          live.listen([this](const Event& event) { attempts_.note(event); }).subscription) {}

void Metrics::note(const RequestRecord& request) { requests_.note(request); }

std::string Metrics::text(Backend& backend) {
  const std::lock_guard lock(writing_);
  MetricText text;
  write_process(text);
  write_engine(text, backend);
  store_.write(text, backend.store, backend.daemon.is_dead);
  attempts_.write(text, [&](JobId job, StageIndex stage) {
    return store_.find(backend.store.records(), job, stage);
  });
  requests_.write(text);
  write_connections(text, backend);
  return text.take();
}

}  // namespace pawl::service
