/// W7: how long the daemon takes until it is ready, on a large store and on an empty one. Measured
/// from the start of the program, as a service manager starts it, to its first answer 200 for
/// /readyz.

#include "bench/daemon.hpp"
#include "bench/service_store.hpp"

namespace pawl::bench {

namespace {

/// Milliseconds to its readiness and to its end.
struct Life {
  double to_ready = 0;
  double to_stop = 0;
};

Life life_on(const std::filesystem::path& project) {
  Daemon daemon(project);
  const Stopwatch stopping;
  daemon.stop();
  return {.to_ready = daemon.milliseconds_to_ready(), .to_stop = stopping.seconds() * 1e3};
}

}  // namespace

Lines w7_start(const Plan& plan) {
  const int starts = plan.full ? 15 : 5;
  const ServiceStore& store = service_store(plan);
  const Folder empty(plan.folder);
  make_project(empty.path());
  Line line{.work = "W7 start, " + count_text(store.attempts) + " attempts",
            .figure = "ready, ms",
            .beside = "an empty store",
            .bar = at_most(0, 200)};
  std::vector<double> stops;
  for (int start = 0; start < starts; ++start) {
    line.other.push_back(life_on(empty.path()).to_ready);
    const Life life = life_on(store.project);
    line.ours.push_back(life.to_ready);
    stops.push_back(life.to_stop);
  }
  line.notes = {std::to_string(std::filesystem::file_size(store.path()) >> 20) + " MiB, made in " +
                    std::to_string(static_cast<int>(store.seconds)) + " s",
                "stopping an idle daemon took " +
                    std::to_string(static_cast<int>(quantile(stops, 0.5))) + " ms"};
  return {line};
}

}  // namespace pawl::bench
