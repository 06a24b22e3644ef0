#pragma once

/// The records of a store as lines of JSON, one for each row. Compiled with every version that
/// created golden stores, so it uses only what they all have.

#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/core/json.hpp"
#include "pawl/store/records.hpp"

namespace pawl::golden {

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::cerr << result.error().text() << "\n";
    std::abort();
  }
  return std::move(*result);
}

inline Json named(std::string_view name) { return Json(std::string(name)); }

inline std::string line(const Json& json) { return json.text() + "\n"; }

inline std::string describe(const Task& task, const std::vector<Attempt>& attempts) {
  std::string out = line(Json::object({{"task", task.id.value()},
                                       {"item", task.item.value()},
                                       {"state", named(name_of(task.kind()))},
                                       {"version", task.version},
                                       {"epoch", task.epoch},
                                       {"attempts", task.attempts},
                                       {"failures", task.counts.failures},
                                       {"child", task.child ? Json(task.child->key) : Json()}}));
  for (const Attempt& attempt : attempts) {
    out += line(Json::object({{"task", attempt.task.value()},
                              {"attempt", attempt.number},
                              {"result", named(name_of(attempt.result))},
                              {"decision", named(name_of(attempt.decision.kind))},
                              {"rule", named(name_of(attempt.decision.rule))},
                              {"opened_at", attempt.opened_at.time_since_epoch().count()},
                              {"tokens", attempt.usage.tokens},
                              {"output", attempt.output},
                              {"message", attempt.error ? attempt.error->message : ""}}));
  }
  return out;
}

/// Everything a store has about its jobs, the log last. For stores with less than a thousand rows
/// of each kind.
inline std::string describe(Records& records) {
  constexpr std::uint32_t all = 1'000;
  std::string out;
  for (const Job& job : must(records.jobs({.limit = all}))) {
    out += line(Json::object({{"job", job.id.value()},
                              {"workflow", job.workflow_name},
                              {"hash", job.workflow_hash},
                              {"state", named(name_of(state_of(job)))},
                              {"items", job.items.total},
                              {"succeeded", job.items.succeeded},
                              {"dead_letters", job.dead_letters},
                              {"attempts", job.attempts_opened},
                              {"open", job.attempts_open},
                              {"tokens", job.used.tokens}}));
    for (const Item& item : must(records.items({.job = job.id, .limit = all}))) {
      out += line(Json::object({{"item", item.id.value()},
                                {"key", item.key},
                                {"category", item.category},
                                {"state", named(name_of(item.state))},
                                {"data", item.data}}));
    }
    for (const Task& task : must(records.tasks({.job = job.id, .limit = all}))) {
      out += describe(task, must(records.attempts(task.id)));
    }
    for (const Review& review : must(records.reviews({.job = job.id, .limit = all}))) {
      out += line(Json::object({{"review", review.id.value()},
                                {"task", review.task.value()},
                                {"status", named(name_of(review.status))},
                                {"reason", named(name_of(review.reason))},
                                {"digest", review.digest},
                                {"reviewer", review.answer ? review.answer->reviewer : ""}}));
    }
  }
  for (const Event& event : must(records.events({.limit = all}))) {
    out += line(Json::object({{"event", named(name_of(event.type))},
                              {"seq", event.seq},
                              {"job", event.job.value()},
                              {"task", event.task.value()},
                              {"attempt", event.attempt},
                              {"at", event.at.time_since_epoch().count()}}));
  }
  return out;
}

}  // namespace pawl::golden
