/// The service itself: health, metrics, its description, the overview and the search.

#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/rfc3339.hpp"
#include "pawl/version.hpp"
#include "service/api/call.hpp"
#include "service/api/overview.hpp"
#include "service/http/server.hpp"
#include "service/live/live_events.hpp"
#include "service/live/metrics.hpp"

namespace pawl::service {
namespace {

Result<Reply> check_health(Call& /*call*/) { return Document{Json::object({{"status", "ok"}})}; }

/// Why requests should go to another daemon, or wait. For everybody to read: no details.
std::vector<Json> reasons_against(Call& call) {
  std::vector<Json> reasons;
  if (call.backend.daemon.is_stopping) reasons.emplace_back("the service is stopping");
  if (call.backend.engine.status().fault) reasons.emplace_back("the engine has stopped by itself");
  if (!call.records().last_event()) reasons.emplace_back("the store does not answer");
  return reasons;
}

Result<Reply> check_readiness(Call& call) {
  const std::vector<Json> reasons = reasons_against(call);
  const bool is_ready = reasons.empty();
  return json_response(is_ready ? 200 : 503,
                       Json::object({{"status", is_ready ? "ready" : "not_ready"},
                                     {"reasons", Json::array(reasons)}}));
}

Result<Reply> send_metrics(Call& call) {
  Response response{.status = 200, .headers = {}, .body = call.backend.metrics.text(call.backend)};
  response.headers.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  return response;
}

Result<Reply> send_openapi(Call& /*call*/) {
  static const std::string document = openapi_of(routes());
  Response response{.status = 200, .headers = {}, .body = document};
  response.headers.add("Content-Type", "application/json; charset=utf-8");
  return response;
}

Json limits_document() {
  return Json::object({{"page_rows", page_rows},
                       {"page_rows_max", page_rows_max},
                       {"count_max", tally_max},
                       {"live_events", LiveLimits{}.ring}});
}

Result<Reply> show_service(Call& call) {
  const Daemon& daemon = call.backend.daemon;
  const EngineStatus status = call.backend.engine.status();
  const Server* const server = daemon.server;
  return Document{Json::object(
      {{"version", version},
       {"store", daemon.store_kind.empty() ? Json() : Json(daemon.store_kind)},
       {"started_at", daemon.started_at == no_time ? Json() : Json(rfc3339(daemon.started_at))},
       {"now", rfc3339(call.store().now())},
       {"works", daemon.works},
       {"is_stopping", daemon.is_stopping.load()},
       {"attempts_open", status.open_attempts},
       {"trouble", status.trouble.empty() ? Json() : Json(status.trouble)},
       {"followers", call.backend.live.figures().followers},
       {"connections", server == nullptr ? Json() : Json(server->figures().connections)},
       {"limits", limits_document()}})};
}

Result<Reply> show_overview(Call& call) {
  Result<Json> document = overview_document(call.backend, *call.caller);
  if (!document) return std::unexpected(document.error());
  return Document{std::move(*document)};
}

Result<Reply> search(Call& call) {
  const std::string text = call.query.text("q");
  if (text.empty()) {
    return fail(ErrorCode::invalid, "'q' is empty",
                "give the number of a job or review, or the beginning of an item's key");
  }
  Result<Json> document = search_document(call.records(), text);
  if (!document) return std::unexpected(document.error());
  return Document{std::move(*document)};
}

Route get(std::string_view path, Access access, Handle handle, std::string_view operation,
          std::string_view summary, std::string_view schema) {
  return {.method = "GET",
          .path = path,
          .access = access,
          .handle = handle,
          .operation = operation,
          .tag = "service",
          .summary = summary,
          .schema = schema};
}

}  // namespace

std::vector<Route> service_routes() {
  Route health = get("/healthz", Access::open(), check_health, "checkHealth",
                     "Whether the process lives.", "Health");
  health.is_at_once = true;
  std::vector<Route> all = {
      std::move(health),
      get("/readyz", Access::open(), check_readiness, "checkReadiness",
          "Whether the service can answer: 503 with the reasons if it cannot.", "Readiness"),
      get("/metrics", Access::needs(Right::see), send_metrics, "sendMetrics",
          "What the service measures, as Prometheus text.", {}),
      get("/api/v1/openapi.json", Access::open(), send_openapi, "sendDescription",
          "This description of the API.", {}),
      get("/api/v1/about", Access::signed_in(), show_service, "showService",
          "The version of the service, and how it is set up.", "About"),
      get("/api/v1/overview", Access::needs(Right::see), show_overview, "showOverview",
          "What needs a person, and who works.", "Overview"),
      get("/api/v1/search", Access::needs(Right::see), search, "search",
          "Finds a job or review by its number, or items by the beginning of their keys in the "
          "newest 20 jobs; at most 20.",
          "SearchResult"),
  };
  const auto send = [&](std::string_view operation, std::string_view content_type) {
    for (Route& route : all) {
      if (route.operation != operation) continue;
      route.kind = ReplyKind::other;
      route.content_type = content_type;
    }
  };
  for (Route& route : all) {
    if (route.operation == "checkReadiness") route.also = {503};
  }
  send("sendMetrics", "text/plain");
  send("sendDescription", "application/json");
  all.back().query = {{.name = "q",
                       .about = "A number, or the beginning of a key.",
                       .is_required = true,
                       .length_max = 500}};
  return all;
}

}  // namespace pawl::service
