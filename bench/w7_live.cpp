/// W7: a thousand clients follow a job by server-sent events, while another process carries out W1
/// on the same store. Compared with W1 while nobody follows, and while there is no daemon at all.
///
/// The job that they follow is paused and resumed five times a second, with clients and without,
/// so that 5,000 events a second are delivered. The daemon reads the events of W1 as well.

#include <chrono>
#include <iomanip>
#include <optional>
#include <sstream>
#include <thread>

#include "bench/daemon.hpp"
#include "bench/live_clients.hpp"
#include "bench/service_store.hpp"

namespace pawl::bench {

namespace {

constexpr std::int64_t clients_count = 1'000;
constexpr std::chrono::milliseconds between_events(200);

std::shared_ptr<Store> store_of(const std::filesystem::path& project) {
  return must(open_sqlite_store({.path = project / ".pawl/pawl.db"}), "the store");
}

/// Pauses and resumes a job, until it is destroyed.
class Toggler {
 public:
  Toggler(std::shared_ptr<Store> store, JobId job)
      : thread_([store = std::move(store), job](const std::stop_token& stop) {
          const Actor actor{.name = "bench"};
          for (bool pauses = true; !stop.stop_requested(); pauses = !pauses) {
            const Act act = pauses ? Act(PauseJob{.job = job}) : Act(ResumeJob{.job = job});
            must(store->act(act, actor), "pausing or resuming a job");
            std::this_thread::sleep_for(between_events);
          }
        }) {}

 private:
  std::jthread thread_;
};

/// The events of a job after another event.
struct Events {
  std::int64_t count = 0;
  EventSeq last = 0;
};

Events events_after(const std::filesystem::path& project, JobId job, EventSeq after) {
  return in_child([&] {
    const std::shared_ptr<Store> store = store_of(project);
    Events found{.last = after};
    for (;;) {
      const std::vector<Event> page =
          must(store->records().events({.job = job, .after = found.last}), "the events");
      if (page.empty()) return found;
      found.count += static_cast<std::int64_t>(page.size());
      found.last = page.back().seq;
    }
  });
}

/// What a run begins with.
struct Beginning {
  JobId watched;        ///< the job that clients follow
  EventSeq newest = 0;  ///< before they do
};

Beginning begin(const std::filesystem::path& project) {
  make_project(project);
  return in_child([&] {
    const std::shared_ptr<Store> store = store_of(project);
    const JobId watched = submit_to(*store, one_stage(), 1);
    return Beginning{.watched = watched,
                     .newest = must(store->records().last_event(), "the newest event")};
  });
}

/// W1 in a process of its own, while the watched job changes.
Sample w1_beside(const std::filesystem::path& project, JobId watched, std::int64_t items) {
  return in_child([&] {
    const std::shared_ptr<Store> store = store_of(project);
    const Program program = chain();
    const JobId job = submit_to(*store, program, items);
    const Toggler toggler(store, watched);
    return run_to_the_end(store, program, job);
  });
}

enum class Side : std::uint8_t { alone, daemon, clients };

struct LiveRun {
  Sample w1;
  double daemon_processor = 0;  ///< seconds, during W1
  ProcessMemory memory;
  std::optional<LiveReport> seen;
};

LiveRun run(const Plan& plan, Side side, std::int64_t items) {
  const Folder folder(plan.folder);
  const Beginning beginning = begin(folder.path());
  LiveRun run;
  if (side == Side::alone) {
    run.w1 = w1_beside(folder.path(), beginning.watched, items);
    return run;
  }
  Daemon daemon(folder.path());
  std::optional<LiveClients> clients;
  if (side == Side::clients) {
    clients.emplace(daemon.address(), daemon.cookie(),
                    "/api/v1/events/stream?job=" + std::to_string(beginning.watched.value()),
                    clients_count);
  }
  const double before = daemon.processor_seconds();
  run.w1 = w1_beside(folder.path(), beginning.watched, items);
  run.daemon_processor = daemon.processor_seconds() - before;
  run.memory = daemon.memory();
  if (clients) {
    const Events expected = events_after(folder.path(), beginning.watched, beginning.newest);
    run.seen = clients->finish(expected.last);
    must_be_complete(*run.seen, clients_count, expected.count);
  }
  daemon.stop();
  return run;
}

/// Every client gets every event of a short W1: how many events a second the daemon delivers.
Line fan_out(const Plan& plan) {
  constexpr std::int64_t items = 60;
  Line line{.work = "W7 live, all events to all", .figure = "events/s delivered"};
  for (int round = 0; round < plan.rounds; ++round) {
    const Folder folder(plan.folder);
    const Beginning beginning = begin(folder.path());
    Daemon daemon(folder.path());
    LiveClients clients(daemon.address(), daemon.cookie(), "/api/v1/events/stream", clients_count);
    const double before = daemon.processor_seconds();
    const Stopwatch watch;
    (void)w1_beside(folder.path(), beginning.watched, items);
    const Events expected = events_after(folder.path(), {}, beginning.newest);
    const LiveReport seen = clients.finish(expected.last);
    const double seconds = watch.seconds();
    must_be_complete(seen, clients_count, expected.count);
    line.ours.push_back(static_cast<double>(seen.events) / seconds);
    std::ostringstream note;
    note << expected.count << " events to each of " << clients_count << " clients in " << std::fixed
         << std::setprecision(2) << seconds << " s, " << std::setprecision(0)
         << static_cast<double>(seen.bytes) / 1e6 << " MB; processor time: the daemon "
         << std::setprecision(2) << daemon.processor_seconds() - before << " s, the clients "
         << seen.processor << " s";
    line.notes = {note.str()};
    daemon.stop();
  }
  return line;
}

std::string note_of(const LiveRun& run) {
  std::ostringstream note;
  note << std::fixed << std::setprecision(0)
       << static_cast<double>(run.seen->events) / run.w1.seconds << " events a second delivered, "
       << run.seen->most << " to each, once and in order; after " << std::setprecision(1)
       << run.seen->delay_p50_ms << " ms (p50), " << run.seen->delay_p95_ms << " ms (p95)";
  return note.str();
}

std::string processor_note(const LiveRun& run, const LiveRun& quiet) {
  std::ostringstream note;
  note << std::fixed << std::setprecision(2) << "processor time in " << run.w1.seconds << " s: W1 "
       << run.w1.processor << " s, the daemon " << run.daemon_processor << " s (without clients "
       << quiet.daemon_processor << " s in " << quiet.w1.seconds << " s), the clients "
       << run.seen->processor << " s with their connecting";
  return note.str();
}

}  // namespace

Lines w7_live(const Plan& plan) {
  const std::int64_t items = plan.items > 0 ? plan.items : (plan.full ? 100'000 : 20'000);
  Line followed{.work = "W7 live, 1,000 clients",
                .figure = "executions/s",
                .beside = "no clients",
                .bar = at_least(0.95)};
  Line served{.work = "W7 live, no clients", .figure = "executions/s", .beside = "no daemon"};
  Line memory{.work = "W7 live, 1,000 clients", .figure = "MB resident", .beside = "no clients"};
  for (int round = 0; round < plan.rounds; ++round) {
    const LiveRun alone = run(plan, Side::alone, items);
    const LiveRun quiet = run(plan, Side::daemon, items);
    const LiveRun live = run(plan, Side::clients, items);
    followed.ours.push_back(live.w1.rate());
    followed.other.push_back(quiet.w1.rate());
    served.ours.push_back(quiet.w1.rate());
    served.other.push_back(alone.w1.rate());
    memory.ours.push_back(live.memory.megabytes());
    memory.other.push_back(quiet.memory.megabytes());
    followed.notes = {note_of(live), processor_note(live, quiet)};
  }
  return {followed, served, memory, fan_out(plan)};
}

}  // namespace pawl::bench
