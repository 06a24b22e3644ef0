/// Opens Ready tasks for a worker, and commits its steps together with the claims that follow them.

#include <algorithm>
#include <utility>

#include "store/ledger/verbs.hpp"

namespace pawl::store {

Claims Claiming::claim(const ClaimRequest& request) {
  Claims claims;
  for (LaneShare share : request.shares) {
    const std::size_t so_far = claims.opened.size() + claims.conditional.size();
    if (so_far >= request.max) break;
    share.max = std::min(share.max, request.max - static_cast<std::uint32_t>(so_far));
    TouchedJob* touched = books_.touch(share.job);
    if (touched == nullptr) continue;
    if (const MayOpen may = may_open(*touched->job, now_); may.yes) {
      claim_share(*touched, share, request.worker, claims);
    } else if (may.budget != BudgetKind::none) {
      exhaust(*touched->job, may.budget, now_, touched->events);
    }
    if (!may_open(*touched->job, now_).yes) claims.refused.push_back(*touched->job);
  }
  for (const auto& [pool, until] : admission_.held_rates()) {
    claims.held_rates.push_back({.pool = pool, .until = until});
    if (claims.next_open == no_time || until < claims.next_open) claims.next_open = until;
  }
  return claims;
}

Committed Claiming::apply_and_refill(WorkerId worker, std::span<const Step> steps,
                                     const Refill& refill) {
  Committed committed;
  committed.steps.reserve(steps.size());
  std::uint32_t free = 0;
  for (const Step& step : steps) {
    const StepAnswer& answer = committed.steps.emplace_back(flow_.apply(step));
    const bool held_a_slot = step.was == StateKind::running;
    if (held_a_slot && answer.outcome == StepOutcome::applied && answer.opened.empty()) ++free;
  }
  if (free > 0 && !refill.shares.empty() && admission_.is_present(worker)) {
    // These steps may have been the last that a job was allowed.
    for (auto& [id, touched] : books_.touched()) flow_.bring_up_to_date(touched);
    committed.claims = claim({.worker = worker, .shares = refill.shares, .max = free});
    committed.is_short =
        committed.claims.opened.size() + committed.claims.conditional.size() < free;
  }
  return committed;
}

/// Takes from all lanes by age. A lane that turns out to be full, or whose conditions have to be
/// evaluated first, is left out and the others go on.
void Claiming::claim_share(TouchedJob& touched, const LaneShare& share, WorkerId worker,
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
      if (!admission_.may_open(touched, ready.stage())) {
        a_lane_is_full = true;
        std::erase(lanes, lane);
        continue;
      }
      // Only when there is room for it; otherwise workers would evaluate the condition again and
      // again.
      if (is_asked) {
        claims.conditional.push_back(claimed(ready));
        --left;
        continue;
      }
      Task opened = open(stage, ready, worker, now_, events);
      books_.rewrite(opened, ready);
      admission_.leave(touched, opened, StateKind::ready);
      admission_.enter(touched, opened);
      claims.opened.push_back(claimed(std::move(opened)));
      --left;
    }
    if (!a_lane_is_full || !may_open(*touched.job, now_).yes) break;
    // A task whose condition has to be evaluated is still Ready and would only come again.
    std::erase_if(lanes, [&](LaneId lane) {
      return std::ranges::any_of(claims.conditional,
                                 [&](const Claimed& one) { return one.task.lane == lane; });
    });
  }
  books_.log(touched.job->id, events);
}

}  // namespace pawl::store
