#include "postgres/address.hpp"

#include <algorithm>
#include <memory>

#include <libpq-fe.h>

namespace pawl::postgres {

namespace {

constexpr std::size_t name_bytes_max = 63;

bool is_plain(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= name_bytes_max && std::ranges::all_of(name, fits) &&
         !(name.front() >= '0' && name.front() <= '9') && !name.starts_with("pg_");
}

/// Takes `schema=…` out of the parameters of the address.
Result<std::string> take_schema(std::string& url) {
  constexpr std::string_view key = "schema=";
  std::string schema = "pawl";
  const std::size_t query = url.find('?');
  if (query == std::string::npos) return schema;
  std::string rest;
  std::string_view left = std::string_view(url).substr(query + 1);
  while (!left.empty()) {
    const std::size_t end = std::min(left.find('&'), left.size());
    const std::string_view one = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    if (!one.starts_with(key)) {
      rest += (rest.empty() ? "?" : "&") + std::string(one);
      continue;
    }
    schema = one.substr(key.size());
    if (!is_plain(schema)) {
      return fail(ErrorCode::invalid, "'" + schema + "' cannot be the schema of a store",
                  "use lower-case letters, digits and _, at most 63");
    }
  }
  url = url.substr(0, query) + rest;
  return schema;
}

std::string shown_part(const PQconninfoOption* options) {
  std::string host;
  std::string port;
  std::string database;
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    const std::string_view key = option->keyword;
    const std::string value = option->val == nullptr ? "" : option->val;
    if (key == "host") host = value;
    if (key == "port") port = value;
    if (key == "dbname") database = value;
  }
  std::string shown = host.empty() ? "this machine" : host;
  if (!port.empty()) shown += ":" + port;
  if (!database.empty()) shown += "/" + database;
  return shown;
}

/// What libpq says, without the piece of the address that it quotes at the end: that may be the
/// password. Names of parameters are told.
std::string without_address(std::string_view why) {
  const std::string_view before = why.substr(0, why.find(": \""));
  if (!before.ends_with("query parameter")) why = before;
  while (why.ends_with('\n')) why.remove_suffix(1);
  return std::string(why);
}

}  // namespace

Result<Address> read_address(std::string_view url) {
  Address address;
  address.conninfo = url;
  const bool is_address = url.starts_with("postgres://") || url.starts_with("postgresql://");
  if (!is_address || url.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid, "this is no address of a PostgreSQL store",
                "write postgres://user@host:port/database");
  }
  Result<std::string> schema = take_schema(address.conninfo);
  if (!schema) return std::unexpected(schema.error());
  address.schema = *schema;
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(address.conninfo.c_str(), &message), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> said(message, &PQfreemem);
  if (!options) {
    const std::string why = message == nullptr ? "it is not understood" : message;
    return fail(ErrorCode::invalid, "the address of the store is wrong: " + without_address(why),
                "write postgres://user@host:port/database?schema=pawl");
  }
  address.shown = shown_part(options.get());
  return address;
}

std::string quoted_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace pawl::postgres
