#include "store/ledger/trust.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "store/ledger/subject.hpp"
#include "store/ledger/verbs.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

namespace {

std::string named(JobId job) { return "job " + std::to_string(job.value()); }

/// Whether the act lets work go on. Ending, deleting and taking back are allowed at any time.
struct LetsGoOn {
  bool operator()(const ResumeJob&) const { return true; }
  bool operator()(const ReviveJob&) const { return true; }
  bool operator()(const SetBudget&) const { return true; }
  bool operator()(const ReopenSubmission&) const { return true; }
  bool operator()(const Rerun&) const { return true; }
  bool operator()(const AnswerReview&) const { return true; }
  bool operator()(const ClaimReview&) const { return true; }
  bool operator()(const SkipTask&) const { return true; }
  bool operator()(const ResumeStage&) const { return true; }
  bool operator()(const AssignReview&) const { return false; }
  bool operator()(const PauseStage&) const { return false; }
  bool operator()(const CancelJob&) const { return false; }
  bool operator()(const PauseJob&) const { return false; }
  bool operator()(const TrustJob&) const { return false; }
  bool operator()(const CancelItem&) const { return false; }
  bool operator()(const PurgeItem&) const { return false; }
  bool operator()(const DiscardDeadLetter&) const { return false; }
  bool operator()(const UndoAnswer&) const { return false; }
  bool operator()(const ReleaseReview&) const { return false; }
};

void forget_records(Job& job) {
  job.key.clear();
  job.items = {};
  job.attempts_opened = 0;
  job.dead_letters = 0;
  job.failed_tasks = 0;
  job.decisions_since_progress = 0;
  job.used = {};
  std::ranges::fill(job.stages, StateCounts{});
  std::ranges::fill(job.children, StateCounts{});
  job.submission_open = false;
  job.trust = Trust::abandoned;
}

Status refuse_arriving(Rows& rows, JobId id) {
  const Job* job = id ? rows.job(id) : nullptr;
  if (job == nullptr || !is_arriving(*job)) return {};
  return fail(ErrorCode::refused, named(id) + " is still being imported",
              "run `pawl import` with the same file again to finish it, or give it up: `pawl job "
              "cancel " +
                  std::to_string(id.value()) + "`");
}

Status refuse_untrusted(Rows& rows, JobId id) {
  const Job* job = id ? rows.job(id) : nullptr;
  if (job == nullptr || is_trusted(job->trust)) return {};
  if (job->trust == Trust::abandoned) {
    return fail(ErrorCode::refused, named(id) + " is an import that was given up");
  }
  return fail(
      ErrorCode::refused, named(id) + " was imported and is not trusted yet",
      "see what it would run and accept it: `pawl job trust " + std::to_string(id.value()) + "`");
}

}  // namespace

Status check_trust(Rows& rows, const Act& act) {
  const JobId job = job_of(rows, subject_of(act));
  if (!std::holds_alternative<CancelJob>(act)) {
    if (Status may = refuse_arriving(rows, job); !may) return may;
  }
  return std::visit(LetsGoOn{}, act) ? refuse_untrusted(rows, job) : Status();
}

Status check_trust(Rows& rows, JobId job) {
  if (Status may = refuse_arriving(rows, job); !may) return may;
  return refuse_untrusted(rows, job);
}

void accept(Books& books, Job& job, const std::string& by, std::vector<Event>& events) {
  job.trust = Trust::accepted;
  job.trusted_by = by;
  job.trusted_at = books.now();
  books.mark_changed(job);
  events.push_back(Event{.type = EventType::job_trusted, .text = by});
}

Result<Job> Operations::carry_out(const TrustJob& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  if (act.by.empty()) return fail(ErrorCode::invalid, "a job is accepted by somebody");
  if (job.trust == Trust::own) {
    return fail(ErrorCode::refused, named(act.job) + " was submitted here: it needs no trust");
  }
  if (job.trust == Trust::abandoned)
    return std::unexpected(refuse_untrusted(rows_, act.job).error());
  if (job.trust == Trust::accepted) return job;
  accept(books_, job, act.by, touched->events);
  // Only an import writes this note of an untrusted job.
  const JobId originals = move_of(job).value_or(Moved{}).originals;
  TouchedJob* of_originals = originals ? books_.touch(originals) : nullptr;
  if (of_originals != nullptr && of_originals->job->trust == Trust::untrusted) {
    accept(books_, *of_originals->job, act.by, of_originals->events);
  }
  return job;
}

/// Gives up an import. The row of the job stays, so that its number is not used again; its log
/// stays as far as it had come.
Result<Job> Operations::abandon(TouchedJob& touched, const Arriving& at, CancelCause cause) {
  if (at.sha256.empty() && at.lines > 0) {
    return fail(ErrorCode::refused,
                "the import of " + named(at.job) + " was started by an older version of pawl",
                "run `pawl import` with the same file again to finish it, then cancel it");
  }
  if (at.last_ordinal > 0) rows_.delete_ordinals(at.first_ordinal, at.last_ordinal);
  forget_records(*touched.job);
  books_.mark_changed(*touched.job);
  touched.job->labels = labels_of_abandoned(at.export_id);
  touched.job->cancelled = cause;
  touched.events.push_back(
      Event{.type = EventType::job_cancelled, .code = static_cast<std::int32_t>(cause)});
  if (TouchedJob* originals = at.originals ? books_.touch(at.originals) : nullptr) {
    forget_records(*originals->job);
    books_.mark_changed(*originals->job);
    originals->job->labels = labels_of_abandoned(at.export_id);
  }
  return *touched.job;
}

}  // namespace pawl::store
