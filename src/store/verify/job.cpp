#include "store/verify/job.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/arrival.hpp"
#include "pawl/store/each_row.hpp"
#include "store/ledger/review_digest.hpp"
#include "store/verify/answer_trail.hpp"
#include "store/verify/differences.hpp"
#include "store/verify/job_wide.hpp"
#include "store/verify/standing.hpp"

namespace pawl::store {

namespace {

constexpr int readings_max = 3;

/// One reading of one job.
class JobReading {
 public:
  JobReading(Records& records, const VerifyOptions& options, const Job& job,
             const Workflow& workflow, const LogReading& log, PayloadCheck& payloads,
             Verification& into)
      : records_(records),
        options_(options),
        job_(job),
        workflow_(workflow),
        moves_(move_of(job).value_or(Moved{})),
        log_(log),
        story_(log.about(job.id)),
        // What adopted items came from moves without its log. Of an import that was given up only
        // a part of the log is here.
        has_log_((story_.submitted || !move_of(job)) && job.trust != Trust::abandoned),
        payloads_(payloads),
        into_(into),
        findings_(into),
        job_wide_(job, workflow, findings_) {}

  Status run() {
    findings_.about(job_);
    ++into_.jobs;
    rows_.stages.resize(workflow_.stage_count());
    rows_.children.resize(workflow_.stage_count());
    if (Status read = read_tasks(); !read) return read;
    if (Status read = read_items(); !read) return read;
    if (has_log_) {
      Status read = answer_trail_.read(records_, job_, options_.page, findings_);
      if (!read) return read;
    }
    if (Status read = read_reviews(); !read) return read;
    findings_.about(job_);
    if (Status done = answer_trail_.finish(records_, findings_); !done) return done;
    job_wide_.finish(rows_);
    check_job(job_, workflow_, rows_, findings_);
    check_trust();
    if (rows_.item_tasks != tasks_of_items_) {
      findings_.add("I10", say("job ", job_.id.value(), " has ", rows_.item_tasks,
                               " tasks of items, where its items have ", tasks_of_items_));
    }
    if (!has_log_) {
      ++into_.jobs_without_log;
      return {};
    }
    check_job_story();
    return compare_facts();
  }

 private:
  Status read_tasks() {
    const TaskFilter tasks{.job = job_.id, .limit = options_.page};
    return each_row(records_, tasks, [this](const Task& task) { return read_task(task); });
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
    if (Status read = check_standing_of(stage, task, *attempts); !read) return read;
    if (Status read = check_worker(task); !read) return read;
    job_wide_.take(task, *attempts);
    findings_.about(task);
    each_fact(task, *attempts, [this](const Fact& fact) {
      facts_.add(fact);
      if (fact.kind == FactKind::closed) ++closings_;
    });
    if (has_log_ && task.kind() == StateKind::running) check_open(task);
    for (const Attempt& attempt : *attempts) {
      if (Status read = payloads_.check(attempt, findings_); !read) return read;
    }
    if (task.kind() == StateKind::expanded) {
      if (Status read = read_children(task); !read) return read;
    }
    // In a cancelled job nobody is asked any more.
    if (task.kind() == StateKind::awaiting_review && !job_.cancelled) return read_pending(task);
    return {};
  }

  Status check_standing_of(const StageDefinition& stage, const Task& task,
                           const std::vector<Attempt>& attempts) {
    std::vector<Review> closed;
    if (rests_on_answer(task, attempts)) {
      const ReviewFilter reviews{
          .task = task.id, .status = ReviewStatus::closed, .limit = options_.page};
      const Status read =
          each_row(records_, reviews, [&](const Review& review) { closed.push_back(review); });
      if (!read) return read;
    }
    const bool may_be_by_hand = !has_log_ || log_.was_skipped_by_hand(task.id);
    check_standing(stage, task, attempts, closed, may_be_by_hand, findings_);
    return {};
  }

  /// I2: whoever is said to run a task was there. Rows of workers are never deleted.
  Status check_worker(const Task& task) {
    const auto* running = std::get_if<Running>(&task.state);
    if (running == nullptr || !running->worker) return {};
    if (!workers_.contains(running->worker)) {
      const Result<WorkerRecord> worker = records_.worker(running->worker);
      if (!worker && worker.error().code != ErrorCode::not_found) {
        return std::unexpected(worker.error());
      }
      workers_.emplace(running->worker, worker ? std::optional(*worker) : std::nullopt);
    }
    const std::optional<WorkerRecord>& worker = workers_.at(running->worker);
    if (worker) return check_held(task, *running, *worker);
    findings_.about(task);
    findings_.add("I2", say("task ", task.id.value(), " is running in worker ",
                            running->worker.value(), ", which was never there"));
    return {};
  }

  /// I17: the worker holds it. It may have been closed since it was read.
  Status check_held(const Task& task, const Running& running, const WorkerRecord& worker) {
    if (worker.retired || running.opened_at >= worker.holds_since) return {};
    const Result<Task> now = records_.task(task.id);
    if (!now && now.error().code != ErrorCode::not_found) return std::unexpected(now.error());
    if (!now || now->version != task.version) return {};
    findings_.about(task);
    findings_.add(
        "I17", say("task ", task.id.value(), " is running in worker ", worker.id.value(), " since ",
                   rfc3339(running.opened_at), ", and that worker holds nothing older than ",
                   rfc3339(worker.holds_since)));
    return {};
  }

  Status read_children(const Task& parent) {
    Expanded rows;
    const TaskFilter children{.job = job_.id, .parent = parent.id, .limit = options_.page};
    const Status read = each_row(records_, children, [&](const Task& child) {
      if (!child.child || child.child->expansion != parent.expansion) return;
      ++rows.children;
      if (!has_ended(child.state)) ++rows.open;
      if (child.kind() == StateKind::failed) ++rows.failed;
    });
    if (!read) return read;
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
    const ItemFilter items{.job = job_.id, .limit = options_.page};
    return each_row(records_, items, [this](const Item& item) { return read_item(item); });
  }

  Status read_item(const Item& item) {
    ++into_.items;
    rows_.count(item);
    const Result<std::vector<Task>> tasks = records_.tasks_of(item.id);
    if (!tasks) return std::unexpected(tasks.error());
    tasks_of_items_ += static_cast<std::int64_t>(tasks->size());
    check_item(job_, workflow_, item, *tasks, findings_);
    if (Status read = check_adoption(item); !read) return read;
    job_wide_.see(item, *tasks);
    if (has_log_) check_settled(item);
    return {};
  }

  /// I18: a trusted job has nothing that it took over from an untrusted one.
  Status check_adoption(const Item& item) {
    if (!item.adopted_from || !is_trusted(job_.trust)) return {};
    const Result<Item> original = records_.item(item.adopted_from);
    // It was purged since.
    if (!original && original.error().code == ErrorCode::not_found) return {};
    if (!original) return std::unexpected(original.error());
    if (!adopted_jobs_.contains(original->job)) {
      const Result<Job> job = records_.job(original->job);
      if (!job && job.error().code == ErrorCode::not_found) return {};
      if (!job) return std::unexpected(job.error());
      adopted_jobs_.emplace(job->id, is_trusted(job->trust));
    }
    if (adopted_jobs_.at(original->job)) return {};
    findings_.about(item);
    findings_.add("I18", say("item '", item.key, "' was adopted from job ", original->job.value(),
                             ", which was imported and is not trusted"));
    return {};
  }

  /// I18: what the row says about trust, the log says too; and nothing of an untrusted job runs.
  void check_trust() {
    findings_.about(job_);
    const std::string name = say("job ", job_.id.value());
    if (!is_trusted(job_.trust) && job_.attempts_open > 0) {
      findings_.add("I18", say(name, " is ", name_of(job_.trust), ", and has ", job_.attempts_open,
                               " attempts open"));
    }
    if (is_trusted(job_.trust) && story_.untrusted) {
      findings_.add("I18", say(name, " is trusted by its row, and the log does not say that it ",
                               "was accepted after it was imported"));
    }
  }

  Status read_reviews() {
    const ReviewFilter reviews{.job = job_.id, .limit = options_.page};
    return each_row(records_, reviews,
                    [this](const Review& review) { return read_review(review); });
  }

  Status read_review(const Review& review) {
    ++into_.reviews;
    each_fact(review, [this](const Fact& fact) { facts_.add(fact); });
    const Result<std::vector<GivenAnswer>> given = records_.answers(review.id);
    if (!given) return std::unexpected(given.error());
    const Result<Task> task = records_.task(review.task);
    if (task) {
      check_review(review, *task, findings_);
      if (has_log_) answer_trail_.check(review, *given, findings_);
      if (at(task->stage()) < workflow_.stage_count()) {
        check_answers(workflow_.stage(task->stage()).review_rules, job_, review, *given, findings_);
      }
      if (Status read = check_digest(review, *given, *task); !read) return read;
    } else if (task.error().code == ErrorCode::not_found) {
      findings_.about(job_);
      findings_.add("I8", say("review ", review.id.value(), " is about task ", review.task.value(),
                              ", which does not exist"));
    } else {
      return std::unexpected(task.error());
    }
    return payloads_.check(review, *given, findings_);
  }

  /// I8: what was shown is still what is recorded: the attempts, the input, and the content
  /// that somebody has proposed. A review that is closed may have shown the output without edits,
  /// or with the edits of any answer: an answer that decides leaves what was shown before it.
  Status check_digest(const Review& review, const std::vector<GivenAnswer>& given,
                      const Task& task) {
    Result<std::vector<Attempt>> shown = records_.attempts(task.id);
    if (!shown) return std::unexpected(shown.error());
    std::erase_if(*shown, [&](const Attempt& one) { return one.number > review.attempt; });
    Json input = task.child ? task.child->data : job_.params;
    if (!task.child && task.item) {
      const Result<Item> item = records_.item(task.item);
      if (!item && item.error().code == ErrorCode::not_found) return {};  // told elsewhere
      if (!item) return std::unexpected(item.error());
      input = item->data;
    }
    const std::string shown_first = review_digest(*shown, input);
    const auto is_shown_with = [&](const ApprovedContent& content) {
      return review_digest_with(shown_first, review, content) == review.digest;
    };
    const ApprovedContent own{.attempt = review.attempt, .edits = {}, .edited_by = {}};
    const bool is_as_shown =
        review.status == ReviewStatus::open
            ? is_shown_with(proposed_content(review, given).value_or(own))
            : is_shown_with(own) || std::ranges::any_of(given, [&](const GivenAnswer& one) {
                return is_approval(one.answer) &&
                       is_shown_with({.attempt = approved_attempt(review, one.answer),
                                      .edits = one.answer.edits,
                                      .edited_by = {}});
              });
    if (is_as_shown) return {};
    findings_.about(task);
    findings_.add("I8", say("review ", review.id.value(), " was about other content than the ",
                            "attempts 1 to ", review.attempt, " of task ", task.id.value(),
                            " and its input have now"));
    return {};
  }

  /// I1: the log and the rows say the same. Logs of older versions have no lengths of attempts:
  /// lengths are compared where as many ends say none as attempts took no time.
  Status compare_facts() {
    const std::int64_t took_no_time = closings_ - facts_.lengths.count();
    const bool with_lengths = story_.ends_without_length <= took_no_time;
    const bool is_same = facts_.facts == story_.told.facts &&
                         (!with_lengths || facts_.lengths == story_.told.lengths);
    if (is_same) return {};
    return tell_differences(records_, options_, job_, log_, with_lengths, findings_);
  }

  /// I4: what runs by its row is open at the end of its story.
  void check_open(const Task& task) {
    const std::optional<AttemptNumber> open = log_.open_attempt(task.id);
    if (open) ++open_in_both_;
    if (open == task.attempts) return;
    findings_.add("I4", open ? say("task ", task.id.value(), " is running its attempt ",
                                   task.attempts, ", and in the log attempt ", *open, " is open")
                             : say("task ", task.id.value(), " is running its attempt ",
                                   task.attempts, ", and in the log none is open"));
  }

  /// I1: what has settled was told, and told as it is. An active item may have settled before.
  void check_settled(const Item& item) {
    const std::optional<ItemState> told = log_.settled_as(item.id);
    if (told) ++settled_in_both_;
    if (item.state == ItemState::active || told == item.state) return;
    findings_.about(item);
    findings_.add("I1", told ? say("item '", item.key, "' is ", name_of(item.state),
                                   ", and the log says that it settled as ", name_of(*told))
                             : say("item '", item.key, "' is ", name_of(item.state),
                                   ", and the log does not say that it settled"));
  }

  void check_job_story() {
    findings_.about(job_);
    const std::string name = say("job ", job_.id.value());
    if (!story_.submitted) {
      findings_.add("I1", say(name, " is there, and the log does not say that it was submitted"));
    }
    if (story_.settled != settled_in_both_) {
      findings_.add("I1", say("the log has ", story_.settled, " settled items of ", name,
                              ", of which ", settled_in_both_, " are there"));
    }
    check_ending(name);
    if (story_.open == open_in_both_) return;
    log_.each_open(job_.id, [&](TaskId id, AttemptNumber number) {
      const Result<Task> task = records_.task(id);
      if (task && task->kind() == StateKind::running) return;
      findings_.about(job_, task ? task->item : ItemId{}, id);
      findings_.add("I4", say("attempt ", number, " of task ", id.value(),
                              " is open in the log, and the task is ",
                              task ? name_of(task->kind()) : "not there"));
    });
  }

  /// A limit that ends a job is told as budget.reached; every other end of it as job.cancelled.
  void check_ending(const std::string& name) {
    const bool by_limit =
        job_.cancelled == CancelCause::budget || job_.cancelled == CancelCause::deadline;
    const bool limit_told = by_limit && story_.last_limit > 0;
    if (job_.cancelled != story_.cancelled && !(limit_told && !story_.cancelled)) {
      const auto as = [](const std::optional<CancelCause>& cause) {
        return cause ? name_of(*cause) : std::string_view("not cancelled");
      };
      findings_.add("I1", say(name, " is by its row ", as(job_.cancelled), ", by the log ",
                              as(story_.cancelled)));
    }
    if (limit_told && story_.last_opening > story_.last_limit) {
      findings_.add("I11", say("an attempt was opened after a limit had ended ", name));
    }
    if (!job_.has_ended() || story_.finished_at == job_.ended_at) return;
    findings_.add(
        "I1", say(name, " has ended at ", rfc3339(job_.ended_at), ", and the log has ",
                  story_.finished_at == no_time ? std::string("no end")
                                                : say("its end at ", rfc3339(story_.finished_at))));
  }

  Records& records_;
  const VerifyOptions& options_;
  const Job& job_;
  const Workflow& workflow_;
  Moved moves_;
  const LogReading& log_;
  const JobStory& story_;
  bool has_log_;
  PayloadCheck& payloads_;
  Verification& into_;
  Findings findings_;
  JobWideCheck job_wide_;
  std::map<WorkerId, std::optional<WorkerRecord>> workers_;  ///< none: never there
  std::map<JobId, bool> adopted_jobs_;                       ///< whether they are trusted
  JobTally rows_;
  std::int64_t tasks_of_items_ = 0;
  FactSums facts_;
  std::int64_t closings_ = 0;
  std::int64_t open_in_both_ = 0;
  AnswerTrail answer_trail_;
  std::int64_t settled_in_both_ = 0;
};

void merge(Verification& into, Verification part) {
  into.jobs += part.jobs;
  into.items += part.items;
  into.tasks += part.tasks;
  into.attempts += part.attempts;
  into.reviews += part.reviews;
  into.jobs_without_log += part.jobs_without_log;
  into.decisions_not_checked += part.decisions_not_checked;
  into.violation_count += part.violation_count;
  for (Violation& violation : part.violations) {
    if (into.violations.size() < violations_max) into.violations.push_back(std::move(violation));
  }
}

}  // namespace

Status verify_job(Records& records, const VerifyOptions& options, JobId id, LogReading& log,
                  PayloadCheck& payloads, Verification& into) {
  for (int reading = 0; reading < readings_max; ++reading) {
    const std::int64_t events = log.about(id).events;
    const Result<Job> job = records.job(id);
    if (!job) return std::unexpected(job.error());
    const Result<Workflow> workflow = records.workflow(job->workflow_hash);
    if (!workflow) return std::unexpected(workflow.error());
    Verification part;
    Status read = JobReading(records, options, *job, *workflow, log, payloads, part).run();
    if (!read) return read;
    const Result<Job> after = records.job(id);
    if (!after) return std::unexpected(after.error());
    if (read = log.catch_up(); !read) return read;
    if (*after == *job && log.about(id).events == events) {
      merge(into, std::move(part));
      return {};
    }
  }
  into.in_motion.push_back(id);
  return {};
}

}  // namespace pawl::store
