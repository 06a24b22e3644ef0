/// `pawl work`: works on all jobs of the store.

#include "cli/commands.hpp"
#include "cli/server_check.hpp"
#include "cli/working.hpp"

namespace pawl::cli {

namespace {

/// How long other workers wait for a silent worker. With less than a second, a busy machine would
/// look dead.
Result<Duration> lease_from(const std::string& text) {
  if (text.empty()) return Duration::zero();
  const Result<Duration> lease = parse_duration(text);
  if (lease && *lease >= std::chrono::seconds(1)) return *lease;
  return pawl::fail(ErrorCode::invalid, "not a valid lease: '" + printable(text) + "'",
                    "pass a duration of at least one second, such as --lease 30s");
}

}  // namespace

int work(Session& session, const WorkOptions& options) {
  const StopSignals signals;
  const Result<Duration> lease = lease_from(options.lease);
  if (!lease) return session.fail(lease.error());
  const Result<std::uint32_t> parallel = parallel_from(options.parallel);
  if (!parallel) return session.fail(parallel.error());
  if (const Status fit = check_server(session); !fit) return session.fail(fit.error());
  const Result<std::int64_t> file_quota = file_quota_from(options.file_quota);
  if (!file_quota) return session.fail(file_quota.error());
  const auto store = session.store();
  if (!store) return session.fail(store.error());
  WorkOrder order{.job = {},
                  .parallel = *parallel,
                  .stages = {options.stages.begin(), options.stages.end()},
                  .categories = {options.categories.begin(), options.categories.end()},
                  .lease = *lease,
                  .keep_running = options.keep_running,
                  .file_quota = *file_quota,
                  .until_idle = options.drain};
  if (!options.drain) session.say("working; press Ctrl-C to stop");
  return work_on(session, *store, signals, order);
}

}  // namespace pawl::cli
