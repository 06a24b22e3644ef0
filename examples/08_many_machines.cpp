/// One job, many machines: the store is a PostgreSQL database.
///
/// Shows: opening a store by its address, a job that is submitted once however many programs try,
/// and who did how much of it. Start it as often as you like, on as many machines as you like, with
/// the same address: each takes what is ready, and when one is killed the others take over.
///
/// Run it: 08_many_machines [postgres://user@host/database?schema=NAME [WORKERS]]
///   without an address: that of PAWL_STORE. It begins when WORKERS of them are there, 1 unless
///   said. The job is done once in a schema; another schema does it anew.

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lesson.hpp"
#include "pawl/pawl.hpp"
#include "pawl/store/postgres.hpp"

namespace {

using lesson::must;
using lesson::promise;
using namespace std::chrono_literals;

constexpr int parcels = 120;

/// As if it were work: takes its time, and ends early when asked to.
pawl::Outcome weigh(pawl::Context& context, std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, 30ms, [] { return false; });
  return pawl::Output{.summary = context.item_key() + " weighed"};
}

std::vector<pawl::NewItem> every_parcel() {
  std::vector<pawl::NewItem> items;
  for (int i = 1; i <= parcels; ++i) items.push_back({.key = "parcel-" + std::to_string(i)});
  return items;
}

/// Engines sign on when they are created, and off when they stop.
std::size_t present(pawl::Store& store) {
  std::size_t count = 0;
  for (const pawl::WorkerRecord& worker : must(store.records().workers())) {
    if (!worker.retired && worker.lease_until > store.now()) ++count;
  }
  return count;
}

/// Every attempt is a record that says who made it.
std::map<pawl::WorkerId, int> attempts_by_worker(pawl::Records& records, pawl::JobId job) {
  std::map<pawl::WorkerId, int> done;
  for (const pawl::Task& task : must(records.tasks({.job = job, .limit = 1'000}))) {
    for (const pawl::Attempt& attempt : must(records.attempts(task.id))) ++done[attempt.worker];
  }
  return done;
}

void many_machines(const std::string& address, std::size_t workers) {
  pawl::WorkflowBuilder build("parcels");
  build.stage("weigh", weigh);
  const pawl::Program weighing = must(build.build());

  // 1. The address says it all: server, database, schema, and whatever libpq understands.
  const auto store = must(pawl::open_postgres_store({.url = address}));
  const auto engine = must(
      pawl::Engine::create(store, {.name = "parcels", .threads = 2, .parallel = 2, .lease = 10s}));
  engine->serve(weighing);
  while (present(*store) < workers) {
    std::this_thread::sleep_for(20ms);  // waits: the others have to sign on
  }

  // 2. All of them submit it; a key makes it one job.
  const pawl::JobId id =
      must(engine->submit(weighing.workflow(), every_parcel(), {.key = "today's parcels"}));
  engine->start();
  const pawl::Job job = must(engine->wait(id));
  engine->stop();

  // 3. Who did what is in the records.
  std::printf("job %lld is %s: %lld of %d parcels weighed\n\n",
              static_cast<long long>(job.id.value()),
              std::string(pawl::name_of(pawl::state_of(job))).c_str(),
              static_cast<long long>(job.items.succeeded), parcels);
  std::printf("%6s  %-20s  %8s  %8s\n", "worker", "host", "process", "attempts");
  const std::map<pawl::WorkerId, int> done = attempts_by_worker(store->records(), id);
  std::int64_t attempts = 0;
  for (const auto& [worker, count] : done) {
    const pawl::WorkerRecord who = must(store->records().worker(worker));
    std::printf("%6lld  %-20s  %8lld  %8d\n", static_cast<long long>(worker.value()),
                who.host.c_str(), static_cast<long long>(who.pid), count);
    attempts += count;
  }
  promise(pawl::state_of(job) == pawl::JobState::completed, "the job is completed");
  promise(job.items.succeeded == parcels, "every parcel was weighed");
  promise(attempts == job.attempts_opened, "every attempt is on record, with who made it");
}

}  // namespace

int main(int argc, char** argv) {
  const char* const named = argc > 1 ? argv[1] : std::getenv("PAWL_STORE");
  const std::string address = named == nullptr ? "" : named;
  const long workers = argc > 2 ? std::atol(argv[2]) : 1;
  if (!pawl::is_postgres_url(address) || workers < 1) {
    std::fprintf(
        stderr,
        "08_many_machines needs the address of a PostgreSQL database that it may write "
        "to:\n  08_many_machines 'postgres://user@host/database?schema=parcels' [WORKERS]\n"
        "or the same in PAWL_STORE. docs/guide/postgres.md tells more.\n");
    return 2;
  }
  return lesson::run(1, argv, [&](const std::filesystem::path&) {
    many_machines(address, static_cast<std::size_t>(workers));
  });
}
