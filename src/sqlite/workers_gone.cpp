#include "sqlite/workers_gone.hpp"

namespace pawl::sqlite {

namespace {

constexpr char select_workers_present[] =
    "SELECT id, retired OR lease_until <= ?1 FROM workers WHERE gone = 0 AND id <> ?2 ORDER BY id";

}  // namespace

std::vector<WorkerId> workers_gone(Connection& connection, const WorkerLocks& locks, Timestamp now,
                                   WorkerId self) {
  std::vector<WorkerId> gone;
  Cursor row = connection.prepared(select_workers_present).query(now, self);
  while (row.next()) {
    const auto worker = row.as<WorkerId>(0);
    // The host is not compared: the file is on a local disk, so every worker is on this machine.
    if (row.flag(1) || locks.is_dead(worker)) gone.push_back(worker);
  }
  return gone;
}

}  // namespace pawl::sqlite
