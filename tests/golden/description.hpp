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
#include "pawl/store/store.hpp"
#if __has_include("pawl/store/people.hpp")
#define HAS_PEOPLE
#include "pawl/store/people.hpp"
#endif

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

#ifdef HAS_PEOPLE
inline std::string describe_answers(Records& records, ReviewId review) {
  std::string out;
  for (const GivenAnswer& given : must(records.answers(review))) {
    out += line(Json::object({{"answer", given.number},
                              {"review", review.value()},
                              {"outcome", named(name_of(given.answer.outcome))},
                              {"by", given.answer.reviewer},
                              {"edits", given.answer.edits.value_or(Json())},
                              {"fate", named(name_of(given.fate))}}));
  }
  return out;
}

inline std::string describe_audit(Records& records) {
  std::string out;
  for (const AuditEntry& entry : must(records.audit({.limit = 1'000}))) {
    out += line(Json::object({{"audit", entry.number},
                              {"actor", entry.actor.name},
                              {"act", entry.act},
                              {"target", entry.target},
                              {"digest", entry.digest}}));
  }
  return out;
}

/// Who the people of a store are.
inline std::string describe(People& people) {
  std::string out;
  for (const Person& person : must(people.all())) {
    std::string groups;
    for (const std::string& group : person.groups) groups += group + " ";
    out += line(Json::object({{"person", person.name},
                              {"role", static_cast<std::int64_t>(person.role)},
                              {"groups", groups}}));
  }
  for (const TokenRecord& token : must(people.tokens())) {
    out += line(
        Json::object({{"token", token.number}, {"name", token.name}, {"sha256", token.sha256}}));
  }
  return out;
}
#else
inline std::string describe_answers(Records&, ReviewId) { return {}; }
inline std::string describe_audit(Records&) { return {}; }
#endif

/// Everything a store has about its jobs, then the log and the audit trail. For stores with less
/// than a thousand rows of each kind.
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
      out += describe_answers(records, review.id);
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
  return out + describe_audit(records);
}

/// Everything a store has.
inline std::string describe(Store& store) {
  std::string out = describe(store.records());
#ifdef HAS_PEOPLE
  out += describe(store.people());
#endif
  return out;
}

}  // namespace pawl::golden
