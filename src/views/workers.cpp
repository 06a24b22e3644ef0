#include "views/workers.hpp"

#include <optional>
#include <set>
#include <utility>

#include "core/joined.hpp"
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

std::string in_words(const std::set<JobId>& jobs) {
  std::string all;
  for (const JobId job : jobs) {
    all += (all.empty() ? "job " : ", job ") + std::to_string(job.value());
  }
  return all;
}

std::string reason_of(const WorkerLimits::Left& left) {
  return left.reason.empty() ? "it has no code for it" : left.reason;
}

Json list_of(const std::set<std::string>& names) {
  std::vector<Json> list;
  for (const std::string& name : names) list.emplace_back(name);
  return Json::array(list);
}

Json limits_document(const WorkerLimits& limits) {
  std::vector<Json> jobs;
  for (const JobId job : limits.jobs) jobs.emplace_back(job.value());
  std::vector<Json> left;
  for (const WorkerLimits::Left& one : limits.left) {
    left.push_back(Json::object({{"job", one.job.value()},
                                 {"stage", one.stage.empty() ? Json() : Json(one.stage)},
                                 {"reason", reason_of(one)}}));
  }
  return Json::object({{"parallel", limits.parallel == 0 ? Json() : Json(limits.parallel)},
                       {"stages", list_of(limits.stages)},
                       {"categories", list_of(limits.categories)},
                       {"jobs", Json::array(jobs)},
                       {"leaves", Json::array(left)},
                       {"cut_at", limits.cut_at ? Json(limits.cut_at.value()) : Json()}});
}

}  // namespace

std::string in_words(const WorkerRecord& worker) {
  return "worker " + std::to_string(worker.id.value()) + " (" + worker.name + " on " + worker.host +
         ")";
}

std::vector<std::string> restrictions(const WorkerLimits& limits) {
  std::vector<std::string> all;
  if (!limits.stages.empty()) all.push_back("takes only the stages " + joined(limits.stages));
  if (!limits.categories.empty()) {
    all.push_back("takes only the categories " + joined(limits.categories));
  }
  if (!limits.jobs.empty()) all.push_back("works only on " + in_words(limits.jobs));
  for (const WorkerLimits::Left& left : limits.left) {
    const std::string job = "job " + std::to_string(left.job.value());
    all.push_back("leaves " + (left.stage.empty() ? job : "stage " + left.stage + " of " + job) +
                  " to others: " + reason_of(left));
  }
  if (limits.cut_at) {
    all.push_back("leaves more to others, of job " + std::to_string(limits.cut_at.value()) +
                  " and older ones");
  }
  return all;
}

std::optional<std::string> why_left(const WorkerLimits& limits, JobId job, const std::string& stage,
                                    const std::string& category) {
  if (!limits.stages.empty() && !limits.stages.contains(stage)) {
    return "takes only the stages " + joined(limits.stages);
  }
  if (!limits.categories.empty() && !limits.categories.contains(category)) {
    return "takes only the categories " + joined(limits.categories);
  }
  if (!limits.jobs.empty() && !limits.jobs.contains(job)) {
    return "works only on " + in_words(limits.jobs);
  }
  for (const WorkerLimits::Left& left : limits.left) {
    if (left.job != job || (!left.stage.empty() && left.stage != stage)) continue;
    return "leaves it to others: " + reason_of(left);
  }
  if (limits.cut_at && job <= limits.cut_at) {
    return "leaves more to others than it lists, perhaps this, too";
  }
  return std::nullopt;
}

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
                       {"holds", Json::array(held)},
                       {"limits", limits_document(worker.limits)}});
}

}  // namespace pawl::views
