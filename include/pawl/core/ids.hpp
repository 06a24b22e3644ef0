#pragma once

/// The identifiers of pawl. Each is its own type over a 64-bit integer, so passing a task where a
/// job is expected does not compile.
///
/// Ids grow in arrival order. Items, fan-out children and job-wide tasks draw their ordinals from
/// one sequence per store. A task's id is (ordinal, stage), so all tasks of an item are neighbours
/// and the id of a task can be computed without a lookup.

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "pawl/core/time.hpp"

namespace pawl {

/// An identifier that cannot be mistaken for another kind of identifier. Zero means "none".
template <class Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::int64_t value) : value_(value) {}
  [[nodiscard]] constexpr std::int64_t value() const noexcept { return value_; }
  [[nodiscard]] constexpr explicit operator bool() const noexcept { return value_ != 0; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;

 private:
  std::int64_t value_ = 0;
};

using JobId = Id<struct JobTag>;
using ItemId = Id<struct ItemTag>;
using ReviewId = Id<struct ReviewTag>;
using WorkerId = Id<struct WorkerTag>;
/// A lane: the Ready tasks of one job, stage and category, in order of age.
using LaneId = Id<struct LaneTag>;
using TaskId = Id<struct TaskTag>;

/// The position of a stage in its workflow, counted from 0 in definition order.
enum class StageIndex : std::uint16_t {};
constexpr std::size_t at(StageIndex stage) { return static_cast<std::size_t>(stage); }

/// The most stages a workflow may have; the rest of a task's id is the ordinal.
inline constexpr std::size_t stages_max = 65'535;

/// The task of one stage for the item, child or job-wide task with this ordinal.
constexpr TaskId task_id(std::int64_t ordinal, StageIndex stage) {
  return TaskId{(ordinal << 16) | static_cast<std::int64_t>(stage)};
}
constexpr TaskId task_id(ItemId item, StageIndex stage) { return task_id(item.value(), stage); }
constexpr std::int64_t ordinal_of(TaskId task) { return task.value() >> 16; }
constexpr StageIndex stage_of(TaskId task) {
  return static_cast<StageIndex>(task.value() & 0xFFFF);
}

/// The n-th execution of a task, counted from 1; never reused. 0: no attempt yet.
using AttemptNumber = std::uint32_t;

/// One execution of a task.
struct AttemptId {
  TaskId task;
  AttemptNumber number = 0;
  friend constexpr auto operator<=>(const AttemptId&, const AttemptId&) = default;
};

/// Grows with every write of a task row. It is the fencing token: a write that presents an older
/// version is rejected and changes nothing.
using Version = std::int64_t;

/// Grows with every operator action on a job, so that a decision made from an older view of the job
/// is detected and made again.
using Generation = std::int64_t;

/// The version or generation that follows `before`: at least the current time in microseconds. A
/// store may come back without its newest commits, and the numbers it assigns then must differ from
/// those it lost.
constexpr std::int64_t next_stamp(std::int64_t before, Timestamp now) {
  const std::int64_t time = now.time_since_epoch().count();
  return before < time ? time : before + 1;
}

/// Numbers the batches of one worker; stored together with the batch.
using BatchNumber = std::int64_t;

/// The position of an event in the log: journal row · 16 + position in the row.
using EventSeq = std::int64_t;

}  // namespace pawl

template <class Tag>
struct std::hash<pawl::Id<Tag>> {
  std::size_t operator()(const pawl::Id<Tag>& id) const noexcept {
    return std::hash<std::int64_t>{}(id.value());
  }
};

template <>
struct std::hash<pawl::AttemptId> {
  std::size_t operator()(const pawl::AttemptId& id) const noexcept {
    return std::hash<std::int64_t>{}(id.task.value() * 31 + id.number);
  }
};
