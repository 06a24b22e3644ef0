#pragma once

#include <utility>
#include <vector>

#include "postgres/postgres_rows.hpp"

namespace pawl::postgres {

/// Reads until every row belongs to a job that this transaction has locked, so that the result
/// cannot change under the ledger. `read` returns rows that have a `job`.
template <class Read>
auto PostgresRows::read_locked(Read read) -> decltype(read()) {
  for (;;) {
    auto rows = read();
    std::vector<JobId> jobs;
    for (const auto& row : rows) {
      if (jobs.empty() || jobs.back() != row.job) jobs.push_back(row.job);
    }
    if (!lock(std::move(jobs))) return rows;
  }
}

}  // namespace pawl::postgres
