#include "core/decide/cells.hpp"

#include <array>

#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

constexpr std::array policies{ReviewPolicy::never, ReviewPolicy::always,
                              ReviewPolicy::on_escalation, ReviewPolicy::on_uncertain,
                              ReviewPolicy::on_escalation_or_uncertain};

enum class Shown { succeeded, policy, uncertain, exhausted, failed };

/// The table as printed in the model: one row per ending, one column per policy.
struct Row {
  Ending ending;
  OnExhausted on_exhausted;
  std::array<Shown, 5> shown;
};
using enum Shown;
constexpr std::array<Row, 6> model{{
    {Ending::accepted, OnExhausted::fail, {succeeded, policy, succeeded, succeeded, succeeded}},
    {Ending::accepted, OnExhausted::escalate, {succeeded, policy, succeeded, succeeded, succeeded}},
    {Ending::uncertain, OnExhausted::fail, {uncertain, uncertain, uncertain, uncertain, uncertain}},
    {Ending::uncertain,
     OnExhausted::escalate,
     {uncertain, uncertain, uncertain, uncertain, uncertain}},
    {Ending::exhausted,
     OnExhausted::escalate,
     {exhausted, exhausted, exhausted, exhausted, exhausted}},
    {Ending::exhausted, OnExhausted::fail, {failed, exhausted, exhausted, failed, exhausted}},
}};

Shown shown(const Decision& decision) {
  if (decision.kind == DecisionKind::complete) return succeeded;
  if (decision.kind == DecisionKind::fail) return failed;
  EXPECT_EQ(decision.kind, DecisionKind::review);
  switch (decision.review_reason) {
    case ReviewReason::policy:
      return policy;
    case ReviewReason::uncertain:
      return uncertain;
    case ReviewReason::exhausted:
      return exhausted;
    case ReviewReason::blocked:
    case ReviewReason::requested:
      break;
  }
  ADD_FAILURE() << "a reason that no cell has";
  return failed;
}

std::vector<Attempt> attempts_for(Ending ending) {
  switch (ending) {
    case Ending::accepted:
      return {given::judged(Verdict::accepted), given::success()};
    case Ending::uncertain:
      return {given::judged(Verdict::uncertain)};
    case Ending::exhausted:
      return {given::judged(Verdict::rejected), given::failure(), given::timed_out(),
              given::rate_limited({}), given::rate_limited(std::chrono::hours(25))};
  }
  return {};
}

TEST(Cells, every_ending_policy_and_on_exhausted_is_decided_as_the_model_says) {
  int decided = 0;
  for (const Row& row : model) {
    for (std::size_t i = 0; i < policies.size(); ++i) {
      StageDefinition stage = given::stage({.on_exhausted = row.on_exhausted}, policies[i]);
      for (const Attempt& closed : attempts_for(row.ending)) {
        EXPECT_EQ(shown(decide(stage, closed)), row.shown[i])
            << "row " << (&row - model.data()) << ", policy " << i;
      }
      ++decided;
    }
  }
  EXPECT_EQ(decided, 30);
}

TEST(Cells, the_table_has_each_of_the_thirty_cells_once) {
  for (const Cell& cell : cells()) {
    EXPECT_EQ(&cell_for(cell.ending, cell.on_exhausted, cell.policy), &cell);
  }
}

}  // namespace
}  // namespace pawl
