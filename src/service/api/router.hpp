#pragma once

/// Takes each request through the same steps: host, route, who is calling, origin, right, input,
/// handler, answer, log.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/access/gatekeeper.hpp"
#include "service/api/call.hpp"
#include "service/api/route.hpp"
#include "service/http/message.hpp"

namespace pawl::service {

/// What the log and the metrics keep of a request. Without its body and its query.
struct RequestRecord {
  std::string_view method;
  std::string_view path;   ///< as sent, without the query
  std::string_view route;  ///< of the table: "/api/v1/jobs/{job}"; empty: no such route
  unsigned status = 0;
  std::chrono::microseconds duration{};
  std::string address;  ///< of the client
  std::string actor;    ///< empty: nobody is signed in
  std::string_view by;  ///< how: "token", "session", "proxy"
  std::string error;    ///< the message of an answer that is an error
};
using RequestLog = std::function<void(const RequestRecord&)>;

class Router : public Handler {
 public:
  /// All of these must outlive it. `log` is called from any thread.
  Router(Backend& backend, Gatekeeper& gatekeeper, const std::vector<Route>& table, RequestLog log);

  [[nodiscard]] std::size_t body_max(const Request& head) const override;
  [[nodiscard]] std::optional<Response> answer_at_once(const Request& request) override;
  [[nodiscard]] Response answer(const Request& request) override;
  [[nodiscard]] Response refuse(unsigned status, std::string_view why,
                                const Request& request) override;

 private:
  [[nodiscard]] Response answer(const Request& request, RequestRecord& record);
  [[nodiscard]] Response carry_out(Call& call, const Route& route);

  Backend& backend_;
  Gatekeeper& gatekeeper_;
  const std::vector<Route>& table_;
  const RequestLog log_;
};

/// The answer of a route, in the form that the request accepts: JSON, JSON lines or CSV.
[[nodiscard]] Response rendered(const Route& route, const Call& call, Reply reply);

}  // namespace pawl::service
