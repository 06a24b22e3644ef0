#include "postgres/address.hpp"

#include <algorithm>
#include <cctype>
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

/// A name for a message; a text that is more than a name may contain a password.
std::string told_name(std::string_view name) {
  const bool is_name = std::ranges::all_of(name, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  });
  return is_name && name.size() <= name_bytes_max ? std::string(name) : "…";
}

/// Removes `schema=…` from the parameters of the address.
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
      return fail(ErrorCode::invalid, "'" + told_name(schema) + "' cannot be the schema of a store",
                  "use at most 63 lower-case letters, digits and _");
    }
  }
  url = url.substr(0, query) + rest;
  return schema;
}

/// If a special character of the password is not encoded, libpq takes a part of the password for
/// the host, the port or the database, and would show it.
Status check_places(std::string_view url) {
  const auto wrong = [](const std::string& what, const std::string& help) -> Status {
    return fail(ErrorCode::invalid, "the address of the store is wrong: " + what, help);
  };
  const std::string encode = "in a user or a password write @ as %40, / as %2F and : as %3A";
  url.remove_prefix(url.find("://") + 3);
  const std::size_t path = std::min(url.find('/'), url.size());
  const std::size_t sign = std::min(url.find('@'), url.size());
  std::string_view rest = sign < path ? url.substr(sign + 1) : url;
  rest = rest.substr(0, rest.find('?'));
  if (rest.contains('@')) return wrong("there is an @ after the host", encode);
  if (rest.find_first_of("= \t;") != std::string_view::npos) {
    return wrong("there is a setting or a space in the host or the database",
                 "put settings after a ?: postgres://user@host:port/database?sslmode=require");
  }
  std::string_view hosts = rest.substr(0, rest.find('/'));
  while (!hosts.empty()) {
    const std::size_t end = std::min(hosts.find(','), hosts.size());
    const std::string_view one = hosts.substr(0, end);
    hosts.remove_prefix(std::min(end + 1, hosts.size()));
    // An IPv6 address is in brackets; if the second is missing, libpq reports it.
    const std::size_t host_end = one.starts_with('[') ? one.find(']') : 0;
    if (host_end == std::string_view::npos) continue;
    const std::size_t colon = one.find(':', host_end);
    if (colon == std::string_view::npos) continue;
    const bool is_port = one.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    if (!is_port) return wrong("the port is not a number", encode);
  }
  return {};
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

/// The message of libpq without the piece of the address that it quotes at the end, which may be
/// the password. Names of parameters are kept.
std::string without_address(std::string_view why) {
  constexpr std::string_view unknown = "invalid URI query parameter: \"";
  if (why.starts_with(unknown)) {
    const std::string_view name = why.substr(unknown.size());
    return "unknown parameter \"" + told_name(name.substr(0, name.find('"'))) + "\"";
  }
  why = why.substr(0, why.find(": \""));
  while (why.ends_with('\n')) why.remove_suffix(1);
  return std::string(why);
}

}  // namespace

Result<Address> read_address(std::string_view url) {
  Address address;
  address.conninfo = url;
  const bool is_address = url.starts_with("postgres://") || url.starts_with("postgresql://");
  if (!is_address || url.find('\0') != std::string_view::npos) {
    return fail(ErrorCode::invalid, "not the address of a PostgreSQL store",
                "write postgres://user@host:port/database");
  }
  if (const Status sound = check_places(url); !sound) return std::unexpected(sound.error());
  Result<std::string> schema = take_schema(address.conninfo);
  if (!schema) return std::unexpected(schema.error());
  address.schema = *schema;
  char* message = nullptr;
  const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(
      PQconninfoParse(address.conninfo.c_str(), &message), &PQconninfoFree);
  const std::unique_ptr<char, decltype(&PQfreemem)> said(message, &PQfreemem);
  if (!options) {
    const std::string why = message == nullptr ? "libpq cannot parse it" : message;
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
