#include "pawl/store/invariants.hpp"

#include <algorithm>
#include <array>

namespace pawl {

namespace {

constexpr std::string_view restore =
    "Something other than pawl has written to the store, or its disk has lost or changed pages. "
    "Stop the workers, keep a copy of the store, check the database with its own tools (SQLite: "
    "PRAGMA integrity_check), and restore the newest backup that verifies.";
constexpr std::string_view report =
    "Stop the workers, keep a copy of the store, and report it with the output of `pawl verify "
    "--json`. This is a bug in the engine unless somebody has edited rows by hand.";

constexpr std::array table{
    Invariant{
        "I1", "No acknowledged item, attempt or review is lost.",
        "The log and the rows record the same facts: in both, each attempt is opened and closed "
        "and "
        "takes the same time, each review is requested and answered, each item settled, and each "
        "job submitted, cancelled and ended.",
        "One of the two records of a fact is missing or differs from the other.", restore},
    Invariant{
        "I2", "At most one open attempt and one live lease per task.",
        "A running task names a recorded worker and has one closed attempt fewer than it counts. "
        "Any other task has as many closed attempts as it counts.",
        "A task may have run twice at the same time, or the record of an attempt was lost.",
        report},
    Invariant{"I3",
              "Attempt numbers are dense (1..n), and every count that is shown matches the rows.",
              "The attempts of a task are numbered 1, 2, 3 …; every counter of jobs, items and "
              "expansions is computed again.",
              "A row is missing, was changed, or was written without its counter.", report},
    Invariant{
        "I4", "A stale fencing token never changes state.",
        "In the log, the attempts of a task open and close in turn, with rising numbers, each "
        "once. The row of a task is running exactly when its newest attempt is open in the log.",
        "A superseded attempt changed the store.", report},
    Invariant{
        "I5",
        "The counts of an epoch never exceed their limits. Interrupted attempts, and rate-limited "
        "attempts with a retry hint, do not count as failures or rejections.",
        "The counts of each attempt follow from those of the attempt before it and stay within "
        "the policy of the stage.",
        "A task was tried more often than its policy allows, or a record was changed.", report},
    Invariant{
        "I6", "Repeating a decision with its recorded inputs gives the recorded decision.",
        "Every decision is made again from the record of its attempt; those of custom deciders "
        "only if the decider is available. The state of a task follows from the newest decision "
        "of its epoch, or from the answer of a reviewer.",
        "The record of an attempt was changed, or the rules of deciding have changed, which no "
        "upgrade may do.",
        report},
    Invariant{
        "I7",
        "No stage starts before each of its needs has succeeded, was skipped by choice, or failed "
        "with `on_failure: continue`. Rejected work never flows downstream.",
        "Each task of an item is compared with the tasks it needs. Each job-wide task is compared "
        "with all items that were submitted before it began, and with the job-wide tasks it "
        "needs. The output that counts is that of the newest attempt, or of the attempt that a "
        "reviewer approved. A skip by choice follows from a decision or a condition, or the log "
        "names the person who wanted it.",
        "A stage used an input that was missing or had not been accepted.",
        "Rerun the stage that it needed (`pawl item retry ITEM/STAGE`); everything downstream "
        "runs again. Then report it with a copy of the store."},
    Invariant{
        "I8", "A review applies once, and only to the attempt and the content that were shown.",
        "A task that awaits a review has one open review. A closed review has an answer, and its "
        "task is in the state that the answer leads to. The digest of a review matches the "
        "attempts, the input and the proposed edits that were shown. A review is due when the "
        "rules of its stage say.",
        "An answer was lost, was applied twice or had no effect, or the content that it is about "
        "was changed.",
        report},
    Invariant{
        "I9", "No retry is early.",
        "No attempt was opened before the time that the decision before it set, and a scheduled "
        "retry has that time.",
        "A delay was cut short. Processes that share a store file disagree about the time if some "
        "of them were started before the clock of the machine was changed, or before the machine "
        "slept, and others after it. Then a process that is ahead wakes a retry, and one that is "
        "behind opens it.",
        "Restart the workers, so that all of them use the same clock; nothing else is damaged. If "
        "no clock was changed and no machine slept, report it with a copy of the store."},
    Invariant{
        "I10",
        "Every submitted item is either settled or in progress, and a job-wide stage sees each "
        "settled item once.",
        "The state of each item follows from its tasks, and the totals of the job follow from its "
        "items.",
        "An item is missing, is counted twice, or is shown in a wrong state.", report},
    Invariant{
        "I11", "No attempt opens after a cancel is committed.",
        "In the log, nothing starts in a job after its cancel, or after the limit that ended it, "
        "unless it was revived since.",
        "Work was started although it had been cancelled.", report},
    Invariant{
        "I12", "Every job ends, or names what it waits for.",
        "A job that has not ended is paused, is still being submitted, or has a task that is "
        "ready, running, scheduled, expanded or under review. Every stage whose needs are "
        "satisfied has a task, job-wide stages included. The paused stages of a job are stages of "
        "its workflow.",
        "The job would wait forever.",
        "Cancel the job (`pawl job cancel JOB`), submit its items again, and report it with a "
        "copy of the store."},
    Invariant{
        "I13", "Nothing that a record refers to is deleted or changed.",
        "Each payload that an output, an edit or an artifact refers to exists, and its bytes "
        "match the recorded digest and size.",
        "A payload file was deleted, truncated or changed.",
        "Restore the named payloads from a backup (SQLite: STORE.blobs/, by their digest), or "
        "rerun the stages that produced them (`pawl item retry ITEM/STAGE`, then `pawl resume`): "
        "storing the same content again repairs the payload."},
    Invariant{
        "I14",
        "The charges of all attempts add up to the usage of the job, and nothing stays reserved "
        "when nothing runs.",
        "The usage of all attempts adds up to that of the job. The open attempts and the slots "
        "taken in pools are those of the running tasks; if nothing runs, there are none.",
        "A budget does not match the work that was done, or a pool does not match the tasks that "
        "run.",
        report},
    Invariant{"I15",
              "Killing the process at any moment and continuing leads to the same end states as an "
              "uninterrupted run, for deterministic handlers and as long as no task reaches "
              "`max_interruptions`.",
              "Not checked: it is a property of runs, not of records. The tests compare runs.",
              "`pawl verify` never reports a violation.", "Nothing."},
    Invariant{
        "I16", "Only people approve, and enough of them.",
        "The answers of a review are numbered 1, 2, 3 …, and each was given by a person; only the "
        "rejection of an overdue review comes from the engine. The answer that took effect is one "
        "of them. Approvals that count are of the same content, each by somebody else, and as many "
        "as the rules of the stage ask for. With `self_approval: false`, one of them is by "
        "somebody "
        "who neither submitted the job nor made the edits. Who was assigned at the time is not "
        "judged, nor are reviews that were answered before answers were recorded one by one.",
        "Work was accepted that the rules do not accept, or the record of an answer was changed.",
        "Look at what was approved (`pawl review show REVIEW`, `pawl audit list`), and rerun the "
        "stage to have it reviewed again (`pawl item retry ITEM/STAGE`). Then report it with a "
        "copy "
        "of the store unless somebody has edited rows by hand."},
    Invariant{
        "I17", "No finished result is dropped.",
        "Every running task is held by its worker: with each renewal of its lease, a worker "
        "records the start of the oldest attempt it holds, and none of its running tasks was "
        "opened before that.",
        "A worker has lost track of an attempt. Because the worker is alive, no other worker "
        "takes the attempt over.",
        "Stop that worker; then its attempts are closed as interrupted and run again. Then report "
        "it with a copy of the store."},
    Invariant{
        "I18",
        "Untrusted work is neither run nor adopted: an imported job waits until an operator, or "
        "the key that signed it, accepts it.",
        "In the log, nothing starts in a job between its import and its acceptance. The row of an "
        "imported job is trusted only if the log records who accepted it. No item of a trusted "
        "job was adopted from an untrusted job.",
        "Commands or results from an imported file were used although nobody had accepted them.",
        "Stop the workers, look at what the named job has run (`pawl item list --job JOB`, `pawl "
        "item attempts ITEM`), keep a copy of the store, and report it unless somebody has edited "
        "rows by hand."},
    Invariant{
        "I19", "The audit trail is whole.",
        "The entries are numbered without gaps, and the digest of each is that of its content and "
        "of the entry before it. Each submission, each answer to a review and each withdrawal has "
        "its entry, and each entry about an answer its answer. Whether the newest entries are "
        "missing only shows against a digest that was kept elsewhere (`pawl audit verify`).",
        "An entry was removed or changed, or an answer was: the trail no longer proves who did "
        "what.",
        "Find out who can write to the store. Keep a copy of it, and restore the trail from the "
        "newest backup that verifies."},
    Invariant{"log", "The log is dense: its rows are numbered without gaps.",
              "Every event follows the one before it in the same row, or begins the next row.",
              "Rows of the log are missing.", restore},
    Invariant{"database", "The database is intact, and every row can be read.",
              "SQLite's own check of the file finds nothing (`integrity_check`, with `--quick` "
              "`quick_check`). Everything stored as JSON is valid JSON. Each workflow definition "
              "matches the hash under which it is stored.",
              "The file was damaged, or something other than pawl changed it.", restore},
};

bool is_same(std::string_view one, std::string_view other) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(one, other, {}, lower, lower);
}

}  // namespace

std::span<const Invariant> invariants() { return table; }

const Invariant* find_invariant(std::string_view id) {
  const auto* found =
      std::ranges::find_if(table, [&](const Invariant& one) { return is_same(one.id, id); });
  return found == table.end() ? nullptr : found;
}

}  // namespace pawl
