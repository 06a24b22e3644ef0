#pragma once

/// One request to one route: who calls, and the checked input.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/codec/json.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "service/access/gatekeeper.hpp"
#include "service/api/route.hpp"
#include "service/backend.hpp"

namespace pawl::service {

/// The fields of a query or a body that the request has, checked against the table.
class Fields {
 public:
  Fields() = default;
  explicit Fields(std::vector<std::pair<std::string, Json>> values) : values_(std::move(values)) {}

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  // If the field is missing: empty, the fallback or false.
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;
  [[nodiscard]] double number(std::string_view name, double fallback = 0) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::optional<Json> json(std::string_view name) const;

 private:
  [[nodiscard]] const Json* find(std::string_view name) const;
  std::vector<std::pair<std::string, Json>> values_;  ///< a field that is null is left out
};

/// The fields of a query or of a body. `invalid` with everything that is wrong: unknown, missing
/// and mistyped fields, a field twice.
[[nodiscard]] Result<Fields> read_query(const Route& route, std::string_view query);
[[nodiscard]] Result<Fields> read_body(const Route& route, std::string_view body);

class Call {
 public:
  Call(Backend& its_backend, Gatekeeper& its_gatekeeper, const Request& its_request,
       const Match& match, const Caller* caller, std::string address);

  Backend& backend;
  Gatekeeper& gatekeeper;  ///< for answers that outlive this call
  const Request& request;
  const Caller* const caller;  ///< null: nobody is signed in
  const std::string address;   ///< of the client
  Fields query;
  Fields body;

  /// The part of the path in braces, decoded.
  [[nodiscard]] const std::string& part(std::string_view name) const;
  /// The same as the number of a record. `not_found` if it is not a positive number, as for a
  /// number that no record has.
  [[nodiscard]] Result<std::int64_t> number(std::string_view name) const;
  template <class Id>
  [[nodiscard]] Result<Id> id(std::string_view name) const {
    const Result<std::int64_t> value = number(name);
    if (!value) return std::unexpected(value.error());
    return Id{*value};
  }
  /// Who acts. Only on a route that is not open.
  [[nodiscard]] const Actor& actor() const;
  [[nodiscard]] Store& store() const { return backend.store; }
  [[nodiscard]] Records& records() const { return backend.store.records(); }

 private:
  const Match& match_;
};

}  // namespace pawl::service
