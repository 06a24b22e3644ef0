#include "service/api/router.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "core/joined.hpp"

namespace pawl::service {
namespace {

using SteadyClock = std::chrono::steady_clock;

bool is_unsafe(std::string_view method) { return method != "GET" && method != "HEAD"; }

/// `invalid` if an unsafe request does not say that its body is JSON. A form of another site cannot
/// say so. Without a body nothing needs to be said.
Status check_content_type(const Request& request) {
  if (request.body.empty()) return {};
  const std::string_view said = request.headers.find("Content-Type").value_or("");
  const std::string_view type = said.substr(0, std::min(said.find(';'), said.size()));
  if (is_same_name(type, "application/json") || is_same_name(type, "application/json ")) return {};
  return fail(ErrorCode::invalid, "the body must be JSON",
              "send it with `Content-Type: application/json`");
}

Response no_such_method(const Match& match, std::string_view method) {
  Response response =
      error_response(405, "method_not_allowed", "this address does not take " + std::string(method),
                     "it takes " + joined(match.methods));
  response.headers.set("Allow", joined(match.methods));
  return response;
}

Response not_signed_in(const Error* error) {
  Response response = error_response(
      401, "not_signed_in", error != nullptr ? error->message : "you are not signed in",
      error != nullptr && !error->help.empty()
          ? error->help
          : "send `Authorization: Bearer TOKEN`, or sign in at the page of this service");
  response.headers.set("WWW-Authenticate", "Bearer realm=\"pawl\"");
  return response;
}

/// What every response says to browsers: keep nothing, guess no type, load nothing.
void add_guards(Response& response) {
  const auto unless_set = [&](std::string_view name, std::string value) {
    if (!response.headers.find(name)) response.headers.add(std::string(name), std::move(value));
  };
  unless_set("Cache-Control", "no-store");
  unless_set("X-Content-Type-Options", "nosniff");
  unless_set("Referrer-Policy", "no-referrer");
  unless_set("Cross-Origin-Resource-Policy", "same-origin");
  unless_set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
}

/// The message of an error response, for the log.
std::string error_in(const Response& response) {
  if (response.status < 400) return {};
  const auto document = parse_json(response.body);
  return document ? field(*document, "error.message").string().value_or("") : std::string();
}

}  // namespace

Router::Router(Backend& backend, Gatekeeper& gatekeeper, const std::vector<Route>& table,
               RequestLog log)
    : backend_(backend), gatekeeper_(gatekeeper), table_(table), log_(std::move(log)) {}

std::size_t Router::body_max(const Request& head) const {
  const Match match = find_route(table_, head.method, head.path());
  return match.route != nullptr ? match.route->body_max : std::size_t{1} << 20U;
}

Response Router::answer(const Request& request) {
  const auto began = SteadyClock::now();
  RequestRecord record{.method = request.method, .path = request.path()};
  record.address = gatekeeper_.address_of(request);
  Response response;
  std::optional<std::string> fault;
  try {
    response = answer(request, record);
  } catch (const std::exception& thrown) {
    fault = thrown.what();
  } catch (...) {
    fault = "the handler threw a value that is not a std::exception";
  }
  // What was thrown may name files of this machine: it is for the log alone.
  if (fault) {
    response = error_response(500, "internal", "an internal error",
                              "this is a bug in pawl: please report it with the line in its log");
  }
  add_guards(response);
  record.status = response.status;
  record.error = fault ? "internal error: " + *fault : error_in(response);
  record.duration =
      std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - began);
  log_(record);
  return response;
}

std::optional<Response> Router::answer_at_once(const Request& request) {
  const Match match = find_route(table_, request.method, request.path());
  if (match.route == nullptr || !match.route->is_at_once) return std::nullopt;
  return answer(request);
}

Response Router::refuse(unsigned status, std::string_view why, const Request& request) {
  std::string_view code = "malformed";
  if (status == 413 || status == 431) code = "too_large";
  if (status == 408) code = "timeout";
  Response response = error_response(status, code, why);
  add_guards(response);
  log_({.method = request.method,
        .path = request.path(),
        .status = status,
        .address = request.peer,
        .error = std::string(why)});
  return response;
}

Response Router::answer(const Request& request, RequestRecord& record) {
  if (const Status fit = gatekeeper_.check_host(request); !fit) {
    return error_response(421, "wrong_host", fit.error().message, fit.error().help);
  }
  const Match match = find_route(table_, request.method, request.path());
  if (match.route == nullptr) {
    if (!match.methods.empty()) return no_such_method(match, request.method);
    return error_response(404, "not_found", "there is nothing at this address",
                          "the addresses are listed in /api/v1/openapi.json");
  }
  const Route& route = *match.route;
  record.route = route.path;
  // To read what is open to everybody, nobody has to be known, and the store need not answer.
  const bool asks_who = !route.access.is_open() || is_unsafe(request.method);
  const Result<std::optional<Caller>> caller =
      asks_who ? gatekeeper_.identify(request) : std::optional<Caller>();
  if (!caller && caller.error().code != ErrorCode::forbidden) {
    return error_response(caller.error());
  }
  // Wrong credentials do not close an open door.
  const Caller* const who = caller && *caller ? &**caller : nullptr;
  if (who != nullptr) {
    record.actor = who->actor.name;
    record.by = who->by;
  }
  if (who == nullptr && !route.access.is_open()) {
    return not_signed_in(caller ? nullptr : &caller.error());
  }
  if (is_unsafe(request.method)) {
    if (const Status same = gatekeeper_.check_origin(request, who); !same) {
      return error_response(same.error());
    }
  }
  if (const Right* const right = route.access.right()) {
    const Status may = check_permission(who->actor, who->standing, *right);
    if (!may) return error_response(may.error());
  }
  Call call(backend_, gatekeeper_, request, match, who, record.address);
  return carry_out(call, route);
}

Response Router::carry_out(Call& call, const Route& route) {
  Result<Fields> query = read_query(route, call.request.query());
  if (!query) return error_response(query.error());
  call.query = std::move(*query);
  if (is_unsafe(call.request.method) && !route.takes_bytes) {
    if (const Status fit = check_content_type(call.request); !fit) {
      return error_response(415, "wrong_type", fit.error().message, fit.error().help);
    }
    Result<Fields> body = read_body(route, call.request.body);
    if (!body) return error_response(body.error());
    call.body = std::move(*body);
  }
  Result<Reply> reply = route.handle(call);
  if (!reply) return error_response(reply.error());
  return rendered(route, call, std::move(*reply));
}

}  // namespace pawl::service
