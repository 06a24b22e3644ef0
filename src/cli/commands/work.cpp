/// `pawl work`: works on all jobs of the store.

#include "cli/commands/commands.hpp"
#include "cli/worker_loop.hpp"

namespace pawl::cli {
namespace {

struct WorkOptions {
  std::vector<std::string> stages;
  std::vector<std::string> categories;
  std::optional<std::uint32_t> parallel;
  std::string lease;
  bool keep_running = false;
  std::string file_quota;
  bool drain = false;
};

/// How long other workers wait for a silent worker. With less than a second, a busy machine would
/// look dead.
Result<Duration> lease_from(const std::string& text) {
  if (text.empty()) return Duration::zero();
  const Result<Duration> lease = parse_duration(text);
  if (lease && *lease >= std::chrono::seconds(1)) return *lease;
  return pawl::fail(ErrorCode::invalid, "not a valid lease: '" + printable(text) + "'",
                    "pass a duration of at least one second, such as --lease 30s");
}

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

}  // namespace

CommandEntry work_command() {
  return command(
      "work", "pawl work --drain", "Work on all jobs of the store, and wait for more.", &work,
      [](WorkOptions& it) -> Words {
        return {
            list_option("--stages", it.stages, "A,B", "Work only on these stages"),
            list_option("--categories", it.categories, "X,Y",
                        "Work only on items of these categories"),
            option("--parallel", &it.parallel, "N",
                   "Maximum attempts at the same time; default: 8, or the number of processors if "
                   "larger"),
            option("--lease", &it.lease, "TIME",
                   "Other workers take over if this one is silent for so long; default: 60s"),
            keep_running_flag(it.keep_running),
            file_quota_option(it.file_quota),
            flag("--drain", it.drain, "Stop when every job has ended or waits only for reviewers"),
        };
      });
}

}  // namespace pawl::cli
