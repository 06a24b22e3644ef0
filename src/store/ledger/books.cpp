#include "store/ledger/books.hpp"

#include <algorithm>
#include <utility>

namespace pawl::store {

TouchedJob* Books::touch(JobId id) {
  if (const auto known = touched_.find(id); known != touched_.end()) return &known->second;
  Job* job = rows_.job(id);
  if (job == nullptr) return nullptr;
  TouchedJob touched{.job = job, .workflow = &rows_.workflow(job->workflow_hash), .events = {}};
  return &touched_.emplace(id, std::move(touched)).first->second;
}

TouchedJob& Books::touch_owner(JobId id) {
  TouchedJob* touched = touch(id);
  require(touched != nullptr, "a record has no job");
  return *touched;
}

bool Books::replace(Task& next, Version expected) {
  next.version = next_stamp(expected, now_);
  return rows_.replace_task(next, expected);
}

bool Books::try_insert(Task& fresh) {
  fresh.version = next_stamp(0, now_);
  return rows_.insert_task(fresh);
}

void Books::rewrite(Task& next, const Task& before) {
  require(replace(next, before.version), "a row changed inside its own transaction");
}

void Books::insert(Task& fresh) {
  require(try_insert(fresh), "a row was there before it was written");
}

void Books::mark_changed(Job& job) const { job.generation = next_stamp(job.generation, now_); }

void Books::log(JobId job, std::span<const Event> events) {
  constexpr std::size_t events_per_row = 16;
  while (!events.empty()) {
    const std::size_t some = std::min(events.size(), events_per_row);
    rows_.append_journal(job, now_, events.first(some));
    events = events.subspan(some);
  }
}

}  // namespace pawl::store
