#include "store/verify/pools.hpp"

#include <map>
#include <string>

#include "pawl/store/each_row.hpp"

namespace pawl::store {

namespace {

constexpr int readings_max = 3;

/// The workflows of the jobs that have something running.
class Workflows {
 public:
  explicit Workflows(Records& records) : records_(records) {}

  /// Null where the job, or its workflow, is not there: that is for others to tell.
  Result<const Workflow*> of(JobId id) {
    if (const auto known = jobs_.find(id); known != jobs_.end()) return find(known->second);
    const Result<Job> job = records_.job(id);
    if (!job && job.error().code == ErrorCode::not_found) return nullptr;
    if (!job) return std::unexpected(job.error());
    if (!known_.contains(job->workflow_hash)) {
      Result<Workflow> workflow = records_.workflow(job->workflow_hash);
      if (!workflow) return std::unexpected(workflow.error());
      known_.emplace(job->workflow_hash, std::move(*workflow));
    }
    jobs_.emplace(id, job->workflow_hash);
    return find(job->workflow_hash);
  }

 private:
  const Workflow* find(const std::string& hash) { return &known_.at(hash); }

  Records& records_;
  std::map<JobId, std::string> jobs_;
  std::map<std::string, Workflow> known_;
};

Result<std::map<std::string, std::int64_t>> running_in_pools(Records& records,
                                                             std::uint32_t page_size) {
  Workflows workflows(records);
  std::map<std::string, std::int64_t> open;
  const TaskFilter running{.state = StateKind::running, .limit = page_size};
  const Status read = each_row(records, running, [&](const Task& task) -> Status {
    const Result<const Workflow*> workflow = workflows.of(task.job);
    if (!workflow) return std::unexpected(workflow.error());
    if (*workflow == nullptr || at(task.stage()) >= (*workflow)->stage_count()) return {};
    const Limits& limits = (*workflow)->plan(task.stage()).limits;
    if (limits.parallel > 0) ++open[limits.pool];
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return open;
}

void compare(const std::vector<PoolUse>& counted, std::map<std::string, std::int64_t> rows,
             Verification& into) {
  Findings findings(into);
  const auto differs = [&](const std::string& pool, std::int64_t said, std::int64_t running) {
    findings.add("I14",
                 say("pool '", pool, "' counts ", said, " open attempts, the rows are ", running));
  };
  for (const PoolUse& use : counted) {
    ++into.pools;
    const std::int64_t running = rows[use.pool];
    if (use.open != running) differs(use.pool, use.open, running);
    rows.erase(use.pool);
  }
  for (const auto& [pool, running] : rows) {
    if (running != 0) differs(pool, 0, running);
  }
}

}  // namespace

Status check_pools(Records& records, const VerifyOptions& options, LogReading& log,
                   Verification& into) {
  for (int reading = 0; reading < readings_max; ++reading) {
    const EventSeq before = log.last();
    const Result<std::vector<PoolUse>> counted = records.pools();
    if (!counted && counted.error().code == ErrorCode::refused) break;
    if (!counted) return std::unexpected(counted.error());
    const auto rows = running_in_pools(records, options.page);
    if (!rows) return std::unexpected(rows.error());
    if (Status read = log.catch_up(); !read) return read;
    if (log.last() != before) continue;
    compare(*counted, *rows, into);
    return {};
  }
  into.pools_not_judged = true;
  return {};
}

}  // namespace pawl::store
