#include "core/decide/cells.hpp"

#include <algorithm>

#include "pawl/core/result.hpp"

namespace pawl {
namespace {

using E = Ending;
using X = OnExhausted;
using P = ReviewPolicy;
using K = DecisionKind;
using R = ReviewReason;

// clang-format off
constexpr std::array<Cell, 30> table{{
    {E::accepted,  X::fail,     P::never,                      K::complete, R::policy},
    {E::accepted,  X::fail,     P::always,                     K::review,   R::policy},
    {E::accepted,  X::fail,     P::on_escalation,              K::complete, R::policy},
    {E::accepted,  X::fail,     P::on_uncertain,               K::complete, R::policy},
    {E::accepted,  X::fail,     P::on_escalation_or_uncertain, K::complete, R::policy},
    {E::accepted,  X::escalate, P::never,                      K::complete, R::policy},
    {E::accepted,  X::escalate, P::always,                     K::review,   R::policy},
    {E::accepted,  X::escalate, P::on_escalation,              K::complete, R::policy},
    {E::accepted,  X::escalate, P::on_uncertain,               K::complete, R::policy},
    {E::accepted,  X::escalate, P::on_escalation_or_uncertain, K::complete, R::policy},
    {E::uncertain, X::fail,     P::never,                      K::review,   R::uncertain},
    {E::uncertain, X::fail,     P::always,                     K::review,   R::uncertain},
    {E::uncertain, X::fail,     P::on_escalation,              K::review,   R::uncertain},
    {E::uncertain, X::fail,     P::on_uncertain,               K::review,   R::uncertain},
    {E::uncertain, X::fail,     P::on_escalation_or_uncertain, K::review,   R::uncertain},
    {E::uncertain, X::escalate, P::never,                      K::review,   R::uncertain},
    {E::uncertain, X::escalate, P::always,                     K::review,   R::uncertain},
    {E::uncertain, X::escalate, P::on_escalation,              K::review,   R::uncertain},
    {E::uncertain, X::escalate, P::on_uncertain,               K::review,   R::uncertain},
    {E::uncertain, X::escalate, P::on_escalation_or_uncertain, K::review,   R::uncertain},
    {E::exhausted, X::escalate, P::never,                      K::review,   R::exhausted},
    {E::exhausted, X::escalate, P::always,                     K::review,   R::exhausted},
    {E::exhausted, X::escalate, P::on_escalation,              K::review,   R::exhausted},
    {E::exhausted, X::escalate, P::on_uncertain,               K::review,   R::exhausted},
    {E::exhausted, X::escalate, P::on_escalation_or_uncertain, K::review,   R::exhausted},
    {E::exhausted, X::fail,     P::never,                      K::fail,     R::exhausted},
    {E::exhausted, X::fail,     P::always,                     K::review,   R::exhausted},
    {E::exhausted, X::fail,     P::on_escalation,              K::review,   R::exhausted},
    {E::exhausted, X::fail,     P::on_uncertain,               K::fail,     R::exhausted},
    {E::exhausted, X::fail,     P::on_escalation_or_uncertain, K::review,   R::exhausted},
}};
// clang-format on

}  // namespace

const std::array<Cell, 30>& cells() { return table; }

const Cell& cell_for(Ending ending, OnExhausted on_exhausted, ReviewPolicy policy) {
  const auto* found = std::ranges::find_if(table, [&](const Cell& cell) {
    return cell.ending == ending && cell.on_exhausted == on_exhausted && cell.policy == policy;
  });
  require(found != table.end(), "every combination of ending, policy and on_exhausted has a cell");
  return *found;
}

}  // namespace pawl
