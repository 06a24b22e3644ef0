#include "service/live/stage_figures.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::service {
namespace {

constexpr Duration hour = std::chrono::hours(1);
constexpr std::uint32_t page_size = 1'000;
/// The log is read backwards in windows of so many numbers. At most so many events are in one.
constexpr EventSeq window = 16'000;

std::int64_t minute_of(Timestamp time) {
  return std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
}

Json seconds_or_null(std::optional<Duration> duration) {
  return duration ? Json(static_cast<double>(duration->count()) / 1e6) : Json();
}

}  // namespace

StageFigures::StageFigures(Engine& engine, LiveEvents& live) : engine_(engine) {
  Listening listening = live.listen([this](const Event& event) { note(event); });
  subscription_ = std::move(listening.subscription);
  if (!listening.after) return;
  seeding_ = std::jthread(
      [this, newest = *listening.after](const std::stop_token& stop) { seed(stop, newest); });
}

StageFigures::~StageFigures() = default;

void StageFigures::wait_until_seeded() {
  if (seeding_.joinable()) seeding_.join();
}

/// Newest first, so that the events that are left out are the oldest ones.
void StageFigures::seed(const std::stop_token& stop, EventSeq newest) {
  Records& records = engine_.records();
  const Timestamp since = engine_.store().now() - hour;
  std::size_t events = 0;
  for (EventSeq end = newest; end > 0 && events < seed_max && !stop.stop_requested();) {
    const EventSeq begin = std::max<EventSeq>(end - window, 0);
    bool is_too_old = false;
    for (EventSeq after = begin; after < end;) {
      const auto page = records.events({.after = after, .limit = page_size});
      if (!page || page->empty()) break;
      for (const Event& event : *page) {
        if (event.seq > end) break;
        is_too_old |= event.at < since;
        ++events;
        note(event);
      }
      after = page->back().seq;
    }
    if (is_too_old) return;
    end = begin;
  }
}

void StageFigures::note(const Event& event) {
  if (event.type != EventType::attempt_finished || !event.task) return;
  const Timestamp now = engine_.store().now();
  if (event.at < now - hour) return;
  const std::lock_guard lock(mutex_);
  const std::int64_t number = minute_of(event.at);
  Minute& minute = stages_[{event.job, stage_of(event.task)}][number];
  ++minute.attempts;
  if (event.count > 0) minute.durations.add(Duration{event.count});
  if (forgotten_at_ != minute_of(now) || stages_.size() > stages_max) forget(now);
}

void StageFigures::forget(Timestamp now) {
  forgotten_at_ = minute_of(now);
  const std::int64_t oldest = forgotten_at_ - minutes_kept;
  for (auto& [stage, minutes] : stages_) {
    std::erase_if(minutes, [&](const auto& minute) { return minute.first <= oldest; });
  }
  std::erase_if(stages_, [](const auto& stage) { return stage.second.empty(); });
  if (stages_.size() <= stages_max) return;
  // A tenth more than needed, so that this is rare.
  std::vector<std::pair<std::int64_t, Stage>> by_age;
  for (const auto& [stage, minutes] : stages_) by_age.emplace_back(minutes.rbegin()->first, stage);
  std::ranges::sort(by_age);
  by_age.resize(by_age.size() - stages_max + stages_max / 10);
  for (const auto& [last, stage] : by_age) stages_.erase(stage);
}

std::size_t StageFigures::stages() const {
  const std::lock_guard lock(mutex_);
  return stages_.size();
}

Json StageFigures::document_of(const Job& job, const Workflow& workflow) const {
  const std::int64_t newest = minute_of(engine_.store().now());
  std::vector<Json> stages;
  const std::lock_guard lock(mutex_);
  for (const StageIndex index : workflow.topological_order()) {
    std::vector<std::int64_t> counts(minutes_kept);
    std::int64_t attempts = 0;
    Durations durations;
    if (const auto found = stages_.find({job.id, index}); found != stages_.end()) {
      for (const auto& [number, minute] : found->second) {
        const std::int64_t age = newest - number;
        if (age < 0 || age >= minutes_kept) continue;
        counts[static_cast<std::size_t>(minutes_kept - 1 - age)] = minute.attempts;
        attempts += minute.attempts;
        durations.add(minute.durations);
      }
    }
    const std::vector<Json> per_minute(counts.begin(), counts.end());
    const bool has_durations = durations.count() > 0;
    stages.push_back(Json::object(
        {{"stage", workflow.stage(index).name},
         {"attempts", attempts},
         {"p50_s", seconds_or_null(durations.quantile(0.5))},
         {"p95_s", seconds_or_null(durations.quantile(0.95))},
         {"max_s",
          seconds_or_null(has_durations ? std::optional(durations.longest()) : std::nullopt)},
         {"per_minute", Json::array(per_minute)}}));
  }
  return Json::object({{"stages", Json::array(stages)}});
}

}  // namespace pawl::service
