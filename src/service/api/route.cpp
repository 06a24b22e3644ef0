#include "service/api/route.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "service/api/url_text.hpp"

namespace pawl::service {
namespace {

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    segments.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return segments;
}

using Parts = std::vector<std::pair<std::string_view, std::string>>;

/// The values of the parts in braces; none if the path does not have the form of the pattern.
std::optional<Parts> parts_of(std::string_view pattern, const std::vector<std::string_view>& path) {
  const std::vector<std::string_view> wanted = segments_of(pattern);
  if (wanted.size() != path.size()) return std::nullopt;
  Parts parts;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i].starts_with('{')) {
      if (wanted[i] != path[i]) return std::nullopt;
      continue;
    }
    std::optional<std::string> value = without_escapes(path[i]);
    if (!value || value->empty()) return std::nullopt;
    parts.emplace_back(wanted[i].substr(1, wanted[i].size() - 2), *std::move(value));
  }
  return parts;
}

}  // namespace

Match find_route(const std::vector<Route>& table, std::string_view method, std::string_view path) {
  Match match;
  if (!path.starts_with('/')) return match;
  const std::vector<std::string_view> segments = segments_of(path);
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (const Route& route : table) {
    std::optional<Parts> parts = parts_of(route.path, segments);
    if (!parts) continue;
    match.methods.push_back(route.method);
    // The first one wins, so that "/reviews/next" may stand before "/reviews/{review}".
    if (route.method != wanted || match.route != nullptr) continue;
    match.route = &route;
    match.parts = *std::move(parts);
  }
  return match;
}

std::vector<Field> query_of(const Route& route) {
  std::vector<Field> fields = route.query;
  if (route.kind != ReplyKind::list) return fields;
  fields.push_back({.name = "after",
                    .about = "Where the page begins: `next` of the page before. JSON lines and CSV "
                             "begin there, too."});
  fields.push_back({.name = "limit",
                    .kind = FieldKind::integer,
                    .about = "The number of rows: 100 in a page of JSON, all of them as JSON lines "
                             "or CSV, unless it is given.",
                    .min = 1,
                    .max = INT64_MAX});
  return fields;
}

const std::vector<Route>& routes() {
  static const std::vector<Route> table = [] {
    std::vector<Route> all;
    for (const auto& some :
         {page_routes, service_routes, session_routes, job_routes, item_routes, review_routes,
          dead_letter_routes, operation_routes, event_routes, worker_routes, result_routes,
          workflow_routes, people_routes, token_routes, audit_routes}) {
      std::ranges::move(some(), std::back_inserter(all));
    }
    return all;
  }();
  return table;
}

}  // namespace pawl::service
