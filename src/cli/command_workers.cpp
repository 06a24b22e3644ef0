#include <vector>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "pawl/codec/documents.hpp"

namespace pawl::cli {
namespace {

/// Retired: it signed off. Lost: its lease ran out, so others take its work over.
std::string_view state_of_worker(const WorkerRecord& worker, Timestamp now) {
  if (worker.retired) return "retired";
  return worker.lease_until > now ? "alive" : "lost";
}

Json worker_document(const WorkerRecord& worker, std::int64_t running, Timestamp now) {
  return Json::object({{"worker", worker.id.value()},
                       {"name", worker.name},
                       {"host", worker.host},
                       {"pid", worker.pid},
                       {"state", state_of_worker(worker, now)},
                       {"attempts_open", running},
                       {"started_at", rfc3339(worker.started_at)},
                       {"lease_until", rfc3339(worker.lease_until)}});
}

}  // namespace

int workers(Session& session, const WorkersOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<std::vector<WorkerRecord>> all = records.workers();
  if (!all) return session.fail(all.error());
  const Times times = session.times();

  Table table({{"WORKER", Table::Align::right},
               {"NAME"},
               {"HOST"},
               {"PID", Table::Align::right},
               {"STATE"},
               {"RUNNING", Table::Align::right},
               {"STARTED"}});
  std::vector<Json> documents;
  for (const WorkerRecord& worker : *all) {
    if (worker.retired && !options.all) continue;
    std::int64_t running = 0;
    TaskFilter held{.worker = worker.id, .limit = 1'000};
    for (;;) {
      const Result<std::vector<Task>> page = records.tasks(held);
      if (!page) return session.fail(page.error());
      running += static_cast<std::int64_t>(page->size());
      if (page->size() < held.limit) break;
      held.after = page->back().id;
    }
    const std::string_view state = state_of_worker(worker, times.now);
    documents.push_back(worker_document(worker, running, times.now));
    if (session.globals().quiet && !session.globals().wants_json()) {
      session.print(std::to_string(worker.id.value()) + "\n");
    }
    table.add({std::to_string(worker.id.value()),
               worker.name,
               worker.host,
               std::to_string(worker.pid),
               {std::string(state), state == "alive" ? Paint::green : Paint::yellow},
               with_separators(running),
               times.of(worker.started_at)});
  }
  if (session.globals().jsonl) {
    for (const Json& document : documents) session.print(document);
  } else if (session.globals().json) {
    session.print(Json::object({{"workers", Json::array(documents)}}));
  } else if (!session.globals().quiet) {
    if (table.empty()) {
      session.say("nobody works on this store. start: pawl work");
    } else {
      session.print(table.text(session.style()));
    }
  }
  return exit_done;
}

}  // namespace pawl::cli
