#include "store/memory/memory_rows.hpp"

#include <algorithm>
#include <limits>

#include "store/memory/undo.hpp"

namespace pawl::store {

namespace {

/// What orders a lane: the arrival of the item, or of the job-wide task itself.
std::int64_t age_of(const Task& task) {
  return task.item ? task.item.value() : ordinal_of(task.id);
}

template <class Map>
auto find_or_null(Map& map, const auto& key) -> decltype(&map.begin()->second) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

// Transactions

void MemoryRows::note(std::function<void()> undo) {
  undo_.push_back(std::move(undo));
  has_news_ = true;
}

template <class Map>
void MemoryRows::remember(Map& map, const typename Map::key_type& key) {
  note(restoring(map, key));
}

void MemoryRows::remember_worker(WorkerId worker) {
  undo_.push_back(restoring(workers, worker));
  undo_.push_back(restoring(may_hold_, worker));
}

void MemoryRows::commit() {
  undo_.clear();
  working_copies_.clear();
  sequences_before_ = sequences_;
  has_news_ = false;
}

void MemoryRows::roll_back() {
  for (auto change = undo_.rbegin(); change != undo_.rend(); ++change) (*change)();
  undo_.clear();
  working_copies_.clear();
  sequences_ = sequences_before_;
  has_news_ = false;
}

// Jobs and sequences

Job* MemoryRows::job(JobId id) {
  if (Job* copy = find_or_null(working_copies_, id)) return copy;
  const Job* row = find_or_null(jobs, id);
  return row == nullptr ? nullptr : &working_copies_.emplace(id, *row).first->second;
}

Job* MemoryRows::job_with_key(std::string_view workflow_name, std::string_view key) {
  for (const auto& [id, row] : jobs) {
    if (row.key == key && row.workflow_name == workflow_name) return job(id);
  }
  return nullptr;
}

Job* MemoryRows::insert_job(const Job& fresh) {
  const JobId id{static_cast<std::int64_t>(jobs.size()) + 1};
  remember(jobs, id);
  jobs.emplace(id, fresh).first->second.id = id;
  return job(id);
}

void MemoryRows::put_job(const Job& job) {
  Job& row = jobs.at(job.id);
  if (row == job) return;
  remember(jobs, job.id);
  row = job;
}

std::vector<JobId> MemoryRows::overdue_jobs(Timestamp now) {
  std::vector<JobId> overdue;
  for (const auto& [id, job] : jobs) {
    if (job.deadline_at != no_time && job.deadline_at <= now && !job.has_ended() &&
        job.paused == PauseCause::none && !job.cancelled) {
      overdue.push_back(id);
    }
  }
  return overdue;
}

void MemoryRows::keep_workflow(const Workflow& workflow) {
  if (workflows.contains(workflow.hash())) return;
  remember(workflows, workflow.hash());
  workflows.emplace(workflow.hash(), workflow);
}

const Workflow& MemoryRows::workflow(const std::string& hash) { return workflows.at(hash); }

std::int64_t MemoryRows::take_ordinals(std::int64_t count) {
  return std::exchange(sequences_.next_ordinal, sequences_.next_ordinal + count);
}

LaneId MemoryRows::lane_base(JobId job, std::string_view category, std::size_t stage_count) {
  const std::pair key(job, std::string(category));
  if (const std::int64_t* known = find_or_null(lane_bases_, key)) return LaneId{*known};
  const auto stages = static_cast<std::int64_t>(stage_count);
  const std::int64_t base = std::exchange(sequences_.next_lane, sequences_.next_lane + stages);
  remember(lane_bases_, key);
  remember(lane_groups, base);
  lane_bases_.emplace(key, base);
  lane_groups[base] = {
      .job = job, .category = std::string(category), .base = base, .stages = stages};
  return LaneId{base};
}

// Items

void MemoryRows::insert_item(const Item& item, std::uint32_t pass) {
  remember(items, item.id);
  remember(keys_[item.job], item.key);
  items.emplace(item.id, item);
  keys_[item.job][item.key] = {item.id, pass};
}

std::optional<std::uint32_t> MemoryRows::seen_in_pass(JobId job, std::string_view key) {
  const auto& keys = keys_[job];
  const auto known = keys.find(key);
  if (known == keys.end()) return std::nullopt;
  return known->second.second;
}

void MemoryRows::mark_seen(JobId job, std::string_view key, std::uint32_t pass) {
  remember(keys_[job], std::string(key));
  keys_[job].find(key)->second.second = pass;
}

std::uint32_t MemoryRows::submission_pass(JobId job) { return passes_[job]; }
void MemoryRows::set_submission_pass(JobId job, std::uint32_t pass) {
  remember(passes_, job);
  passes_[job] = pass;
}

std::optional<ItemProgress> MemoryRows::progress(ItemId id) {
  const Item* item = find_or_null(items, id);
  if (item == nullptr) return std::nullopt;
  return ItemProgress{.job = item->job,
                      .state = item->state,
                      .cancelled = item->cancelled,
                      .sinks_left = item->sinks_left,
                      .failed_tasks = item->failed_tasks,
                      .adopted = static_cast<bool>(item->adopted_from)};
}

void MemoryRows::put_progress(ItemId id, const ItemProgress& progress) {
  remember(items, id);
  Item& item = items.at(id);
  item.state = progress.state;
  item.cancelled = progress.cancelled;
  item.sinks_left = progress.sinks_left;
  item.failed_tasks = progress.failed_tasks;
}

ItemBrief MemoryRows::brief(ItemId id) {
  const Item& item = items.at(id);
  return {.key = item.key, .category = item.category, .data = item.data};
}

std::optional<FinishedItem> MemoryRows::finished_before(const Job& job, std::string_view key,
                                                        std::string_view sha256) {
  std::optional<FinishedItem> newest;
  for (const auto& [id, earlier] : jobs) {
    if (id >= job.id) break;
    if (!is_trusted(earlier.trust)) continue;
    if (earlier.workflow_hash != job.workflow_hash || earlier.params != job.params) continue;
    const auto known = keys_[id].find(key);
    if (known == keys_[id].end()) continue;
    const Item& item = items.at(known->second.first);
    const bool is_finished =
        item.state == ItemState::succeeded || item.state == ItemState::rejected;
    if (!is_finished || item.data_sha256 != sha256) continue;
    newest = {.id = item.adopted_from ? item.adopted_from : item.id, .state = item.state};
  }
  return newest;
}

void MemoryRows::erase_task(TaskId task) {
  note([this, before = tasks.at(task)] {
    tasks.emplace(before.id, before);
    index(before);
  });
  unindex(tasks.at(task));
  tasks.erase(task);
  remember(children, task);
  children.erase(task);
  remember(pending_reviews_, task);
  pending_reviews_.erase(task);
}

void MemoryRows::erase_attempts(TaskId first, TaskId last) {
  const auto begin = closed_attempts.lower_bound({first, 0});
  const auto end = closed_attempts.upper_bound({last, std::numeric_limits<AttemptNumber>::max()});
  for (auto it = begin; it != end; ++it) remember(closed_attempts, it->first);
  closed_attempts.erase(begin, end);
}

void MemoryRows::delete_item(ItemId id) {
  std::vector<TaskId> doomed;
  for (const Task& task : tasks_of(id)) {
    doomed.push_back(task.id);
    if (const auto own = children.find(task.id); own != children.end()) {
      doomed.insert(doomed.end(), own->second.begin(), own->second.end());
    }
  }
  for (const TaskId task : doomed) {
    erase_task(task);
    erase_attempts(task, task);
  }
  std::erase_if(reviews, [&](const auto& entry) {
    if (entry.second.item != id) return false;
    remember(reviews, entry.first);
    erase_answers(entry.first);
    return true;
  });
  const Item& item = items.at(id);
  remember(keys_[item.job], item.key);
  keys_[item.job].erase(item.key);
  remember(items, id);
  items.erase(id);
}

void MemoryRows::delete_ordinals(std::int64_t first, std::int64_t last) {
  const TaskId begin = task_id(first, StageIndex{});
  const TaskId end = task_id(last + 1, StageIndex{});
  std::vector<TaskId> doomed;
  for (auto it = tasks.lower_bound(begin); it != tasks.lower_bound(end); ++it) {
    doomed.push_back(it->first);
  }
  for (const TaskId task : doomed) erase_task(task);
  erase_attempts(begin, TaskId{end.value() - 1});
  std::erase_if(reviews, [&](const auto& entry) {
    if (entry.second.task < begin || entry.second.task >= end) return false;
    remember(reviews, entry.first);
    erase_answers(entry.first);
    return true;
  });
  std::erase_if(items, [&](const auto& entry) {
    const Item& item = entry.second;
    if (item.id.value() < first || item.id.value() > last) return false;
    remember(items, item.id);
    remember(keys_[item.job], item.key);
    keys_[item.job].erase(item.key);
    return true;
  });
}

std::optional<Item> MemoryRows::item_with_key(JobId job, std::string_view key) {
  const auto known = keys_[job].find(key);
  if (known == keys_[job].end()) return std::nullopt;
  return items.at(known->second.first);
}

// Tasks

void MemoryRows::index(const Task& task) {
  if (task.child) children[task.child->parent].insert(task.id);
  switch (task.kind()) {
    case StateKind::ready:
      ready_by_lane[task.lane].emplace(age_of(task), task.id);
      break;
    case StateKind::retry_scheduled:
      retries.emplace(std::get<RetryScheduled>(task.state).next_run_at, task.id);
      break;
    case StateKind::running:
      held[std::get<Running>(task.state).worker].insert(task.id);
      break;
    case StateKind::failed:
      failed.emplace(task.job, task.id);
      break;
    case StateKind::waiting:
    case StateKind::awaiting_review:
    case StateKind::expanded:
    case StateKind::succeeded:
    case StateKind::skipped:
    case StateKind::cancelled:
      break;
  }
}

void MemoryRows::unindex(const Task& task) {
  if (task.child) children[task.child->parent].erase(task.id);
  switch (task.kind()) {
    case StateKind::ready: {
      const auto lane = ready_by_lane.find(task.lane);
      lane->second.erase({age_of(task), task.id});
      if (lane->second.empty()) ready_by_lane.erase(lane);
      break;
    }
    case StateKind::retry_scheduled:
      retries.erase({std::get<RetryScheduled>(task.state).next_run_at, task.id});
      break;
    case StateKind::running:
      held[std::get<Running>(task.state).worker].erase(task.id);
      break;
    case StateKind::failed:
      failed.erase({task.job, task.id});
      break;
    case StateKind::waiting:
    case StateKind::awaiting_review:
    case StateKind::expanded:
    case StateKind::succeeded:
    case StateKind::skipped:
    case StateKind::cancelled:
      break;
  }
}

std::optional<Task> MemoryRows::task(TaskId id) {
  const Task* task = find_or_null(tasks, id);
  return task == nullptr ? std::nullopt : std::optional(*task);
}

bool MemoryRows::replace_task(const Task& next, Version expected) {
  Task* row = find_or_null(tasks, next.id);
  if (row == nullptr || row->version != expected) return false;
  note([this, before = *row] {
    Task& now = tasks.at(before.id);
    unindex(now);
    now = before;
    index(before);
  });
  unindex(*row);
  *row = next;
  index(next);
  return true;
}

bool MemoryRows::insert_task(const Task& fresh) {
  if (!tasks.emplace(fresh.id, fresh).second) return false;
  note([this, id = fresh.id] {
    unindex(tasks.at(id));
    tasks.erase(id);
  });
  index(fresh);
  return true;
}

std::vector<Task> MemoryRows::tasks_of(ItemId item) { return tasks_of_ordinal(item.value()); }

std::vector<Task> MemoryRows::tasks_of_ordinal(std::int64_t ordinal) {
  std::vector<Task> found;
  const auto end = tasks.lower_bound(task_id(ordinal + 1, StageIndex{}));
  for (auto it = tasks.lower_bound(task_id(ordinal, StageIndex{})); it != end; ++it) {
    found.push_back(it->second);
  }
  return found;
}

std::vector<Task> MemoryRows::children_of(TaskId parent, std::uint32_t expansion) {
  std::vector<Task> found;
  for (const TaskId id : children[parent]) {
    const Task& child = tasks.at(id);
    if (child.child->expansion == expansion) found.push_back(child);
  }
  return found;
}

std::vector<TaskId> MemoryRows::cancelled_tasks(JobId job) {
  std::vector<TaskId> found;
  for (const auto& [id, one] : tasks) {
    if (one.job == job && one.item && one.kind() == StateKind::cancelled) found.push_back(id);
  }
  return found;
}

std::vector<Task> MemoryRows::ready_tasks(std::span<const LaneId> lanes, std::uint32_t max) {
  std::vector<std::pair<std::int64_t, TaskId>> oldest;
  for (const LaneId lane : lanes) {
    const auto ready = ready_by_lane.find(lane);
    if (ready == ready_by_lane.end()) continue;
    std::uint32_t taken = 0;
    for (const auto& entry : ready->second) {
      if (taken++ == max) break;
      oldest.push_back(entry);
    }
  }
  std::ranges::sort(oldest);
  if (oldest.size() > max) oldest.resize(max);
  std::vector<Task> found;
  found.reserve(oldest.size());
  for (const auto& [age, id] : oldest) found.push_back(tasks.at(id));
  return found;
}

std::vector<Task> MemoryRows::due_retries(Timestamp now, std::uint32_t max) {
  std::vector<Task> due;
  for (const auto& [when, id] : retries) {
    if (when > now || due.size() == max) break;
    due.push_back(tasks.at(id));
  }
  return due;
}

std::vector<Task> MemoryRows::running_of(WorkerId worker, std::uint32_t max) {
  std::vector<Task> found;
  for (const TaskId id : held[worker]) {
    if (found.size() == max) break;
    found.push_back(tasks.at(id));
  }
  return found;
}

void MemoryRows::insert_attempt(const Attempt& attempt) {
  remember(closed_attempts, {attempt.task, attempt.number});
  closed_attempts.emplace(std::pair(attempt.task, attempt.number), attempt);
}

std::vector<Attempt> MemoryRows::attempts(TaskId task) {
  std::vector<Attempt> found;
  for (auto it = closed_attempts.lower_bound({task, 0});
       it != closed_attempts.end() && it->first.first == task; ++it) {
    found.push_back(it->second);
  }
  return found;
}

// Reviews, the log, pools

ReviewId MemoryRows::insert_review(const Review& review) {
  const ReviewId id{++sequences_.last_review};  // never one that was deleted
  remember(reviews, id);
  remember(pending_reviews_, review.task);
  Review& row = reviews.emplace(id, review).first->second;
  row.id = id;
  if (row.status == ReviewStatus::open || row.status == ReviewStatus::answered) {
    pending_reviews_[row.task] = id;
  }
  return id;
}

void MemoryRows::put_review(const Review& review) {
  remember(reviews, review.id);
  remember(pending_reviews_, review.task);
  reviews.at(review.id) = review;
  const bool is_pending =
      review.status == ReviewStatus::open || review.status == ReviewStatus::answered;
  if (is_pending) {
    pending_reviews_[review.task] = review.id;
  } else {
    pending_reviews_.erase(review.task);
  }
}

std::optional<Review> MemoryRows::review(ReviewId id) {
  const Review* review = find_or_null(reviews, id);
  return review == nullptr ? std::nullopt : std::optional(*review);
}

std::optional<Review> MemoryRows::pending_review(TaskId task) {
  const auto known = pending_reviews_.find(task);
  if (known == pending_reviews_.end()) return std::nullopt;
  return reviews.at(known->second);
}

std::vector<Review> MemoryRows::due_answers(Timestamp now, std::uint32_t max) {
  std::vector<Review> due;
  for (const auto& [task, id] : pending_reviews_) {
    const Review& review = reviews.at(id);
    if (review.status == ReviewStatus::answered && review.answer->effective_at <= now) {
      due.push_back(review);
    }
  }
  // The earliest first, whatever their tasks.
  std::ranges::sort(due, {}, [](const Review& review) {
    return std::pair(review.answer->effective_at, review.id);
  });
  if (due.size() > max) due.resize(max);
  return due;
}

std::vector<Review> MemoryRows::due_notices(Timestamp now, std::uint32_t max) {
  std::vector<Review> due;
  for (const auto& [task, id] : pending_reviews_) {
    const Review& review = reviews.at(id);
    const bool has_notice = review.notice_at != no_time && review.notice_at <= now;
    if (has_notice && review.status == ReviewStatus::open) due.push_back(review);
  }
  std::ranges::sort(due, {},
                    [](const Review& review) { return std::pair(review.notice_at, review.id); });
  if (due.size() > max) due.resize(max);
  return due;
}

std::vector<GivenAnswer> MemoryRows::answers(ReviewId review) {
  std::vector<GivenAnswer> found;
  for (auto it = given_answers.lower_bound({review, 0});
       it != given_answers.end() && it->first.first == review; ++it) {
    found.push_back(it->second);
  }
  return found;
}

void MemoryRows::put_answer(const GivenAnswer& answer) {
  const std::pair key(answer.review, answer.number);
  remember(given_answers, key);
  given_answers.insert_or_assign(key, answer);
}

void MemoryRows::erase_answers(ReviewId review) {
  std::erase_if(given_answers, [&](const auto& entry) {
    if (entry.first.first != review) return false;
    remember(given_answers, entry.first);
    return true;
  });
}

void MemoryRows::append_audit(const AuditEntry& entry) {
  note([this] { audit.pop_back(); });
  audit.push_back(entry);
}

void MemoryRows::append_journal(JobId job, Timestamp at, std::span<const Event> events) {
  note([this] { journal.pop_back(); });
  journal.push_back({.job = job, .at = at, .events = {events.begin(), events.end()}});
}

std::int64_t MemoryRows::pool_open(const std::string& pool) { return pools_[pool]; }
std::vector<PoolUse> MemoryRows::pool_uses() const {
  std::vector<PoolUse> uses;
  for (const auto& [pool, open] : pools_) uses.push_back({.pool = pool, .open = open});
  return uses;
}
void MemoryRows::add_to_pool(const std::string& pool, std::int64_t change) {
  remember(pools_, pool);
  pools_[pool] += change;
}

Timestamp MemoryRows::opening_before(const std::string& pool, std::uint32_t count) {
  const auto& numbered = openings_[pool];
  if (numbered.empty()) return no_time;
  const auto after = numbered.upper_bound(numbered.rbegin()->first - count + 1);
  return after == numbered.begin() ? no_time : std::prev(after)->second.at;
}

void MemoryRows::note_opening(const std::string& pool, const Rate& rate, Timestamp at) {
  auto& numbered = openings_[pool];
  const std::int64_t number = numbered.empty() ? 1 : numbered.rbegin()->first + 1;
  remember(numbered, number);
  numbered[number] = {.at = at, .keep_until = at + rate.per};
  std::erase_if(numbered, [&](const auto& entry) {
    if (entry.first > number - rate.count || entry.second.keep_until > at) return false;
    remember(numbered, entry.first);
    return true;
  });
}

// Workers: the rest is in memory_workers.cpp.

void MemoryRows::put_last_batch(WorkerId id, BatchNumber batch) {
  remember(workers, id);
  workers.at(id).last_batch = batch;
}

Timestamp MemoryRows::next_due(Timestamp now) {
  Timestamp earliest = no_time;
  const auto consider = [&](Timestamp when) {
    if (when > now && (earliest == no_time || when < earliest)) earliest = when;
  };
  if (!retries.empty()) consider(retries.begin()->first);
  for (const auto& [task, id] : pending_reviews_) {
    const Review& review = reviews.at(id);
    if (review.status == ReviewStatus::answered) consider(review.answer->effective_at);
    if (review.status == ReviewStatus::open && review.notice_at != no_time) {
      consider(review.notice_at);
    }
  }
  for (const auto& [id, job] : jobs) {
    if (job.deadline_at != no_time && !job.has_ended() && job.paused == PauseCause::none &&
        !job.cancelled) {
      consider(job.deadline_at);
    }
  }
  return earliest;
}

}  // namespace pawl::store
