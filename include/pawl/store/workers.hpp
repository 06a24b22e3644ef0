#pragma once

/// Workers as a store knows them.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

/// What a worker does not take, as it reports it. For people who ask why a task does not run;
/// claims do not read it.
struct WorkerLimits {
  /// Work that the worker leaves to others.
  struct Left {
    JobId job;
    std::string stage;   ///< empty: every stage of the job
    std::string reason;  ///< "the secret TOKEN is not set"; empty: the worker has no code for it
    friend bool operator==(const Left&, const Left&) = default;
  };
  std::uint32_t parallel = 0;        ///< the most attempts at once; 0: not reported
  std::set<std::string> stages;      ///< only these; empty: all
  std::set<std::string> categories;  ///< only these; empty: all
  std::set<JobId> jobs = {};         ///< only these; empty: all
  std::vector<Left> left;            ///< of the newest jobs first
  /// Of this job and older ones `left` does not list everything; none: it lists everything.
  JobId cut_at = {};
  friend bool operator==(const WorkerLimits&, const WorkerLimits&) = default;
};

struct WorkerHello {
  std::string host;
  std::int64_t pid = 0;
  std::string name;
  Duration lease{std::chrono::seconds(60)};
  WorkerLimits limits = {};
};
struct WorkerRecord {
  WorkerId id;
  std::string host;
  std::int64_t pid = 0;
  std::string name;
  Timestamp started_at;
  Timestamp lease_until;
  BatchNumber last_batch = 0;
  bool retired = false;
  /// At its last renewal the worker held no attempt opened before this time; none: not reported
  /// yet.
  Timestamp holds_since;
  WorkerLimits limits;
  friend bool operator==(const WorkerRecord&, const WorkerRecord&) = default;
};

}  // namespace pawl
