#include "store/verify/log.hpp"

#include <algorithm>

#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::store {

namespace {

constexpr EventSeq row_size = 16;

struct Bits {
  std::size_t byte;
  unsigned shift;
};
Bits bits_of(std::int64_t place) {
  return {static_cast<std::size_t>(place / 2), static_cast<unsigned>(place % 2) * 4};
}

}  // namespace

bool SettledItems::settle(ItemId item, ItemState state) {
  std::uint8_t& byte = pages_[item.value() / page_items][bits_of(item.value() % page_items).byte];
  const unsigned shift = bits_of(item.value() % page_items).shift;
  const bool is_first = ((byte >> shift) & 15U) == 0;
  const unsigned kept = static_cast<unsigned>(state) & 15U;
  byte = static_cast<std::uint8_t>((byte & ~(15U << shift)) | (kept << shift));
  return is_first;
}

std::optional<ItemState> SettledItems::state_of(ItemId item) const {
  const auto page = pages_.find(item.value() / page_items);
  if (page == pages_.end()) return std::nullopt;
  const Bits at = bits_of(item.value() % page_items);
  const unsigned kept = (page->second[at.byte] >> at.shift) & 15U;
  if (kept == 0) return std::nullopt;
  return static_cast<ItemState>(kept);
}

bool SettledItems::forget(ItemId item) {
  if (!state_of(item)) return false;
  const Bits at = bits_of(item.value() % page_items);
  pages_[item.value() / page_items][at.byte] &= static_cast<std::uint8_t>(~(15U << at.shift));
  return true;
}

LogReading::LogReading(Records& records, const VerifyOptions& options, Verification& into)
    : records_(records), options_(options), into_(into), findings_(into) {}

Status LogReading::catch_up() {
  const EventFilter news{.job = options_.job, .item = {}, .after = last_, .limit = options_.page};
  const Status read = each_row(records_, news, [this](const Event& event) { see(event); });
  if (!read) return read;
  return purged_lately_.empty() ? Status() : leave_out_purged();
}

const JobStory& LogReading::about(JobId job) const {
  static const JobStory nothing;
  const auto known = jobs_.find(job);
  return known == jobs_.end() ? nothing : known->second;
}

std::optional<AttemptNumber> LogReading::open_attempt(TaskId task) const {
  const auto known = tasks_.find(task);
  if (known == tasks_.end() || !known->second.is_open) return std::nullopt;
  return known->second.newest;
}

void LogReading::each_open(JobId job,
                           const std::function<void(TaskId, AttemptNumber)>& visit) const {
  for (const auto& [task, story] : tasks_) {
    if (story.job == job && story.is_open) visit(task, story.newest);
  }
}

void LogReading::each_job(const std::function<void(JobId)>& visit) const {
  for (const auto& [job, story] : jobs_) visit(job);
}

/// Its rows are dense. Of one job alone nobody can tell.
void LogReading::check_place(const Event& event) {
  const EventSeq next_in_row = last_ + 1;
  const EventSeq next_row = (last_ / row_size + 1) * row_size;
  const bool is_next = event.seq == next_row || (last_ > 0 && event.seq == next_in_row);
  if (is_next || options_.job) return;
  findings_.add("log", say("event ", event.seq, " follows event ", last_,
                           " in the log: what stood between is missing"));
}

void LogReading::see(const Event& event) {
  ++into_.events;
  findings_.about(event);
  check_place(event);
  last_ = event.seq;
  JobStory& job = jobs_[event.job];
  ++job.events;
  each_fact(event, [&](const Fact& fact) { job.told.add(fact); });
  switch (event.type) {
    case EventType::job_submitted:
      job.submitted = true;
      break;
    case EventType::job_imported:
      job.untrusted = true;
      break;
    case EventType::job_trusted:
      job.untrusted = false;
      break;
    case EventType::job_cancelled:
      job.cancelled = static_cast<CancelCause>(event.code);
      break;
    case EventType::budget_reached:
      job.last_limit = event.seq;
      break;
    case EventType::job_resumed:
      job.cancelled.reset();  // a limit ended it, and it was revived
      job.last_limit = 0;
      break;
    case EventType::job_finished:
      job.finished_at = event.at;
      break;
    case EventType::attempt_started:
      opened(event, job);
      break;
    case EventType::attempt_finished:
      closed(event, job);
      break;
    case EventType::task_skipped:
      skipped(event);
      ended(event);
      break;
    case EventType::task_succeeded:
    case EventType::task_failed:
    case EventType::task_cancelled:
      ended(event);
      break;
    case EventType::item_settled:
      if (settled_.settle(event.item, static_cast<ItemState>(event.code))) ++job.settled;
      break;
    case EventType::item_purged:
      if (settled_.forget(event.item)) --job.settled;
      purged_.insert(event.item);
      purged_lately_.insert(event.item);
      break;
    case EventType::job_paused:
    case EventType::item_dead_lettered:
    case EventType::gate_accepted:
    case EventType::gate_rejected:
    case EventType::gate_uncertain:
    case EventType::retry_scheduled:
    case EventType::retry_started:
    case EventType::escalated:
    case EventType::review_requested:
    case EventType::review_decided:
    case EventType::task_expanded:
    case EventType::dead_letter_discarded:
    case EventType::review_answered:
    case EventType::review_withdrawn:
    case EventType::review_assigned:
    case EventType::review_overdue:
    case EventType::budget_near:
    case EventType::stage_paused:
    case EventType::stage_resumed:
      break;
  }
}

void LogReading::opened(const Event& event, JobStory& job) {
  job.last_opening = event.seq;
  if (job.cancelled) {
    findings_.add("I11", say("attempt ", event.attempt, " of task ", event.task.value(),
                             " was opened after job ", event.job.value(), " was cancelled"));
  }
  if (job.untrusted) {
    findings_.add("I18", say("attempt ", event.attempt, " of task ", event.task.value(),
                             " was opened after job ", event.job.value(),
                             " was imported and before it was accepted"));
  }
  const auto [known, is_new] = tasks_.try_emplace(event.task, TaskStory{.job = event.job});
  TaskStory& task = known->second;
  if (task.is_open) {
    --job.open;
    findings_.add("I4", say("attempt ", event.attempt, " of task ", event.task.value(),
                            " was opened while attempt ", task.newest, " was open"));
  } else if (!is_new && event.attempt != task.newest + 1) {
    findings_.add("I4", say("attempt ", event.attempt, " of task ", event.task.value(),
                            " was opened after attempt ", task.newest));
  }
  task.newest = event.attempt;
  task.is_open = true;
  skipped_by_hand_.erase(event.task);
  ++job.open;
}

void LogReading::closed(const Event& event, JobStory& job) {
  job.has_lengths = job.has_lengths || event.count != 0;
  if (!job.has_lengths) ++job.ends_without_length;
  const auto known = tasks_.find(event.task);
  if (known == tasks_.end() || !known->second.is_open || known->second.newest != event.attempt) {
    findings_.add("I4",
                  say("attempt ", event.attempt, " of task ", event.task.value(), " was closed as ",
                      name_of(static_cast<AttemptResult>(event.code)), ", and was not open"));
    return;
  }
  known->second.is_open = false;
  --job.open;
}

/// A person gives a reason; a decision or a condition does not.
void LogReading::skipped(const Event& event) {
  const bool by_choice = event.code == static_cast<std::int32_t>(SkipReason::by_choice);
  if (by_choice && !event.text.empty()) {
    skipped_by_hand_.insert(event.task);
  } else {
    skipped_by_hand_.erase(event.task);
  }
}

/// What has ended has no story any more: should it run again, it begins with the next number,
/// which the sums of facts check.
void LogReading::ended(const Event& event) {
  const auto known = tasks_.find(event.task);
  if (known == tasks_.end()) return;
  if (known->second.is_open) {
    findings_.add("I4", say("task ", event.task.value(), " ended while its attempt ",
                            known->second.newest, " was open"));
    --jobs_[event.job].open;
  }
  tasks_.erase(known);
}

/// A purge deletes an item's rows and keeps its events: their facts are taken out of the sums. The
/// log is read a second time for it, once for all that were purged since the last time.
Status LogReading::leave_out_purged() {
  const EventFilter events{.job = options_.job, .item = {}, .limit = options_.page};
  const Status read = each_row(records_, events, [this](const Event& event) {
    if (event.seq > last_) return false;
    if (!purged_lately_.contains(event.item)) return true;
    each_fact(event, [&](const Fact& fact) { jobs_[event.job].told.remove(fact); });
    return true;
  });
  if (!read) return read;
  purged_lately_.clear();
  return {};
}

}  // namespace pawl::store
