#pragma once

/// What a store keeps in memory between transactions: only values that never change once they are
/// committed. Other machines write at the same time, so everything else is read under a lock.

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "pawl/core/ids.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::postgres {

struct ImmutableCache {
  std::map<std::string, Workflow, std::less<>> workflows;  ///< by hash
  std::unordered_map<JobId, std::string> workflow_of;      ///< the hash, by job
  std::map<std::pair<JobId, std::string>, LaneId> lanes;   ///< the lane of stage 0

  /// Keeps it from growing without bound in a store with many jobs.
  void keep_small() {
    constexpr std::size_t entries_max = 4'096;
    if (workflow_of.size() > entries_max) workflow_of.clear();
    if (lanes.size() > entries_max) lanes.clear();
  }
};

}  // namespace pawl::postgres
