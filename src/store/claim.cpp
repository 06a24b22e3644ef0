/// Ready tasks are opened for a worker.

#include <algorithm>
#include <utility>

#include "store/ledger.hpp"

namespace pawl {

Claims Ledger::claim(const ClaimRequest& request) {
  Claims claims;
  for (LaneShare share : request.shares) {
    const std::size_t so_far = claims.opened.size() + claims.conditional.size();
    if (so_far >= request.max) break;
    share.max = std::min(share.max, request.max - static_cast<std::uint32_t>(so_far));
    Touched* touched = touch(share.job);
    if (touched == nullptr) continue;
    if (const MayOpen may = may_open(*touched->job, now_); may.yes) {
      claim_share(*touched, share, request.worker, claims);
    } else if (may.budget != BudgetKind::none) {
      exhaust(*touched->job, may.budget, now_, touched->events);
    }
    if (!may_open(*touched->job, now_).yes) claims.refused.push_back(*touched->job);
  }
  for (const auto& [pool, until] : held_rates_) {
    claims.held_rates.push_back({.pool = pool, .until = until});
    if (claims.next_open == no_time || until < claims.next_open) claims.next_open = until;
  }
  return claims;
}

Committed Ledger::commit(WorkerId worker, std::span<const Step> steps, const Refill& refill) {
  Committed committed;
  committed.steps.reserve(steps.size());
  std::uint32_t free = 0;
  for (const Step& step : steps) {
    const StepAnswer& answer = committed.steps.emplace_back(apply(step));
    const bool held_a_slot = step.was == StateKind::running;
    if (held_a_slot && answer.outcome == StepOutcome::applied && answer.opened.empty()) ++free;
  }
  if (free > 0 && !refill.shares.empty() && is_present(worker)) {
    // These steps may have been the last that a job was allowed.
    for (auto& [id, at] : touched_) bring_up_to_date(at);
    committed.claims = claim({.worker = worker, .shares = refill.shares, .max = free});
    committed.is_short =
        committed.claims.opened.size() + committed.claims.conditional.size() < free;
  }
  committed.jobs = finish();
  return committed;
}

/// Takes from all lanes by age. Where a lane turns out to be full, or its tasks have to be looked
/// at first, it is left out and the others go on.
void Ledger::claim_share(Touched& touched, const LaneShare& share, WorkerId worker,
                         Claims& claims) {
  const auto claimed = [&](Task task) {
    Claimed one{.task = std::move(task), .item_key = {}, .category = {}, .data = {}};
    if (one.task.item) {
      ItemBrief brief = rows_.brief(one.task.item);
      one.item_key = std::move(brief.key);
      one.category = std::move(brief.category);
      one.data = std::move(brief.data);
    }
    return one;
  };
  std::vector<LaneId> lanes;
  for (const LaneShare::Lane& lane : share.lanes) lanes.push_back(lane.id);
  std::vector<Event> events;
  std::uint32_t left = share.max;
  while (left > 0 && !lanes.empty()) {
    const std::vector<Task> candidates = rows_.ready_tasks(lanes, left);
    bool a_lane_is_full = false;
    for (const Task& ready : candidates) {
      const LaneId lane = ready.lane;
      if (std::ranges::find(lanes, lane) == lanes.end()) continue;
      const StageDefinition& stage = touched.workflow->stage(ready.stage());
      const bool is_asked = stage.conditional && !ready.child && ready.cause != Cause::join;
      if (!may_open_now(touched, ready.stage())) {
        a_lane_is_full = true;
        std::erase(lanes, lane);
        continue;
      }
      // Not before there is room for it: workers would ask again and again.
      if (is_asked) {
        claims.conditional.push_back(claimed(ready));
        --left;
        continue;
      }
      Task opened = open(stage, ready, worker, now_, events);
      rewrite(opened, ready);
      leave(touched, opened, StateKind::ready);
      enter(touched, opened);
      claims.opened.push_back(claimed(std::move(opened)));
      --left;
    }
    if (!a_lane_is_full || !may_open(*touched.job, now_).yes) break;
    // What has to be looked at first is still Ready and would only come again.
    std::erase_if(lanes, [&](LaneId lane) {
      return std::ranges::any_of(claims.conditional,
                                 [&](const Claimed& one) { return one.task.lane == lane; });
    });
  }
  log(touched.job->id, events);
}

}  // namespace pawl
