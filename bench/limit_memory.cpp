#include <deque>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "bench/chain.hpp"
#include "bench/limits.hpp"

namespace pawl::bench {

namespace {

/// The values that any store keeps, in the simplest containers for lookups.
struct Maps {
  std::map<ItemId, Item> items;
  std::map<TaskId, Task> tasks;
  std::map<std::pair<TaskId, AttemptNumber>, Attempt> attempts;
  std::vector<std::vector<Event>> journal;
  std::set<TaskId> ready;
  std::set<TaskId> running;
};

Event event(EventType type, const Task& task) {
  return {.type = type, .item = task.item, .task = task.id, .attempt = task.attempts, .code = 1};
}

void open_task(Maps& maps, Task& task, Timestamp now, std::vector<Event>& events) {
  ++task.version;
  ++task.attempts;
  ++task.counts.attempts;
  task.state = Running{.worker = WorkerId{1}, .opened_at = now};
  maps.running.insert(task.id);
  events.push_back(event(EventType::attempt_started, task));
}

void close_task(Maps& maps, TaskId id, Version expected, Timestamp now) {
  Task& task = maps.tasks.at(id);
  if (task.version != expected) give_up("a close was fenced");
  Attempt attempt{.task = id,
                  .number = task.attempts,
                  .worker = WorkerId{1},
                  .opened_at = std::get<Running>(task.state).opened_at,
                  .started_at = now,
                  .ended_at = now,
                  .output = stage_output(),
                  .counts_before = task.counts};
  attempt.decision.counts = task.counts;
  std::vector<Event> events;
  events.reserve(3);
  events.push_back(event(EventType::attempt_finished, task));
  events.push_back(event(EventType::task_succeeded, task));
  maps.running.erase(id);
  ++task.version;
  task.state = Succeeded{.attempt = task.attempts};
  maps.attempts.emplace(std::pair(id, task.attempts), std::move(attempt));
  if (at(task.stage()) + 1 < chain_length) {
    Task next{.id = TaskId{id.value() + 1}, .job = task.job, .item = task.item, .version = 1};
    open_task(maps, next, now, events);
    maps.tasks.emplace(next.id, std::move(next));
  } else {
    Item& item = maps.items.at(task.item);
    item.state = ItemState::succeeded;
    item.sinks_left = 0;
    events.push_back({.type = EventType::item_settled, .item = task.item, .code = 2});
  }
  maps.journal.push_back(std::move(events));
}

}  // namespace

Sample limit_memory(std::int64_t items) {
  const std::size_t in_flight_max = EngineOptions{}.parallel;
  Maps maps;
  for (std::int64_t n = 1; n <= items; ++n) {
    const NewItem fresh = nth_item(n);
    const ItemId id{n};
    maps.items.emplace(
        id, Item{.id = id, .job = JobId{1}, .key = fresh.key, .data = fresh.data, .sinks_left = 1});
    const TaskId first = task_id(id, StageIndex{});
    maps.tasks.emplace(
        first, Task{.id = first, .job = JobId{1}, .item = id, .version = 1, .state = Ready{}});
    maps.ready.insert(first);
  }

  Sample sample;
  std::deque<TaskId> in_flight;
  const Stopwatch watch;
  for (;;) {
    const Timestamp now = system_clock().now();
    while (in_flight.size() < in_flight_max && !maps.ready.empty()) {
      Task& task = maps.tasks.at(*maps.ready.begin());
      maps.ready.erase(maps.ready.begin());
      std::vector<Event> events;
      open_task(maps, task, now, events);
      maps.journal.push_back(std::move(events));
      in_flight.push_back(task.id);
    }
    if (in_flight.empty()) break;
    for (std::size_t i = in_flight.size(); i > 0; --i) {
      const TaskId id = in_flight.front();
      in_flight.pop_front();
      close_task(maps, id, 2, now);
      ++sample.executions;
      if (at(stage_of(id)) + 1 < chain_length) in_flight.push_back(TaskId{id.value() + 1});
    }
  }
  sample.seconds = watch.seconds();
  sample.processor = watch.processor();
  return sample;
}

}  // namespace pawl::bench
