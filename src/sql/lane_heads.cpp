#include "sql/lane_heads.hpp"

namespace pawl::sql {

namespace {

constexpr char select_next_lane[] =
    "SELECT lane, age FROM tasks WHERE state = 1 AND lane > ?1 ORDER BY lane, age, id LIMIT 1";
constexpr char select_group[] =
    "SELECT g.base, g.job, g.category, j.priority FROM lane_groups g JOIN jobs j ON j.id = g.job "
    "WHERE g.base <= ?1 ORDER BY g.base DESC LIMIT 1";

}  // namespace

std::vector<LaneHead> lane_heads(Session& session) {
  std::vector<LaneHead> heads;
  for (LaneId lane;;) {
    LaneHead head;
    {
      Cursor row = session.prepared(select_next_lane).query(lane);
      if (!row.next()) return heads;
      head.lane = lane = row.as<LaneId>(0);
      head.oldest = row.integer(1);
    }
    Cursor row = session.prepared(select_group).query(lane);
    if (!row.next()) continue;
    head.stage = static_cast<StageIndex>(lane.value() - row.integer(0));
    head.job = row.as<JobId>(1);
    head.category = row.text(2);
    head.priority = row.as<std::int32_t>(3);
    heads.push_back(std::move(head));
  }
}

}  // namespace pawl::sql
