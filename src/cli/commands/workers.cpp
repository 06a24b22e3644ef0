#include "views/workers.hpp"

#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"

namespace pawl::cli {

using views::Holds;
using views::opened_at;
using views::what_it_holds;
using views::worker_document;

namespace {

struct WorkersOptions {
  bool all = false;  ///< include workers that have signed off
};

std::string_view state_of_worker(const WorkerRecord& worker, const StorePlace& place,
                                 Timestamp now) {
  return views::state_of_worker(worker, now, [&](WorkerId id) { return is_known_dead(place, id); });
}

/// With --verbose: one line per restriction.
std::string limit_lines(const WorkerRecord& worker) {
  std::string text;
  for (const std::string& one : views::restrictions(worker.limits)) {
    text += "worker " + std::to_string(worker.id.value()) + " " + printable(one) + "\n";
  }
  return text;
}

std::string limits_in_words(const WorkerRecord& worker) {
  std::string text;
  for (const std::string& one : views::restrictions(worker.limits)) {
    text += (text.empty() ? "" : "; ") + one;
  }
  return text.empty() ? "-" : text;
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
            printable(stage) + (task.child ? "[" + printable(task.child->key) + "]" : "") +
            ", attempt " + std::to_string(task.attempts) + ", since " + times.of(opened_at(task)) +
            "\n";
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
                                     {"STARTED"},
                                     {"LIMITS", Table::Align::left, 60}}});
  std::string lines;
  for (const WorkerRecord& worker : *all) {
    if (worker.retired && !options.all) continue;
    const Result<Holds> holds = what_it_holds(records, worker.id);
    if (!holds) return session.fail(holds.error());
    const std::string_view state = state_of_worker(worker, *place, times.now);
    if (session.globals().verbose) {
      lines += limit_lines(worker) + held_lines(records, worker, *holds, times);
    }
    const auto cells = [&] {
      return Listing::Cells{std::to_string(worker.id.value()),
                            worker.name,
                            worker.host,
                            std::to_string(worker.pid),
                            {std::string(state), state == "alive" ? Paint::green : Paint::yellow},
                            with_separators(holds->count),
                            holds->since == no_time ? "-" : times.of(holds->since),
                            times.of(worker.started_at),
                            limits_in_words(worker)};
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
