#include "views/workers.hpp"

#include <utility>

#include "pawl/codec/rfc3339.hpp"

namespace pawl::views {
namespace {

Json held_document(const Task& task) {
  return Json::object({{"job", task.job.value()},
                       {"item", task.item.value()},
                       {"task", task.id.value()},
                       {"child", task.child ? Json(task.child->key) : Json()},
                       {"attempt", static_cast<std::int64_t>(task.attempts)},
                       {"since", rfc3339(opened_at(task))}});
}

}  // namespace

std::string_view state_of_worker(const WorkerRecord& worker, Timestamp now,
                                 const std::function<bool(WorkerId)>& is_dead) {
  if (worker.retired) return "retired";
  if (worker.lease_until <= now) return "lost";
  return is_dead(worker.id) ? "lost" : "alive";
}

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

}  // namespace pawl::views
