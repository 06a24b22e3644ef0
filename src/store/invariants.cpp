#include "pawl/store/invariants.hpp"

#include <algorithm>
#include <array>

namespace pawl {

namespace {

constexpr std::string_view restore =
    "Something else than pawl has written to the store, or its disk has lost or changed pages: "
    "stop "
    "the workers, keep a copy, check the database with its own means (SQLite: PRAGMA "
    "integrity_check), and go back to the newest backup that verifies.";
constexpr std::string_view report =
    "Stop the workers, keep a copy of the store, and report it with the output of `pawl verify "
    "--json`: this is a fault of the engine unless somebody has edited rows by hand.";

constexpr std::array table{
    Invariant{"I1", "No acknowledged item, attempt or review is lost.",
              "The log and the rows tell the same facts: each attempt was opened and closed, each "
              "review asked and answered, each item settled, each job submitted, cancelled and "
              "ended in both.",
              "One of the two records of a fact is missing or says something else.", restore},
    Invariant{
        "I2", "At most one open attempt and one live lease per task.",
        "A running task names a worker that is on record, and has one closed attempt less than it "
        "counts.",
        "An attempt may have run twice at the same time, or its record was lost.", report},
    Invariant{
        "I3", "Attempt numbers are dense 1..n; every count shown anywhere equals the rows.",
        "The attempts of a task are 1, 2, 3 …; every counter of jobs, items and expansions is "
        "added up again.",
        "A row is missing, was changed, or was written without its counter.", report},
    Invariant{"I4", "A stale fencing token never changes state.",
              "In the log the attempts of a task open and close in turn, by rising numbers, each "
              "once; the task's row is running exactly when its newest attempt is open there.",
              "An attempt that was no longer the current one has written something.", report},
    Invariant{
        "I5",
        "The counts of an epoch never exceed their caps; interrupted and hinted rate-limited "
        "attempts count for neither.",
        "Each attempt's counts follow from the one before, and keep within the stage's policy.",
        "A task was tried more often than its policy allows, or a record was changed.", report},
    Invariant{
        "I6", "Deciding again over the recorded inputs gives the recorded decision.",
        "Every decision is made again from its attempt's record; those of custom deciders only "
        "where the decider is at hand. The state of a task is the one that the newest decision of "
        "its epoch, or the answer to it, leads to.",
        "The record of an attempt was changed, or the rules have: an upgrade must not do that.",
        report},
    Invariant{
        "I7",
        "No stage starts before each need is Succeeded, Skipped by choice, or Failed under "
        "`continue`; rejected work never flows downstream.",
        "Each task of an item is held against the tasks it needs, each job-wide task against all "
        "items that were submitted before it began and the job-wide tasks it needs. The output "
        "that stands is that of the newest attempt, or of the one that a person approved; a skip "
        "by choice was chosen.",
        "A stage worked on something that was not there, or not good.",
        "Run the stage it needed again (`pawl item retry ITEM/STAGE`): everything downstream "
        "follows. Then report it with a copy of the store."},
    Invariant{
        "I8", "A review applies once, and only to the attempt and content that was shown.",
        "A task that awaits a review has one open question; a closed one has an answer, and its "
        "task is where the answer put it. The digest of a review is made again from the attempts "
        "and the input that were shown.",
        "An answer was lost, applied twice, had no effect, or what it was about was changed.",
        report},
    Invariant{
        "I9", "No retry is early.",
        "No attempt was opened before the moment that the decision before it named, and a retry "
        "is scheduled for that moment.",
        "A delay was not kept. Processes on one store file that were started before and after the "
        "machine's clock was set, or before and after it slept, disagree about the time: one woke "
        "what the other opened.",
        "Start the workers again, so that all go by one clock; nothing else is harmed. Where no "
        "clock was set and no machine slept, report it with a copy of the store."},
    Invariant{"I10",
              "Items in = settled + in progress; a job-wide stage sees each settled item once.",
              "The state of each item follows from its tasks, and the job's sums from its items.",
              "An item is missing, doubled, or shown as something it is not.", report},
    Invariant{
        "I11", "No attempt opens after the commit of a cancel.",
        "In the log nothing starts in a job behind its cancel, or behind the limit that ended "
        "it.",
        "Work was begun that nobody wanted any more.", report},
    Invariant{
        "I12", "Every job reaches a terminal state or a named wait.",
        "A job that has not ended has something that is ready, running, scheduled or under "
        "review; what has all its needs has its task, job-wide stages too.",
        "The job would wait for ever.",
        "Cancel it (`pawl job cancel JOB`) and submit its items again, and report it with a copy "
        "of the store."},
    Invariant{
        "I13", "Nothing that a record refers to is deleted or changed.",
        "Each payload that an output, an edit or an artifact names is there, and its bytes have "
        "the digest and size it is named by.",
        "A payload file was deleted, cut short or changed.",
        "Restore the named payloads from a backup (SQLite: STORE.blobs/, by their digest), or run "
        "the stages again that brought them (`pawl item retry ITEM/STAGE`, then `pawl resume`): "
        "the same content heals its payload."},
    Invariant{
        "I14", "The sum of charges equals the ledger; reservations return to zero at rest.",
        "The usage of all attempts is the job's; open attempts and the places taken in pools are "
        "the running tasks, none where nothing runs.",
        "A budget counts what was not used, or a pool is fuller than it is.", report},
    Invariant{"I15",
              "Killing the process at any moment and going on reaches the same end states as an "
              "uninterrupted run, below `max_interruptions`, for deterministic handlers.",
              "Not read from records: it compares runs, which the tests do.",
              "Never reported by `pawl verify`.", "None is needed."},
    Invariant{
        "I17", "No finished result is dropped.",
        "Every running task is held by its worker: with each renewal of its lease a worker records "
        "since when it has held what it holds, and nothing of it was opened before that.",
        "The worker has lost sight of an attempt: it lives, so nobody else takes it over.",
        "Stop that worker: its attempts are closed as interrupted and run again. Then report it "
        "with a copy of the store."},
    Invariant{
        "I18",
        "Untrusted work is neither run nor adopted from: a job that was imported waits until "
        "an operator, or the key that signed it, accepts it.",
        "In the log nothing starts in a job between its import and its acceptance, and the "
        "job's row is trusted only where the log tells who accepted it. No item of a trusted "
        "job was adopted from a job that is not.",
        "Commands or results of a file from elsewhere were used without anybody having "
        "accepted them.",
        "Stop the workers, look at what the named job has run (`pawl item list --job JOB`, `pawl "
        "item attempts ITEM`), keep a copy of the store, and report it unless somebody has edited "
        "rows "
        "by hand."},
    Invariant{"log", "The log is dense: its rows are numbered without a gap.",
              "Every event follows the one before in its row, or begins the next row.",
              "Rows of the log are missing.", restore},
    Invariant{"database", "The database is whole, and every row can be read.",
              "SQLite's check of its own file finds nothing (`integrity_check`, with `--quick` "
              "`quick_check`); what is kept as JSON is JSON; the definition of a workflow has the "
              "hash that it is kept by.",
              "The file was damaged, or changed by something else than pawl.", restore},
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
