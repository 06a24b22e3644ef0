#pragma once

/// A closed attempt as a row of `attempts`: inserted once, never changed.

#include <vector>

#include "pawl/core/attempt.hpp"
#include "sqlite/db.hpp"

namespace pawl::sqlite {

void insert_attempt_row(Connection& connection, const Attempt& attempt);

/// All attempts of a task, by number.
[[nodiscard]] std::vector<Attempt> attempts_of(Connection& connection, TaskId task);
/// One attempt's output and artifacts, without the rest.
[[nodiscard]] std::optional<std::pair<Json, std::vector<ArtifactRecord>>> output_of(
    Connection& connection, TaskId task, AttemptNumber number);

}  // namespace pawl::sqlite
