#pragma once

/// What both the log and the rows say: that an attempt was opened and closed and how long it took,
/// that a review was asked for and answered. Many facts are compared by their number and the sum of
/// their fingerprints, which takes no memory and no order.

#include <cstdint>
#include <optional>

#include "pawl/core/event.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/task.hpp"

namespace pawl::store {

enum class FactKind : std::uint8_t { opened = 1, closed = 2, asked = 3, answered = 4, lasted = 5 };

struct Fact {
  FactKind kind{};
  TaskId task;
  AttemptNumber number = 0;
  std::int32_t code = 0;  ///< its cause, result, reason or outcome
  Timestamp at;           ///< the moment of the commit, where the rows have it
  Duration length{0};     ///< of what lasted
  friend auto operator<=>(const Fact&, const Fact&) = default;
};

/// Times in an import may be anything: what does not fit wraps round.
[[nodiscard]] Duration between(Timestamp from, Timestamp to);

/// None for events that no row repeats.
[[nodiscard]] std::optional<Fact> fact_of(const Event& event);

[[nodiscard]] Fact opening_of(const Attempt& closed);
/// Of the open attempt of a Running task.
[[nodiscard]] Fact opening_of(const Task& task, const Running& running);
[[nodiscard]] Fact closing_of(const Attempt& closed);
/// How long an attempt took. None if it took no time: that, and nothing else, is how the end of an
/// attempt looks in a log of an older version.
[[nodiscard]] std::optional<Fact> length_of(const Event& event);
[[nodiscard]] std::optional<Fact> length_of(const Attempt& closed);
[[nodiscard]] Fact asking_of(const Review& review);
/// None while no answer has taken effect.
[[nodiscard]] std::optional<Fact> answering_of(const Review& review);

/// Attempts that came with an item from an older system: the log never told of them.
[[nodiscard]] inline bool is_imported(const Attempt& attempt) {
  return attempt.decision.rule == Rule::imported;
}

/// Two sums are equal exactly when the facts are, but for a chance of one in 2^64.
class FactSum {
 public:
  void add(const Fact& fact);
  void remove(const Fact& fact);
  [[nodiscard]] std::int64_t count() const { return count_; }
  friend bool operator==(const FactSum&, const FactSum&) = default;

 private:
  std::int64_t count_ = 0;
  std::uint64_t sum_ = 0;
};

/// The sums of one job.
struct FactSums {
  FactSum facts;    ///< but for lengths
  FactSum lengths;  ///< apart, because older logs do not have them

  void add(const Fact& fact) { sum_of(fact).add(fact); }
  void remove(const Fact& fact) { sum_of(fact).remove(fact); }

 private:
  FactSum& sum_of(const Fact& fact) { return fact.kind == FactKind::lasted ? lengths : facts; }
};

/// Calls `visit` with every fact in an event.
template <class Visit>
void each_fact(const Event& event, Visit visit) {
  if (const std::optional<Fact> fact = fact_of(event)) visit(*fact);
  if (const std::optional<Fact> length = length_of(event)) visit(*length);
}
/// The same for the records of a task.
template <class Visit>
void each_fact(const Task& task, const std::vector<Attempt>& attempts, Visit visit) {
  for (const Attempt& attempt : attempts) {
    if (is_imported(attempt)) continue;
    visit(opening_of(attempt));
    visit(closing_of(attempt));
    if (const std::optional<Fact> length = length_of(attempt)) visit(*length);
  }
  if (const auto* running = std::get_if<Running>(&task.state)) visit(opening_of(task, *running));
}
template <class Visit>
void each_fact(const Review& review, Visit visit) {
  visit(asking_of(review));
  if (const std::optional<Fact> answered = answering_of(review)) visit(*answered);
}

}  // namespace pawl::store
