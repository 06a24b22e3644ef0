#include "pawl/store/verify.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "store/verify_checks.hpp"

namespace pawl {

namespace {

constexpr int readings_max = 3;

/// One reading of one job.
class JobReading {
 public:
  JobReading(Records& records, const VerifyOptions& options, const Job& job,
             const Workflow& workflow, Verification& into)
      : records_(records),
        options_(options),
        job_(job),
        workflow_(workflow),
        moves_(move_of(job).value_or(Moved{})),
        into_(into),
        findings_(into) {}

  Status run() {
    findings_.about(job_);
    ++into_.jobs;
    rows_.stages.resize(workflow_.stage_count());
    rows_.children.resize(workflow_.stage_count());
    if (Status read = read_tasks(); !read) return read;
    if (Status read = read_items(); !read) return read;
    if (Status read = read_reviews(); !read) return read;
    check_job(job_, workflow_, rows_, findings_);
    if (rows_.item_tasks != tasks_of_items_) {
      findings_.add("I10", say("job ", job_.id.value(), " has ", rows_.item_tasks,
                               " tasks of items, where its items have ", tasks_of_items_));
    }
    return {};
  }

 private:
  Status read_tasks() {
    TaskFilter filter{.job = job_.id, .limit = options_.page};
    while (true) {
      const Result<std::vector<Task>> page = records_.tasks(filter);
      if (!page) return std::unexpected(page.error());
      for (const Task& task : *page) {
        if (Status read = read_task(task); !read) return read;
      }
      if (page->size() < filter.limit) return {};
      filter.after = page->back().id;
    }
  }

  Status read_task(const Task& task) {
    ++into_.tasks;
    findings_.about(task);
    if (at(task.stage()) >= workflow_.stage_count()) {
      findings_.add("I3", say("task ", task.id.value(), " is of stage ", at(task.stage()),
                              ", but '", workflow_.name(), "' has ", workflow_.stage_count()));
      return {};
    }
    const Result<std::vector<Attempt>> attempts = records_.attempts(task.id);
    if (!attempts) return std::unexpected(attempts.error());
    into_.attempts += static_cast<std::int64_t>(attempts->size());
    rows_.count(task, *attempts);
    const StageDefinition& stage = workflow_.stage(task.stage());
    check_task(task.child ? policies_of_child(stage) : stage, task, *attempts, moves_.shifts,
               options_, findings_);
    if (task.kind() == StateKind::expanded) {
      if (Status read = read_children(task); !read) return read;
    }
    // In a cancelled job nobody is asked any more.
    if (task.kind() == StateKind::awaiting_review && !job_.cancelled) return read_pending(task);
    return {};
  }

  Status read_children(const Task& parent) {
    Expanded rows;
    TaskFilter filter{.job = job_.id, .parent = parent.id, .limit = options_.page};
    while (true) {
      const Result<std::vector<Task>> page = records_.tasks(filter);
      if (!page) return std::unexpected(page.error());
      for (const Task& child : *page) {
        if (!child.child || child.child->expansion != parent.expansion) continue;
        ++rows.children;
        if (!has_ended(child.state)) ++rows.open;
        if (child.kind() == StateKind::failed) ++rows.failed;
      }
      if (page->size() < filter.limit) break;
      filter.after = page->back().id;
    }
    check_expansion(parent, rows, findings_);
    return {};
  }

  /// I8: who awaits a review has exactly one question open.
  Status read_pending(const Task& task) {
    std::int64_t pending = 0;
    for (const ReviewStatus status : {ReviewStatus::open, ReviewStatus::answered}) {
      const Result<std::vector<Review>> page =
          records_.reviews({.task = task.id, .status = status, .limit = 2});
      if (!page) return std::unexpected(page.error());
      pending += static_cast<std::int64_t>(page->size());
    }
    findings_.about(task);
    if (pending == 0) {
      findings_.add("I8", say("task ", task.id.value(), " awaits a review, and no review is open"));
    } else if (pending > 1) {
      findings_.add("I8", say("task ", task.id.value(), " has more than one open review"));
    }
    return {};
  }

  Status read_items() {
    ItemFilter filter{.job = job_.id, .limit = options_.page};
    while (true) {
      const Result<std::vector<Item>> page = records_.items(filter);
      if (!page) return std::unexpected(page.error());
      for (const Item& item : *page) {
        ++into_.items;
        rows_.count(item);
        const Result<std::vector<Task>> tasks = records_.tasks_of(item.id);
        if (!tasks) return std::unexpected(tasks.error());
        tasks_of_items_ += static_cast<std::int64_t>(tasks->size());
        check_item(job_, workflow_, item, *tasks, findings_);
      }
      if (page->size() < filter.limit) return {};
      filter.after = page->back().id;
    }
  }

  Status read_reviews() {
    ReviewFilter filter{.job = job_.id, .limit = options_.page};
    while (true) {
      const Result<std::vector<Review>> page = records_.reviews(filter);
      if (!page) return std::unexpected(page.error());
      for (const Review& review : *page) {
        ++into_.reviews;
        const Result<Task> task = records_.task(review.task);
        if (task) {
          check_review(review, *task, findings_);
        } else if (task.error().code == ErrorCode::not_found) {
          findings_.about(job_);
          findings_.add("I8", say("review ", review.id.value(), " is about task ",
                                  review.task.value(), ", which does not exist"));
        } else {
          return std::unexpected(task.error());
        }
      }
      if (page->size() < filter.limit) return {};
      filter.after = page->back().id;
    }
  }

  Records& records_;
  const VerifyOptions& options_;
  const Job& job_;
  const Workflow& workflow_;
  Moved moves_;
  Verification& into_;
  Findings findings_;
  JobTally rows_;
  std::int64_t tasks_of_items_ = 0;
};

void merge(Verification& into, Verification part) {
  into.jobs += part.jobs;
  into.items += part.items;
  into.tasks += part.tasks;
  into.attempts += part.attempts;
  into.reviews += part.reviews;
  into.decisions_not_checked += part.decisions_not_checked;
  into.violation_count += part.violation_count;
  for (Violation& violation : part.violations) {
    if (into.violations.size() < violations_max) into.violations.push_back(std::move(violation));
  }
}

/// Reads a job until it has not changed underneath.
Status verify_job(Records& records, const VerifyOptions& options, JobId id, Verification& into) {
  for (int reading = 0; reading < readings_max; ++reading) {
    const Result<Job> job = records.job(id);
    if (!job) return std::unexpected(job.error());
    const Result<Workflow> workflow = records.workflow(job->workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    Verification part;
    if (Status read = JobReading(records, options, *job, *workflow, part).run(); !read) return read;
    const Result<Job> after = records.job(id);
    if (!after) return std::unexpected(after.error());
    if (*after == *job) {
      merge(into, std::move(part));
      return {};
    }
  }
  into.in_motion.push_back(id);
  return {};
}

/// The log: its rows are dense, and no attempt starts in a job after its cancel.
class LogReading {
 public:
  LogReading(Records& records, const VerifyOptions& options, Verification& into)
      : records_(records), options_(options), into_(into), findings_(into) {}

  Status run() {
    EventFilter filter{.limit = options_.page};
    while (true) {
      const Result<std::vector<Event>> page = records_.events(filter);
      if (!page) return std::unexpected(page.error());
      for (const Event& event : *page) see(event);
      if (page->size() < filter.limit) return {};
      filter.after = page->back().seq;
    }
  }

 private:
  void see(const Event& event) {
    ++into_.events;
    const EventSeq next_in_row = last_ + 1;
    const EventSeq next_row = (last_ / 16 + 1) * 16;
    const bool is_next = event.seq == next_row || (last_ > 0 && event.seq == next_in_row);
    if (!is_next) {
      findings_.add("log", say("event ", event.seq, " follows event ", last_,
                               " in the log: what stood between is missing"));
    }
    last_ = event.seq;
    if (event.type == EventType::job_cancelled) cancelled_.insert(event.job);
    if (event.type == EventType::attempt_started && cancelled_.contains(event.job)) {
      findings_.add("I11", say("attempt ", event.attempt, " of task ", event.task.value(),
                               " was opened after job ", event.job.value(), " was cancelled"));
    }
  }

  Records& records_;
  const VerifyOptions& options_;
  Verification& into_;
  Findings findings_;
  EventSeq last_ = 0;
  std::set<JobId> cancelled_;
};

}  // namespace

Result<Verification> verify(Records& records, const VerifyOptions& options) {
  Verification all;
  VerifyOptions checked = options;
  checked.page = std::max<std::uint32_t>(options.page, 1);
  if (options.job) {
    if (Status read = verify_job(records, checked, options.job, all); !read) {
      return std::unexpected(std::move(read.error()));
    }
    return all;
  }
  JobFilter filter{.limit = checked.page};
  while (true) {
    const Result<std::vector<Job>> page = records.jobs(filter);
    if (!page) return std::unexpected(page.error());
    for (const Job& job : *page) {
      if (Status read = verify_job(records, checked, job.id, all); !read) {
        return std::unexpected(std::move(read.error()));
      }
    }
    if (page->size() < filter.limit) break;
    filter.before = page->back().id;
  }
  if (Status read = LogReading(records, checked, all).run(); !read) {
    return std::unexpected(std::move(read.error()));
  }
  return all;
}

Json verification_document(const Verification& verification) {
  const auto id_or_null = [](auto id) { return id ? Json(id.value()) : Json(); };
  std::vector<Json> violations;
  for (const Violation& violation : verification.violations) {
    violations.push_back(Json::object({{"invariant", violation.invariant},
                                       {"message", violation.message},
                                       {"job", id_or_null(violation.job)},
                                       {"item", id_or_null(violation.item)},
                                       {"task", id_or_null(violation.task)}}));
  }
  std::vector<Json> in_motion;
  for (const JobId job : verification.in_motion) in_motion.emplace_back(job.value());
  return Json::object({{"ok", verification.ok()},
                       {"checked", Json::object({{"jobs", verification.jobs},
                                                 {"items", verification.items},
                                                 {"tasks", verification.tasks},
                                                 {"attempts", verification.attempts},
                                                 {"reviews", verification.reviews},
                                                 {"events", verification.events}})},
                       {"decisions_not_checked", verification.decisions_not_checked},
                       {"in_motion", Json::array(in_motion)},
                       {"violation_count", verification.violation_count},
                       {"violations", Json::array(violations)}});
}

}  // namespace pawl
