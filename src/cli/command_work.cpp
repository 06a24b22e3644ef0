/// `pawl work`: keeps working on whatever the store holds.

#include "cli/commands.hpp"
#include "cli/working.hpp"

namespace pawl::cli {

int work(Session& session, const WorkOptions& options) {
  const StopSignals signals;
  const auto store = session.store();
  if (!store) return session.fail(store.error());
  WorkOrder order{.job = {},
                  .parallel = options.parallel,
                  .stages = {options.stages.begin(), options.stages.end()},
                  .categories = {options.categories.begin(), options.categories.end()},
                  .until_idle = options.drain};
  if (!options.drain) session.say("working; Ctrl-C stops");
  return work_on(session, *store, signals, order);
}

}  // namespace pawl::cli
