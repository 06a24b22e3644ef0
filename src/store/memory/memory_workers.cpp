/// The workers of the memory store.

#include "store/memory/memory_rows.hpp"

namespace pawl::store {

WorkerId MemoryRows::insert_worker(const WorkerRecord& worker) {
  const WorkerId id{static_cast<std::int64_t>(workers.size()) + 1};
  remember_worker(id);
  workers.emplace(id, worker).first->second.id = id;
  leases_[id] = worker.lease_until - worker.started_at;
  may_hold_[id] = true;
  return id;
}

std::optional<WorkerRecord> MemoryRows::worker(WorkerId id) {
  const auto worker = workers.find(id);
  return worker == workers.end() ? std::nullopt : std::optional(worker->second);
}

bool MemoryRows::renew_worker(WorkerId id, Timestamp now, Timestamp holds_since) {
  const auto found = workers.find(id);
  if (found == workers.end() || found->second.retired) return false;
  remember_worker(id);
  found->second.lease_until = now + leases_.at(id);
  if (holds_since != no_time) found->second.holds_since = holds_since;
  return true;
}

bool MemoryRows::put_limits(WorkerId id, const WorkerLimits& limits) {
  const auto found = workers.find(id);
  if (found == workers.end()) return false;
  remember_worker(id);
  found->second.limits = limits;
  return true;
}

bool MemoryRows::retire_worker(WorkerId id) {
  const auto found = workers.find(id);
  if (found == workers.end()) return false;
  remember_worker(id);
  found->second.retired = true;
  return true;
}

std::vector<WorkerId> MemoryRows::gone_workers(Timestamp now, WorkerId self) {
  std::vector<WorkerId> gone;
  for (const auto& [id, may_hold] : may_hold_) {
    const WorkerRecord& worker = workers.at(id);
    if (may_hold && id != self && (worker.retired || worker.lease_until <= now)) {
      gone.push_back(id);
    }
  }
  return gone;
}

void MemoryRows::forget_worker(WorkerId id) {
  remember_worker(id);
  may_hold_[id] = false;
  workers.at(id).retired = true;
}

}  // namespace pawl::store
