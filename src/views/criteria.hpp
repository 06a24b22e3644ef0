#pragma once

/// The criteria of one task over all of its attempts, and whether they come nearer to being met.
///
/// A row is one criterion of one gate; a cell is what one attempt had for it. Criteria of several
/// attempts are the same row if gate and name are the same. If a gate has a name more than once in
/// one attempt, as with a lower and an upper bound for one field, the expectation tells the rows
/// apart.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/attempt.hpp"

namespace pawl::views {

/// How a criterion develops over the attempts of one epoch.
enum class Trend : std::uint8_t { met, converging, stalled, worse };
[[nodiscard]] std::string_view name_of(Trend trend);

struct CriterionCell {
  AttemptNumber attempt = 0;
  bool passed = false;
  std::string expected;
  std::string actual;
  friend bool operator==(const CriterionCell&, const CriterionCell&) = default;
};

struct CriterionRow {
  std::string gate;  ///< "quality/1" for a part of a composed gate; empty in old records
  std::string name;
  /// Of the epoch of the newest attempt. None if the newest judged attempt of this epoch does not
  /// have the criterion, or if it failed for the first time with nothing to compare it with.
  std::optional<Trend> trend;
  std::vector<CriterionCell> cells;  ///< in order of the attempts; never empty

  /// Null if the attempt does not have the criterion: its gate did not judge, or lists only what is
  /// wrong.
  [[nodiscard]] const CriterionCell* in(AttemptNumber attempt) const;
};

/// The rows of a task, for attempts in order of their numbers. Rows that failed in the newest
/// judged attempt come first, then rows that failed in an earlier one, then the others; within each
/// group they stand in the order in which the gates listed them.
[[nodiscard]] std::vector<CriterionRow> criteria_of(const std::vector<Attempt>& attempts);

/// The numbers of the attempts that have a cell, in order.
[[nodiscard]] std::vector<AttemptNumber> attempts_in(const std::vector<CriterionRow>& rows);

/// How far a cell is from its expectation. 0 if it passed. Otherwise, if both values are numbers:
///
/// - ">= bound", "> bound" and "at least bound": the bound minus the actual value
/// - "<= bound", "< bound" and "at most bound": the actual value minus the bound
/// - "= bound", "== bound" and a bare number: the size of the difference
///
/// "length" before both values is ignored. None for everything else, and where the numbers do not
/// explain the failure.
[[nodiscard]] std::optional<double> distance_of(const CriterionCell& cell);

/// The trend at the last of these cells, which are of one epoch and one row:
///
/// - met: it passed.
/// - worse: it is further from its expectation than the cell before; without distances, the cell
///   before passed.
/// - converging: it is nearer than every cell before.
/// - stalled: everything else. It is as far as the cell before, or makes up for ground that was
///   lost; without distances, both failed. A different text that still fails is not progress.
///
/// None without cells, and for a single cell that failed.
[[nodiscard]] std::optional<Trend> trend_of(std::span<const CriterionCell> cells);

/// One gate, or one part of a composed gate, with the names that lead to it: "quality/1".
struct NamedAssessment {
  std::string name;
  const Assessment* assessment;  ///< in the attempt, which must outlive this
};
/// What every gate found in the attempt, each composed gate before its parts.
[[nodiscard]] std::vector<NamedAssessment> named_assessments(const Attempt& attempt);

/// One criterion of an attempt, with the name of its gate.
struct NamedCriterion {
  std::string gate;            ///< empty in old records
  const Criterion* criterion;  ///< in the attempt, which must outlive this
};
/// The criteria of every gate. Attempts of older versions have only those of their feedback.
[[nodiscard]] std::vector<NamedCriterion> named_criteria(const Attempt& attempt);

}  // namespace pawl::views
