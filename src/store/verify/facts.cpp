#include "store/verify/facts.hpp"

#include <array>

namespace pawl::store {

namespace {

std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

std::uint64_t fingerprint(const Fact& fact) {
  std::uint64_t print = static_cast<std::uint64_t>(fact.kind);
  for (const std::int64_t part : {fact.task.value(), static_cast<std::int64_t>(fact.number),
                                  static_cast<std::int64_t>(fact.code),
                                  static_cast<std::int64_t>(fact.at.time_since_epoch().count()),
                                  static_cast<std::int64_t>(fact.length.count())}) {
    print = mixed(print ^ static_cast<std::uint64_t>(part));
  }
  return print;
}

}  // namespace

Duration between(Timestamp from, Timestamp to) {
  const auto ticks = [](Timestamp at) {
    return static_cast<std::uint64_t>(at.time_since_epoch().count());
  };
  return Duration(static_cast<std::int64_t>(ticks(to) - ticks(from)));
}

std::optional<Fact> fact_of(const Event& event) {
  Fact fact{.kind = FactKind::opened,
            .task = event.task,
            .number = event.attempt,
            .code = event.code,
            .at = event.at};
  if (event.type == EventType::attempt_started) return fact;
  if (event.type == EventType::attempt_finished) {
    fact.kind = FactKind::closed;
    // An attempt ends before the commit that records it.
    fact.at = no_time;
    return fact;
  }
  if (event.type == EventType::review_requested) {
    fact.kind = FactKind::asked;
    return fact;
  }
  if (event.type == EventType::review_decided) {
    fact.kind = FactKind::answered;
    return fact;
  }
  return std::nullopt;
}

Fact opening_of(const Attempt& closed) {
  return {.kind = FactKind::opened,
          .task = closed.task,
          .number = closed.number,
          .code = static_cast<std::int32_t>(closed.cause),
          .at = closed.opened_at};
}

Fact opening_of(const Task& task, const Running& running) {
  return {.kind = FactKind::opened,
          .task = task.id,
          .number = task.attempts,
          .code = static_cast<std::int32_t>(task.cause),
          .at = running.opened_at};
}

Fact closing_of(const Attempt& closed) {
  return {.kind = FactKind::closed,
          .task = closed.task,
          .number = closed.number,
          .code = static_cast<std::int32_t>(closed.result),
          .at = no_time};
}

std::optional<Fact> length_of(const Event& event) {
  if (event.type != EventType::attempt_finished || event.count == 0) return std::nullopt;
  return Fact{.kind = FactKind::lasted,
              .task = event.task,
              .number = event.attempt,
              .length = Duration(event.count)};
}

std::optional<Fact> length_of(const Attempt& closed) {
  if (closed.started_at == no_time) return std::nullopt;
  const Duration length = between(closed.started_at, closed.ended_at);
  if (length == Duration::zero()) return std::nullopt;
  return Fact{
      .kind = FactKind::lasted, .task = closed.task, .number = closed.number, .length = length};
}

Fact asking_of(const Review& review) {
  return {.kind = FactKind::asked,
          .task = review.task,
          .number = review.attempt,
          .code = static_cast<std::int32_t>(review.reason),
          .at = review.opened_at};
}

std::optional<Fact> answering_of(const Review& review) {
  if (review.status != ReviewStatus::closed || !review.answer) return std::nullopt;
  return Fact{.kind = FactKind::answered,
              .task = review.task,
              .number = review.answer->attempt.value_or(review.attempt),
              .code = static_cast<std::int32_t>(review.answer->outcome),
              .at = review.closed_at};
}

void FactSum::add(const Fact& fact) {
  ++count_;
  sum_ += fingerprint(fact);
}

void FactSum::remove(const Fact& fact) {
  --count_;
  sum_ -= fingerprint(fact);
}

}  // namespace pawl::store
