/// Takes in a job from another store.

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "pawl/core/text.hpp"
#include "store/ledger/arrival_labels.hpp"
#include "store/ledger/trust.hpp"
#include "store/ledger/verbs.hpp"

namespace pawl::store {

namespace {

/// The end of the range that a task's id has for ordinals.
constexpr std::int64_t ordinals_end = std::int64_t{1} << 46;

std::string named(JobId job) { return "job " + std::to_string(job.value()); }

/// The shifts of a job that was moved before, seen from here.
std::vector<std::int64_t> shifts_after(const Job& as_it_was, std::int64_t shift) {
  std::vector<std::int64_t> shifts{shift};
  const std::optional<Moved> before = move_of(as_it_was);
  if (!before) return shifts;
  for (const std::int64_t one : before->shifts) shifts.push_back(one + shift);
  return shifts;
}

PauseCause at_least_paused(PauseCause cause) {
  return cause == PauseCause::none ? PauseCause::requested : cause;
}

/// Gives records their new ids.
class Renaming {
 public:
  Renaming(JobId job, JobId originals, std::int64_t shift)
      : job_(job), originals_(originals), shift_(shift) {}

  [[nodiscard]] JobId job(bool is_original) const { return is_original ? originals_ : job_; }
  [[nodiscard]] ItemId operator()(ItemId old) const {
    return old ? ItemId{old.value() + shift_} : old;
  }
  [[nodiscard]] TaskId operator()(TaskId old) const {
    return old ? task_id(ordinal_of(old) + shift_, stage_of(old)) : old;
  }
  [[nodiscard]] std::int64_t ordinal(std::int64_t old) const { return old == 0 ? 0 : old + shift_; }

 private:
  JobId job_;
  JobId originals_;
  std::int64_t shift_;
};

/// The row of a job with the ids it has here; its labels are the caller's.
Job row_of(const Job& as_it_was, JobId id, const Renaming& renamed) {
  Job row = as_it_was;
  row.id = id;
  row.generation = 1;
  row.reduce_ordinal = renamed.ordinal(row.reduce_ordinal);
  row.paused = at_least_paused(row.paused);
  row.trust = Trust::untrusted;
  row.trusted_by.clear();
  row.trusted_at = no_time;
  return row;
}

}  // namespace

Result<Arriving> Arrivals::receive(const Arrival& arrival) {
  return std::visit([this](const auto& one) { return take_in(one); }, arrival);
}

Result<Arriving> Arrivals::take_in(const BeginArrival& begun) {
  if (const Status may = check_right(begun.by, Right::submit); !may) {
    return std::unexpected(may.error());
  }
  if (!begun.job.key.empty()) {
    if (const Job* known = rows_.job_with_key(begun.workflow.name(), begun.job.key)) {
      return fail(ErrorCode::conflict, named(known->id) + " has the key '" + begun.job.key +
                                           "' of this workflow already");
    }
  }
  const std::int64_t count =
      begun.last_ordinal == 0 ? 0 : begun.last_ordinal - begun.first_ordinal + 1;
  if (count < 0 || count > arrival_ordinals_max) {
    return fail(ErrorCode::invalid, "the export spans " + std::to_string(count) + " ordinals");
  }
  const std::int64_t first = rows_.take_ordinals(count);
  require(first + count < ordinals_end, "a store has ordinals left");
  Arriving at{.job = {},
              .originals = {},
              .export_id = begun.export_id,
              .shift = first - begun.first_ordinal,
              .shifts = shifts_after(begun.job, first - begun.first_ordinal),
              .sha256 = begun.sha256,
              .first_ordinal = count == 0 ? 0 : first,
              .last_ordinal = count == 0 ? 0 : first + count - 1};

  rows_.keep_workflow(begun.workflow);
  if (begun.originals) {
    Job row = *begun.originals;
    row.submitted_at = begun.job.submitted_at;
    row.last_progress_at = now_;
    row.ended_at = now_;
    row.submission_open = false;
    row.cancelled = CancelCause::requested;  // so that nothing of it goes on
    row.reduce_ordinal = 0;
    row.trust = Trust::untrusted;
    row.labels = labels_after(*begun.originals, begun.export_id + "/originals", JobId{},
                              shifts_after(*begun.originals, at.shift));
    at.originals = rows_.insert_job(row)->id;
    rows_.set_submission_pass(at.originals, 1);
  }
  // It is neither cancelled nor ended before it is whole.
  Job row = row_of(begun.job, JobId{}, Renaming({}, {}, at.shift));
  row.cancelled.reset();
  row.ended_at = no_time;
  row.labels = labels_of(at);
  at.job = rows_.insert_job(row)->id;
  rows_.set_submission_pass(at.job, 1);
  books_.audit().note({.actor = begun.by,
                       .act = "job.import",
                       .job = at.job,
                       .target = named(at.job),
                       .details = valid_text("export " + at.export_id)});
  return at;
}

Result<Arriving> Arrivals::take_in(const AddArrival& piece) {
  Job* job = rows_.job(piece.job);
  std::optional<Arriving> at = job == nullptr ? std::nullopt : arrival_of(*job);
  if (!at || at->lines != piece.from_line) {
    return fail(ErrorCode::conflict,
                "another import goes on with " + named(piece.job) + ", or it was cancelled",
                "look at it: `pawl job list`");
  }
  if (Status fits = check_piece(piece, *at); !fits) return std::unexpected(fits.error());
  for (const ArrivingRecord& record : piece.records) {
    std::visit([&](const auto& one) { write_arrived(one, *at); }, record);
  }
  at->lines = piece.to_line;
  job = rows_.job(piece.job);
  job->labels = labels_of(*at);
  rows_.put_job(*job);
  return *at;
}

/// Finds records that the store cannot take before anything is written.
Status Arrivals::check_piece(const AddArrival& piece, const Arriving& at) {
  const Renaming renamed(at.job, at.originals, at.shift);
  std::set<std::pair<JobId, std::string>> keys;
  std::set<TaskId> tasks;
  const auto twice = [](const std::string& what) {
    return fail(ErrorCode::corrupt, "the export has " + what + " twice");
  };
  for (const ArrivingRecord& record : piece.records) {
    if (const auto* item = std::get_if<ArrivingItem>(&record)) {
      const JobId job = renamed.job(item->is_original);
      if (!keys.emplace(job, item->item.key).second ||
          rows_.seen_in_pass(job, item->item.key).has_value()) {
        return twice("item '" + item->item.key + "'");
      }
    } else if (const auto* task = std::get_if<ArrivingTask>(&record)) {
      const TaskId id = renamed(task->task.id);
      if (!tasks.insert(id).second || rows_.task(id).has_value()) {
        return twice("task " + std::to_string(task->task.id.value()));
      }
    } else if (const auto* review = std::get_if<ArrivingReview>(&record)) {
      // Other reviews may come before their task, when it is a retry.
      const bool needs_task = review->stands || review->review.status == ReviewStatus::answered;
      const TaskId id = renamed(review->review.task);
      if (needs_task && !tasks.contains(id) && !rows_.task(id)) {
        return fail(ErrorCode::corrupt, "the export has no task for review " +
                                            std::to_string(review->review.id.value()));
      }
    }
  }
  return {};
}

void Arrivals::write_arrived(const ArrivingItem& arrived, const Arriving& at) {
  const Renaming renamed(at.job, at.originals, at.shift);
  Item row = arrived.item;
  row.id = renamed(row.id);
  row.job = renamed.job(arrived.is_original);
  row.adopted_from = renamed(row.adopted_from);
  rows_.insert_item(row, 1);
}

void Arrivals::write_arrived(const ArrivingTask& arrived, const Arriving& at) {
  const Renaming renamed(at.job, at.originals, at.shift);
  Task row = arrived.task;
  row.id = renamed(row.id);
  row.job = renamed.job(arrived.is_original);
  row.item = renamed(row.item);
  if (row.child) row.child->parent = renamed(row.child->parent);
  const Workflow& workflow = rows_.workflow(rows_.job(row.job)->workflow_hash);
  const LaneId base = rows_.lane_base(row.job, arrived.category, workflow.stage_count());
  row.lane = LaneId{base.value() + static_cast<std::int64_t>(row.stage())};
  books_.insert(row);
}

void Arrivals::write_arrived(const Attempt& arrived, const Arriving& at) {
  Attempt row = arrived;
  row.task = Renaming(at.job, at.originals, at.shift)(row.task);
  rows_.insert_attempt(row);
}

void Arrivals::write_arrived(const ArrivingReview& arrived, const Arriving& at) {
  const Renaming renamed(at.job, at.originals, at.shift);
  Review row = arrived.review;
  row.job = renamed.job(arrived.is_original);
  row.item = renamed(row.item);
  row.task = renamed(row.task);
  const ReviewId id = rows_.insert_review(row);
  for (GivenAnswer given : arrived.answers) {
    given.review = id;
    rows_.insert_answer(given);
  }
  if (!arrived.stands) return;
  std::optional<Task> task = rows_.task(row.task);
  auto* succeeded = task ? std::get_if<Succeeded>(&task->state) : nullptr;
  if (succeeded == nullptr) return;  // an export made by hand; the verification reports it
  succeeded->edited_by = id;
  const Version before = task->version;
  require(books_.replace(*task, before), "a row changed inside its own transaction");
}

void Arrivals::write_arrived(const ArrivingEvents& arrived, const Arriving& at) {
  const Renaming renamed(at.job, at.originals, at.shift);
  std::vector<Event> events = arrived.events;
  for (Event& event : events) {
    event.item = renamed(event.item);
    event.task = renamed(event.task);
  }
  rows_.append_arrived_journal(at.job, arrived.at, events);
}

void Arrivals::write_arrived(const ArrivingAudit& arrived, const Arriving& at) {
  AuditEntry entry = arrived.entry;
  entry.job = at.job;
  if (entry.origin.empty()) entry.origin = at.export_id;
  books_.audit().note(std::move(entry));
}

void Arrivals::write_arrived(const ArrivedWhole& arrived, const Arriving& at) {
  Job* job = rows_.job(at.job);
  const Generation before = job->generation;
  *job = row_of(arrived.job, at.job, Renaming(at.job, at.originals, at.shift));
  job->generation = before;
  job->labels = labels_of(at);
  books_.mark_changed(*job);  // everybody who has read it reads it again
}

Result<Arriving> Arrivals::take_in(const EndArrival& ended) {
  Job* job = rows_.job(ended.job);
  const std::optional<Arriving> at = job == nullptr ? std::nullopt : arrival_of(*job);
  if (!at) return fail(ErrorCode::conflict, named(ended.job) + " is not being imported");
  const bool is_accepted = !ended.accepted_by.empty();
  Actor by = ended.by;
  if (by.name.empty() && !ended.is_accepted_by_key) by.name = ended.accepted_by;
  const bool by_person = is_accepted && !ended.is_accepted_by_key;
  if (by_person && ended.accepted_by != by.name) {
    return fail(ErrorCode::invalid,
                "'" + by.name + "' accepts a job in the name of '" + ended.accepted_by + "'");
  }
  const Status may = check_right(by, by_person ? Right::trust : Right::submit);
  if (!may) return std::unexpected(may.error());
  job->labels = labels_after(ended.as_it_was, at->export_id, at->originals, at->shifts);
  job->paused = ended.as_it_was.paused;
  // Written after everything that the file says, so that no claim of trust in the file counts.
  std::vector<Event> events{{.type = EventType::job_imported, .text = at->export_id}};
  job->trust = Trust::untrusted;
  if (is_accepted) accept(books_, *job, ended.accepted_by, events);
  books_.log(ended.job, events);
  rows_.put_job(*job);
  if (Job* originals = at->originals ? rows_.job(at->originals) : nullptr) {
    std::vector<Event> its_events;
    originals->trust = Trust::untrusted;
    if (is_accepted) accept(books_, *originals, ended.accepted_by, its_events);
    books_.log(at->originals, its_events);
    rows_.put_job(*originals);
  }
  if (is_accepted) {
    books_.audit().note({.actor = std::move(by),
                         .act = by_person ? "job.trust" : "job.trust_by_key",
                         .job = ended.job,
                         .target = named(ended.job),
                         .details = "accepted by " + ended.accepted_by});
  }
  return *at;
}

}  // namespace pawl::store
