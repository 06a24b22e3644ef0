#include "runtime/scheduler.hpp"

#include <algorithm>

namespace pawl::runtime {

std::vector<LaneShare> Scheduler::pick(const std::vector<LaneHead>& heads, std::uint32_t room,
                                       Timestamp now,
                                       const std::function<LaneView(const LaneHead&)>& view) {
  std::map<std::int32_t, std::map<JobId, LaneShare>, std::greater<>> by_priority;
  for (const LaneHead& head : heads) {
    const LaneView seen = view(head);
    const bool wanted = seen.is_served && !passed_over_.contains(head.job) &&
                        (categories_.empty() || categories_.contains(head.category)) &&
                        (stages_.empty() || stages_.contains(seen.stage_name)) &&
                        !is_held_back(seen.pool, now);
    if (!wanted) continue;
    LaneShare& share = by_priority[head.priority][head.job];
    share.job = head.job;
    share.lanes.push_back({.id = head.lane, .stage = head.stage});
  }
  // Higher priorities first; among equals the one after the last served begins, and the room is
  // dealt out evenly. What one job leaves, the next claim gives to the others.
  std::vector<LaneShare> shares;
  for (auto& [priority, jobs] : by_priority) {
    const auto count = static_cast<std::uint32_t>(jobs.size());
    if (room == 0) break;
    const std::uint32_t each = std::max<std::uint32_t>(1, room / count);
    auto turn = jobs.upper_bound(last_served_);
    for (std::uint32_t i = 0; i < count && room > 0; ++i) {
      if (turn == jobs.end()) turn = jobs.begin();
      LaneShare& share = turn->second;
      share.max = std::min(each, room);
      room -= share.max;
      last_served_ = share.job;
      shares.push_back(std::move(share));
      ++turn;
    }
  }
  return shares;
}

void Scheduler::begin_claim() {
  if (passed_over_.empty()) asks_afresh_ = false;
}

bool Scheduler::has_others_to_ask(const std::vector<LaneShare>& asked, const Claims& claims,
                                  const std::vector<LaneHead>& heads) {
  if (!claims.opened.empty()) return end_round();
  std::map<JobId, std::uint32_t> taken;
  for (const Claimed& one : claims.conditional) ++taken[one.task.job];
  bool left_something = false;
  for (const LaneShare& share : asked) {
    if (taken[share.job] >= share.max) continue;
    passed_over_.insert(share.job);
    left_something = true;
  }
  if (!left_something) return false;
  const bool is_anybody_left = std::ranges::any_of(
      heads, [&](const LaneHead& head) { return !passed_over_.contains(head.job); });
  return is_anybody_left || end_round();
}

bool Scheduler::end_round() {
  passed_over_.clear();
  return asks_afresh_;
}

void Scheduler::hold_back(const std::string& pool, Timestamp until) {
  Timestamp& held = held_back_[pool];
  held = std::max(held, until);
}

bool Scheduler::is_held_back(const std::string& pool, Timestamp now) const {
  const auto held = held_back_.find(pool);
  return held != held_back_.end() && held->second > now;
}

Timestamp Scheduler::next_release(Timestamp now) {
  std::erase_if(held_back_, [&](const auto& entry) { return entry.second <= now; });
  Timestamp next = no_time;
  for (const auto& [pool, until] : held_back_) {
    if (next == no_time || until < next) next = until;
  }
  return next;
}

}  // namespace pawl::runtime
