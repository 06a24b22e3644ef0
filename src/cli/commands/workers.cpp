#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "pawl/codec/documents.hpp"
#include "sqlite/worker_locks.hpp"

namespace pawl::cli {
namespace {

struct WorkersOptions {
  bool all = false;  ///< include workers that have signed off
};

/// Retired: it signed off. Lost: its lease expired or, with a store in a file, its process is known
/// to have died; other workers take over its tasks.
std::string_view state_of_worker(const WorkerRecord& worker, const StorePlace& place,
                                 Timestamp now) {
  if (worker.retired) return "retired";
  if (worker.lease_until <= now) return "lost";
  const bool is_dead = place.is_file() && sqlite::WorkerLocks(place.file).is_dead(worker.id);
  return is_dead ? "lost" : "alive";
}

/// The tasks that a worker holds: the first page of them, and the total number.
struct Holds {
  std::vector<Task> tasks;
  std::int64_t count = 0;
  Timestamp since;  ///< start of the oldest attempt; none: it holds nothing
};

Timestamp opened_at(const Task& task) {
  const auto* running = std::get_if<Running>(&task.state);
  return running == nullptr ? no_time : running->opened_at;
}

Result<Holds> what_it_holds(Records& records, WorkerId worker) {
  Holds holds;
  TaskFilter filter{.worker = worker, .limit = 1'000};
  for (;;) {
    Result<std::vector<Task>> page = records.tasks(filter);
    if (!page) return std::unexpected(page.error());
    holds.count += static_cast<std::int64_t>(page->size());
    for (const Task& task : *page) {
      const Timestamp at = opened_at(task);
      if (holds.since == no_time || at < holds.since) holds.since = at;
    }
    const bool is_last = page->size() < filter.limit;
    if (!is_last) filter.after = page->back().id;
    if (holds.tasks.empty()) holds.tasks = std::move(*page);
    if (is_last) return holds;
  }
}

Json held_document(const Task& task) {
  return Json::object({{"job", task.job.value()},
                       {"item", task.item.value()},
                       {"task", task.id.value()},
                       {"attempt", static_cast<std::int64_t>(task.attempts)},
                       {"since", rfc3339(opened_at(task))}});
}

Json worker_document(const WorkerRecord& worker, const Holds& holds, std::string_view state) {
  std::vector<Json> held;
  for (const Task& task : holds.tasks) held.push_back(held_document(task));
  return Json::object({{"worker", worker.id.value()},
                       {"name", worker.name},
                       {"host", worker.host},
                       {"pid", worker.pid},
                       {"state", state},
                       {"attempts_open", holds.count},
                       {"started_at", rfc3339(worker.started_at)},
                       {"lease_until", rfc3339(worker.lease_until)},
                       {"holds", Json::array(held)}});
}

/// With --verbose: one line per attempt.
std::string held_lines(Records& records, const WorkerRecord& worker, const Holds& holds,
                       const Times& times) {
  std::string text;
  for (const Task& task : holds.tasks) {
    const Result<Job> job = records.job(task.job);
    const auto workflow =
        job ? records.workflow(job->workflow_hash) : Result<Workflow>(std::unexpected(job.error()));
    const std::string stage = workflow ? workflow->stage(task.stage()).name : "?";
    const Result<Item> item = records.item(task.item);
    text += "worker " + std::to_string(worker.id.value()) + " holds job " +
            std::to_string(task.job.value()) + (item ? " " + printable(item->key) : "") + " " +
            printable(stage) + ", attempt " + std::to_string(task.attempts) + ", since " +
            times.of(opened_at(task)) + "\n";
  }
  return text;
}

int workers(Session& session, const WorkersOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<std::vector<WorkerRecord>> all = records.workers();
  if (!all) return session.fail(all.error());
  const Times times = session.times();
  const Result<StorePlace> place = session.store_place();
  if (!place) return session.fail(place.error());

  Listing list(session, {.array = "workers",
                         .columns = {{"WORKER", Table::Align::right},
                                     {"NAME"},
                                     {"HOST"},
                                     {"PID", Table::Align::right},
                                     {"STATE"},
                                     {"RUNNING", Table::Align::right},
                                     {"SINCE"},
                                     {"STARTED"}}});
  std::string lines;
  for (const WorkerRecord& worker : *all) {
    if (worker.retired && !options.all) continue;
    const Result<Holds> holds = what_it_holds(records, worker.id);
    if (!holds) return session.fail(holds.error());
    const std::string_view state = state_of_worker(worker, *place, times.now);
    if (session.globals().verbose) lines += held_lines(records, worker, *holds, times);
    const auto cells = [&] {
      return Listing::Cells{std::to_string(worker.id.value()),
                            worker.name,
                            worker.host,
                            std::to_string(worker.pid),
                            {std::string(state), state == "alive" ? Paint::green : Paint::yellow},
                            with_separators(holds->count),
                            holds->since == no_time ? "-" : times.of(holds->since),
                            times.of(worker.started_at)};
    };
    list.add({.document = [&] { return worker_document(worker, *holds, state); },
              .id = [&] { return std::to_string(worker.id.value()); },
              .cells = cells});
  }
  return list.finish({.none = "no workers. start one: pawl work", .text = lines});
}

}  // namespace

CommandEntry workers_command() {
  return command("workers", "pawl workers", "List the workers of the store.", &workers,
                 [](WorkersOptions& it) -> Words {
                   return {flag("--all", it.all, "Include workers that have signed off")};
                 });
}

}  // namespace pawl::cli
