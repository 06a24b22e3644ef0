#include "service/live/attempt_counts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "pawl/codec/names.hpp"

namespace pawl::service {
namespace {

/// In seconds: from short functions to long commands.
constexpr std::array<double, 12> bounds = {0.005, 0.025, 0.1, 0.5, 1,     2.5,
                                           10,    30,    60,  300, 1'800, 7'200};
/// Stages of jobs whose names were not looked up yet. Beyond that their attempts get empty labels.
constexpr std::size_t unsettled_max = 5'000;

}  // namespace

AttemptCounts::Counts::Counts() : durations(bounds) {}

void AttemptCounts::Counts::add(const Counts& other) {
  for (const auto& [result, count] : other.results) results[result] += count;
  durations.add(other.durations);
}

void AttemptCounts::note(const Event& event) {
  const std::lock_guard lock(mutex_);
  ++events_[event.type];
  if (event.type != EventType::attempt_finished || !event.task) return;
  const std::pair key{event.job, stage_of(event.task)};
  const bool has_room = unsettled_.size() < unsettled_max || unsettled_.contains(key);
  Counts& counts = has_room ? unsettled_[key] : counts_of({});
  ++counts.results[event.code];
  if (event.count > 0) counts.durations.add(static_cast<double>(event.count) / 1e6);
}

/// The store is asked while nothing is locked, so that nobody who reports events waits for it.
void AttemptCounts::settle(const FindStage& find) {
  std::map<std::pair<JobId, StageIndex>, Counts> taken;
  {
    const std::lock_guard lock(mutex_);
    taken = std::exchange(unsettled_, {});
  }
  std::map<StageNames, Counts> found;
  for (auto counted = taken.begin(); counted != taken.end();) {
    const auto& [job, stage] = counted->first;
    const std::optional<StageNames> names = find(job, stage);
    if (!names) break;
    found[*names].add(counted->second);
    counted = taken.erase(counted);
  }
  const std::lock_guard lock(mutex_);
  for (const auto& [names, counts] : found) counts_of(names).add(counts);
  for (const auto& [key, counts] : taken) unsettled_[key].add(counts);
}

/// If there are too many, those that were used last stay.
AttemptCounts::Counts& AttemptCounts::counts_of(const StageNames& names) {
  if (!settled_.contains(names) && settled_.size() > stages_max_) {
    auto oldest = settled_.end();
    for (auto one = settled_.begin(); one != settled_.end(); ++one) {
      const bool is_rest = one->first == StageNames{};
      if (!is_rest && (oldest == settled_.end() || one->second.used < oldest->second.used)) {
        oldest = one;
      }
    }
    if (oldest != settled_.end()) settled_.erase(oldest);
  }
  Counts& counts = settled_[names];
  counts.used = ++uses_;
  return counts;
}

void AttemptCounts::write(MetricText& text, const FindStage& find) {
  settle(find);
  const std::lock_guard lock(mutex_);
  text.begin("pawl_events_total", MetricKind::counter,
             "Events of the log, by type, since this process started.");
  for (const auto& [type, count] : events_) {
    text.add({{"type", name_of(type)}}, static_cast<double>(count));
  }
  text.begin("pawl_attempts_total", MetricKind::counter,
             "Attempts that ended, on any worker, since this process started. Empty labels: stages "
             "beyond the bound, and deleted jobs.");
  for (const auto& [names, counts] : settled_) {
    for (const auto& [result, count] : counts.results) {
      const auto known = from_number<AttemptResult>(result);
      text.add({{"workflow", names.workflow},
                {"stage", names.stage},
                {"result", known ? name_of(*known) : "unknown"}},
               static_cast<double>(count));
    }
  }
  text.begin("pawl_attempt_duration_seconds", MetricKind::histogram,
             "How long attempts took, on any worker, since this process started.");
  for (const auto& [names, counts] : settled_) {
    text.add({{"workflow", names.workflow}, {"stage", names.stage}}, counts.durations);
  }
}

}  // namespace pawl::service
