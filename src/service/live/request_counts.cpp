#include "service/live/request_counts.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace pawl::service {
namespace {

constexpr std::array<double, 9> bounds = {0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5};
constexpr std::array<std::string_view, 6> methods = {"GET", "HEAD",  "POST",
                                                     "PUT", "PATCH", "DELETE"};

}  // namespace

void RequestCounts::note(const RequestRecord& request) {
  // What a client chose freely must not make series.
  const bool is_known = std::ranges::find(methods, request.method) != methods.end();
  std::string route(request.route);
  const std::lock_guard lock(mutex_);
  if (!durations_.contains(route) && durations_.size() >= routes_max_) route.clear();
  ++counts_[{route, is_known ? std::string(request.method) : "other", request.status / 100}];
  durations_.try_emplace(route, bounds)
      .first->second.add(std::chrono::duration<double>(request.duration).count());
}

void RequestCounts::write(MetricText& text) {
  const std::lock_guard lock(mutex_);
  text.begin("pawl_http_requests_total", MetricKind::counter,
             "Requests that were answered. No route: there is nothing at the address.");
  for (const auto& [key, count] : counts_) {
    const auto& [route, method, status] = key;
    const std::string status_class = std::to_string(status) + "xx";
    text.add({{"route", route}, {"method", method}, {"status", status_class}},
             static_cast<double>(count));
  }
  text.begin("pawl_http_request_duration_seconds", MetricKind::histogram,
             "How long it took to make the answer, without sending it.");
  for (const auto& [route, durations] : durations_) text.add({{"route", route}}, durations);
}

}  // namespace pawl::service
