#pragma once

/// What the writer caches between transactions, so that the hot path reads nothing: decoded jobs
/// and workflows, lanes, counters. The cache is valid as long as no other process has written
/// (SQLite's data_version, read inside the transaction) and no transaction was rolled back.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "pawl/core/workflow.hpp"
#include "sql/job_codec.hpp"

namespace pawl::sqlite {

struct CachedJob {
  sql::JobRow row;
  sql::JobSettings written;      ///< as stored in the database
  std::string written_counters;  ///< as stored; empty: unknown
  bool is_unwritten = false;     ///< its range of ordinals has grown since the last write
};

struct CachedPool {
  std::int64_t open = 0;
  bool is_unwritten = false;
};

struct RowCache {
  std::unordered_map<JobId, CachedJob> jobs;
  std::map<std::pair<JobId, std::string>, LaneId, std::less<>> lanes;
  std::unordered_map<std::string, CachedPool> pools;
  std::optional<std::int64_t> next_ordinal;
  /// A definition never changes, so workflows stay in the cache.
  std::map<std::string, Workflow, std::less<>> workflows;
  std::int64_t data_version = -1;

  void forget() {
    jobs.clear();
    lanes.clear();
    pools.clear();
    next_ordinal.reset();
    data_version = -1;
  }
  /// Limits the cache in a store with many jobs.
  [[nodiscard]] bool is_large() const {
    constexpr std::size_t entries_max = 4'096;
    return jobs.size() > entries_max || lanes.size() > entries_max || pools.size() > entries_max;
  }
};

}  // namespace pawl::sqlite
