#pragma once

/// How every source of SqlRecords reads.

#include <optional>
#include <utility>

#include "sql/records.hpp"

namespace pawl::sql {

template <class Body>
auto SqlRecords::read(Body body) -> std::invoke_result_t<Body, Session&> {
  std::optional<std::invoke_result_t<Body, Session&>> answer;
  std::optional<Error> error = door_.read([&](Session& session) { answer.emplace(body(session)); });
  if (error) return std::unexpected(*std::move(error));
  return *std::move(answer);
}

}  // namespace pawl::sql
