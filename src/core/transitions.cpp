#include "core/transitions.hpp"

#include <array>

namespace pawl {
namespace {

using enum StateKind;

// `waiting` also stands for "no row yet": the first write of a row is a move out of it.
constexpr auto table = std::to_array<Transition>({
    {waiting, waiting, "one more need is satisfied, or a rerun withdrew some"},
    {waiting, ready, "submitted, created as a fan-out child, or the last need is satisfied"},
    {waiting, succeeded, "imported as done"},
    {waiting, skipped, "a need failed, was cancelled or was skipped after an upstream failure"},
    {waiting, failed, "imported as a dead letter"},
    {waiting, cancelled, "the item or the job was cancelled"},

    {ready, waiting, "an upstream stage is rerun"},
    {ready, ready, "the stage itself is rerun"},
    {ready, running, "claimed: worker, fencing token and attempt number in one write"},
    {ready, skipped, "claimed, and its `when` is false; or skipped by hand"},
    {ready, cancelled, "the item or the job was cancelled"},

    {running, waiting, "an upstream stage is rerun; the attempt is superseded"},
    {running, ready, "interrupted, retried without delay, expanded to zero children, or rerun"},
    {running, running, "retried without delay: closed and opened again in one write"},
    {running, retry_scheduled, "retried after a delay"},
    {running, awaiting_review, "a reviewer must decide"},
    {running, expanded, "children were created"},
    {running, succeeded, "done"},
    {running, skipped, "the stage chose to skip"},
    {running, failed, "a final error, a retry limit is reached, or a custom decider gives up"},
    {running, cancelled, "its attempt ended after a cancel"},

    {retry_scheduled, waiting, "an upstream stage is rerun"},
    {retry_scheduled, ready, "its time has come, or it is rerun"},
    {retry_scheduled, skipped, "an operator skipped it by hand"},
    {retry_scheduled, cancelled, "the item or the job was cancelled"},

    {awaiting_review, waiting, "an upstream stage is rerun"},
    {awaiting_review, ready, "changes were requested, or it is rerun"},
    {awaiting_review, awaiting_review, "the review is closed; the rerun it requested follows"},
    {awaiting_review, succeeded, "approved"},
    {awaiting_review, skipped, "an operator skipped it by hand"},
    {awaiting_review, failed, "rejected"},
    {awaiting_review, cancelled, "the item or the job was cancelled, or the item rejected"},

    {expanded, waiting, "an upstream stage is rerun"},
    {expanded, ready, "the children have ended and must be joined, or it is rerun"},
    {expanded, expanded, "a child has ended"},
    {expanded, succeeded, "the children have ended, and there is nothing to join"},
    {expanded, failed, "too many children failed"},
    {expanded, cancelled, "the item or the job was cancelled"},

    {succeeded, waiting, "an upstream stage is rerun"},
    {succeeded, ready, "rerun"},
    {succeeded, expanded, "a tolerated child is retried"},

    {skipped, waiting, "an upstream stage is rerun"},
    {skipped, ready, "rerun"},
    {skipped, skipped, "an upstream stage is rerun, but another need is still failed"},

    {failed, waiting, "an upstream stage is rerun"},
    {failed, ready, "rerun by an operator, or the dead letter is retried"},
    {failed, expanded, "a retry of the dead letter reruns only the failed children"},
    {failed, failed, "the dead letter is discarded"},

    {cancelled, waiting, "an upstream stage is rerun"},
    {cancelled, ready, "rerun"},
});

constexpr std::size_t at_kind(StateKind kind) { return static_cast<std::size_t>(kind); }

constexpr auto allowed = [] {
  std::array<std::array<bool, state_kinds>, state_kinds> moves{};
  for (const Transition& row : table) moves[at_kind(row.from)][at_kind(row.to)] = true;
  return moves;
}();

}  // namespace

std::span<const Transition> transitions() { return table; }

bool may_move(StateKind from, StateKind to) { return allowed[at_kind(from)][at_kind(to)]; }

}  // namespace pawl
