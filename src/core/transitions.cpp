#include "core/transitions.hpp"

#include <array>

namespace pawl {
namespace {

using enum StateKind;

// `waiting` stands for "no row yet" too: the first write of a row is a move out of it.
constexpr auto table = std::to_array<Transition>({
    {waiting, waiting, "one need more is satisfied, or a rerun took some back"},
    {waiting, ready, "submitted, expanded, or the last need is satisfied"},
    {waiting, succeeded, "imported as done"},
    {waiting, skipped, "a need failed, was cancelled or was itself skipped for that reason"},
    {waiting, failed, "imported as a dead letter"},
    {waiting, cancelled, "the item or the job was cancelled"},

    {ready, waiting, "a stage upstream is rerun"},
    {ready, ready, "the stage itself is rerun"},
    {ready, running, "claimed: worker, fence and attempt number in one write"},
    {ready, skipped, "claimed, and its `when` is false"},
    {ready, cancelled, "the item or the job was cancelled"},

    {running, waiting, "a stage upstream is rerun; the attempt is superseded"},
    {running, ready, "interrupted, retried without delay, to be joined, or rerun"},
    {running, running, "retried without delay: closed and opened again in one write"},
    {running, retry_scheduled, "to be tried again later"},
    {running, awaiting_review, "a person decides"},
    {running, expanded, "children were created"},
    {running, succeeded, "done"},
    {running, skipped, "the stage said so"},
    {running, failed, "a final error, or a count is exhausted"},
    {running, cancelled, "its attempt ended after a cancel"},

    {retry_scheduled, waiting, "a stage upstream is rerun"},
    {retry_scheduled, ready, "its time has come, or it is rerun"},
    {retry_scheduled, cancelled, "the item or the job was cancelled"},

    {awaiting_review, waiting, "a stage upstream is rerun"},
    {awaiting_review, ready, "changes were requested, or it is rerun"},
    {awaiting_review, awaiting_review, "the question is closed before the rerun it asked for"},
    {awaiting_review, succeeded, "approved"},
    {awaiting_review, failed, "rejected"},
    {awaiting_review, cancelled, "the item or the job was cancelled"},

    {expanded, waiting, "a stage upstream is rerun"},
    {expanded, ready, "the children have ended and are joined, or it is rerun"},
    {expanded, expanded, "a child has ended"},
    {expanded, succeeded, "the children have ended"},
    {expanded, failed, "too many children failed"},
    {expanded, cancelled, "the item or the job was cancelled"},

    {succeeded, waiting, "a stage upstream is rerun"},
    {succeeded, ready, "rerun"},
    {succeeded, expanded, "the retry of a tolerated child"},

    {skipped, waiting, "a stage upstream is rerun"},
    {skipped, ready, "rerun"},
    {skipped, skipped, "rerun upstream, and another need is still failed"},

    {failed, waiting, "a stage upstream is rerun"},
    {failed, ready, "rerun: dead-letter retry, operator retry"},
    {failed, expanded, "dead-letter retry that reruns only the failed children"},
    {failed, failed, "the dead letter is discarded"},

    {cancelled, waiting, "a stage upstream is rerun"},
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
