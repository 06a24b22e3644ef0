#pragma once

/// The table of routes. It makes the router, the check of rights, the check of the input and
/// `openapi.json`.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pawl/core/permission.hpp"
#include "service/api/reply.hpp"

namespace pawl::service {

class Call;

/// Who may use a route. There is no default: a route that does not say it does not compile.
class Access {
 public:
  /// Everybody, also without signing in.
  [[nodiscard]] static constexpr Access open() { return Access(Kind::open, Right::see); }
  /// Everybody who is signed in, for themselves.
  [[nodiscard]] static constexpr Access signed_in() { return Access(Kind::signed_in, Right::see); }
  [[nodiscard]] static constexpr Access needs(Right right) { return Access(Kind::right, right); }

  [[nodiscard]] constexpr bool is_open() const { return kind_ == Kind::open; }
  /// The right that is needed; null if none is.
  [[nodiscard]] constexpr const Right* right() const {
    return kind_ == Kind::right ? &right_ : nullptr;
  }

 private:
  enum class Kind : std::uint8_t { open, signed_in, right };
  constexpr Access(Kind kind, Right right) : kind_(kind), right_(right) {}
  Kind kind_;
  Right right_;
};

enum class FieldKind : std::uint8_t {
  text,
  integer,
  number,
  flag,    ///< true or false
  texts,   ///< a list of strings; in a query: separated by commas
  object,  ///< any JSON object; only in a body
  any,     ///< any JSON value; only in a body
};

/// A parameter of the query, or a member of the body.
struct Field {
  std::string_view name;
  FieldKind kind = FieldKind::text;
  std::string_view about;
  bool is_required = false;
  std::vector<std::string_view> words = {};  ///< the only values of a text; empty: any
  std::int64_t min = INT64_MIN;              ///< of an integer
  std::int64_t max = INT64_MAX;
  std::size_t length_max = 16'384;  ///< of a text, in bytes; of a list, in elements
};

/// What a route answers when all is well.
enum class ReplyKind : std::uint8_t {
  document,  ///< one JSON document
  list,      ///< rows, as a page of JSON, or all of them as JSON lines or CSV
  other,     ///< bytes of another type: a file, metrics, live events
  none,      ///< nothing (204)
};

using Handle = Result<Reply> (*)(Call& call);

struct Route {
  std::string_view method;  ///< "GET", "POST", "PUT", "PATCH" or "DELETE"
  std::string_view path;    ///< a part in braces matches anything: "/api/v1/jobs/{job}"
  Access access;
  Handle handle;
  std::string_view operation;  ///< the operationId: "pauseJob"
  std::string_view tag;        ///< the noun it belongs to: "jobs"
  std::string_view summary;    ///< one sentence
  std::vector<Field> query = {};
  std::vector<Field> body = {};  ///< of the JSON object; empty: there is no body
  ReplyKind kind = ReplyKind::document;
  unsigned status = 200;
  std::vector<unsigned> also = {};  ///< other statuses that come with the same document or bytes
  /// The name of the schema of the document, or of each row of a list; empty for `other` and
  /// `none`.
  std::string_view schema = {};
  std::string_view rows = {};                    ///< the member with the rows of a list: "jobs"
  std::string_view beside = {};                  ///< the schema of other members of a list
  std::vector<std::string_view> columns = {};    ///< of a list as CSV: members, "a.b" for nested
  std::string_view content_type = {};            ///< of `other`
  std::size_t body_max = std::size_t{1} << 20U;  ///< in bytes
  bool is_at_once = false;   ///< needs neither the store nor time: answered on the I/O thread
  bool takes_bytes = false;  ///< the body is a file, not JSON
};

/// All routes, in the order of the documentation.
[[nodiscard]] const std::vector<Route>& routes();

/// The route for a path, and the values of the parts in braces, decoded.
struct Match {
  const Route* route = nullptr;  ///< null: there is none for this method
  std::vector<std::pair<std::string_view, std::string>> parts;
  std::vector<std::string_view> methods;  ///< those that the path has; empty: no such path
};
/// `HEAD` finds the route of `GET`. A path with a malformed escape matches nothing.
[[nodiscard]] Match find_route(const std::vector<Route>& table, std::string_view method,
                               std::string_view path);

/// The parameters that the query of a route may have: its own, and those of every list.
[[nodiscard]] std::vector<Field> query_of(const Route& route);

/// The OpenAPI 3.1 document of a table.
[[nodiscard]] std::string openapi_of(const std::vector<Route>& table);

// One for each noun; `routes` puts them together.
[[nodiscard]] std::vector<Route> page_routes();     ///< for browsers
[[nodiscard]] std::vector<Route> service_routes();  ///< health, metrics, openapi.json
[[nodiscard]] std::vector<Route> session_routes();  ///< signing in and out, who am I
[[nodiscard]] std::vector<Route> job_routes();
[[nodiscard]] std::vector<Route> item_routes();
[[nodiscard]] std::vector<Route> review_routes();
[[nodiscard]] std::vector<Route> dead_letter_routes();
[[nodiscard]] std::vector<Route> operation_routes();
[[nodiscard]] std::vector<Route> event_routes();
[[nodiscard]] std::vector<Route> worker_routes();  ///< workers and pools
[[nodiscard]] std::vector<Route> result_routes();  ///< results and files
[[nodiscard]] std::vector<Route> workflow_routes();
[[nodiscard]] std::vector<Route> people_routes();
[[nodiscard]] std::vector<Route> token_routes();
[[nodiscard]] std::vector<Route> audit_routes();

}  // namespace pawl::service
