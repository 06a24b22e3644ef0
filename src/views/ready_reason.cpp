/// Why a Ready task does not run: the same limits, in the same order, as when a worker claims it.

#include <algorithm>
#include <optional>

#include "pawl/codec/rfc3339.hpp"
#include "pawl/workflow/action.hpp"
#include "text/durations.hpp"
#include "text/numbers.hpp"
#include "views/pools.hpp"
#include "views/wait_reason.hpp"
#include "views/workers.hpp"

namespace pawl::views {
namespace {

std::string named(const Job& job) { return "job " + std::to_string(job.id.value()); }

std::string number_of(const Job& job) { return std::to_string(job.id.value()); }

std::string pause_in_words(PauseCause cause) {
  switch (cause) {
    case PauseCause::budget:
      return "its budget is used up";
    case PauseCause::deadline:
      return "its deadline has passed";
    case PauseCause::no_progress:
      return "it made no progress for too long";
    case PauseCause::none:
    case PauseCause::requested:
      break;
  }
  return "an operator paused it";
}

std::string used_up_in_words(BudgetKind budget) {
  switch (budget) {
    case BudgetKind::deadline:
      return "its deadline has passed";
    case BudgetKind::total_attempts:
      return "its attempts are used up";
    case BudgetKind::cost:
      return "its cost budget is used up";
    case BudgetKind::tokens:
      return "its token budget is used up";
    case BudgetKind::no_progress:
      return "it made no progress for too long";
    case BudgetKind::none:
      break;
  }
  return "a budget is used up";
}

Json documents_of(const std::vector<SlotHolder>& holders) {
  std::vector<Json> documents;
  for (const SlotHolder& holder : holders) documents.push_back(holder_document(holder));
  return Json::array(documents);
}

/// The secrets that the stage needs, wherever it runs.
std::string secrets_of(const StageDefinition& stage) {
  if (stage.handler != command_handler) return {};
  const Result<ActionSpec> action = action_from(stage.params);
  if (!action) return {};
  std::string names;
  for (const std::string& name : action->secrets) names += (names.empty() ? "" : ", ") + name;
  return names;
}

/// A worker of the store, and why it does not take this task.
struct Candidate {
  WorkerRecord worker;
  std::string_view state;
  std::optional<std::string> refusal;  ///< none: it takes the task
  std::int64_t open = 0;
};

Json candidate_document(const Candidate& one) {
  return Json::object(
      {{"worker", one.worker.id.value()},
       {"name", one.worker.name},
       {"host", one.worker.host},
       {"state", one.state},
       {"attempts_open", one.open},
       {"parallel", one.worker.limits.parallel == 0 ? Json() : Json(one.worker.limits.parallel)},
       {"refuses", one.refusal ? Json(*one.refusal) : Json()}});
}

class ReadyTask {
 public:
  ReadyTask(Records& records, const Address& address, const Task& task, const Onlooker& onlooker)
      : records_(records),
        job_(address.job),
        workflow_(address.workflow),
        stage_index_(task.stage()),
        category_(address.item ? address.item->category : std::string()),
        stage_(address.workflow.stage(task.stage())),
        limits_(address.workflow.plan(task.stage()).limits),
        now_(onlooker.now),
        is_dead_(onlooker.is_dead) {}

  Result<Wait> wait() {
    if (const std::optional<Wait> closed = closed_job()) return *closed;
    for (const auto question :
         {&ReadyTask::workers_that_serve, &ReadyTask::parallel_of_job, &ReadyTask::full_pool,
          &ReadyTask::used_rate, &ReadyTask::pool_held_back}) {
      Result<std::optional<Wait>> found = (this->*question)();
      if (!found) return std::unexpected(found.error());
      if (*found) return **std::move(found);
    }
    return slot_of_worker();
  }

 private:
  using Answer = Result<std::optional<Wait>>;

  std::optional<Wait> closed_job() const {
    if (job_.paused != PauseCause::none) {
      const bool is_asked = job_.paused == PauseCause::requested;
      return Wait{.kind = "paused",
                  .text = named(job_) + " to be resumed: " + pause_in_words(job_.paused) +
                          (is_asked ? " (pawl job resume " : " (pawl job budget ") +
                          number_of(job_) + ")"};
    }
    if (job_.is_paused(stage_index_)) {
      return Wait{.kind = "stage_paused",
                  .text = "stage " + stage_.name + " of " + named(job_) +
                          " to be resumed: an operator paused it (" +
                          way_out_of_stage_pause(job_.id, stage_.name) + ")"};
    }
    const MayOpen may = may_open(job_, now_);
    if (may.yes || may.budget == BudgetKind::none) return std::nullopt;
    return Wait{.kind = "budget",
                .text = named(job_) + " to get a larger budget: " + used_up_in_words(may.budget) +
                        " (pawl job budget " + number_of(job_) + ")"};
  }

  Answer workers_that_serve() {
    const Result<std::vector<WorkerRecord>> workers = records_.workers();
    if (!workers) return std::unexpected(workers.error());
    std::vector<Candidate> lost;
    for (const WorkerRecord& worker : *workers) {
      if (worker.retired) continue;
      const std::string_view state = state_of_worker(worker, now_, is_dead_);
      const Result<Holds> holds = what_it_holds(records_, worker.id);
      if (!holds) return std::unexpected(holds.error());
      Candidate one{.worker = worker,
                    .state = state,
                    .refusal = why_left(worker.limits, job_.id, stage_.name, category_),
                    .open = holds->count};
      (state == "alive" ? alive_ : lost).push_back(std::move(one));
    }
    std::string text;
    if (alive_.empty()) {
      text = "a worker: none is running (pawl work)";
      for (const Candidate& one : lost) text += "; " + in_words(one.worker) + " is lost";
      if (const std::string names = secrets_of(stage_); !names.empty()) {
        text += "; the stage needs the secret " + names;
      }
      return Wait{.kind = "no_worker", .text = text, .details = {{"workers", listed(lost)}}};
    }
    const bool is_served =
        std::ranges::any_of(alive_, [](const Candidate& one) { return !one.refusal.has_value(); });
    if (is_served) return std::nullopt;
    for (const Candidate& one : alive_) {
      text += (text.empty() ? "" : "; ") + in_words(one.worker) + " " + *one.refusal;
    }
    return Wait{.kind = "not_served",
                .text = "a worker that runs stage " + stage_.name + ": " + text,
                .details = {{"workers", listed(alive_)}}};
  }

  Answer parallel_of_job() {
    if (job_.parallel == 0 || job_.attempts_open < static_cast<std::int64_t>(job_.parallel)) {
      return std::nullopt;
    }
    const Result<std::vector<SlotHolder>> holders = holders_in_job(records_, job_.id);
    if (!holders) return std::unexpected(holders.error());
    return Wait{.kind = "job_parallel",
                .text = "a slot of " + named(job_) + ": " +
                        share(job_.attempts_open, job_.parallel) +
                        " parallel attempts are running" + by(*holders),
                .details = {{"limit", Json(job_.parallel)}, {"holders", documents_of(*holders)}}};
  }

  Answer full_pool() {
    if (limits_.parallel == 0) return std::nullopt;
    const Result<std::vector<SlotHolder>> holders = holders_of_pool(records_, limits_.pool);
    if (!holders) return std::unexpected(holders.error());
    const auto open = static_cast<std::int64_t>(holders->size());
    if (open < static_cast<std::int64_t>(limits_.parallel)) return std::nullopt;
    return Wait{.kind = "pool",
                .text = "a slot in pool " + limits_.pool + ": " + share(open, limits_.parallel) +
                        " are in use" + by(*holders),
                .details = {{"pool", Json(limits_.pool)},
                            {"limit", Json(limits_.parallel)},
                            {"holders", documents_of(*holders)}}};
  }

  Answer used_rate() {
    const Result<Timestamp> next = next_slot(records_, limits_.pool, limits_.rate, now_);
    if (!next) return std::unexpected(next.error());
    if (*next == no_time) return std::nullopt;
    return Wait{.kind = "rate",
                .text = "the rate of pool " + limits_.pool + " (" + in_words(limits_.rate) +
                        "): the next slot is in " + text::in_words(*next - now_),
                .details = {{"pool", Json(limits_.pool)}, {"next_slot_at", Json(rfc3339(*next))}}};
  }

  /// A rate limit that a stage reported with a hint holds back what shares its pool.
  Answer pool_held_back() {
    const Result<std::vector<Task>> scheduled = records_.tasks(
        {.job = job_.id, .state = StateKind::retry_scheduled, .limit = scheduled_max});
    if (!scheduled) return std::unexpected(scheduled.error());
    Timestamp until = no_time;
    std::string met_by;
    for (const Task& task : *scheduled) {
      const StageDefinition& other = workflow_.stage(task.stage());
      const bool shares = stage_.limits.pool.empty() ? other.name == stage_.name
                                                     : other.limits.pool == stage_.limits.pool;
      if (!shares || task.cause != Cause::rate_limited) continue;
      const Timestamp due = std::get<RetryScheduled>(task.state).next_run_at;
      if (due <= until) continue;
      until = due;
      met_by = other.name;
    }
    if (until == no_time || until <= now_) return std::nullopt;
    return Wait{.kind = "rate_limited",
                .text = "a rate limit that stage " + met_by + " met: it ends in " +
                        text::in_words(until - now_),
                .details = {{"next_slot_at", Json(rfc3339(until))}}};
  }

  Wait slot_of_worker() const {
    std::string text;
    bool is_room = false;
    for (const Candidate& one : alive_) {
      if (one.refusal) continue;
      const std::uint32_t most = one.worker.limits.parallel;
      is_room |= most == 0 || one.open < static_cast<std::int64_t>(most);
      text += (text.empty() ? "" : "; ") + in_words(one.worker) + " runs " +
              (most == 0 ? text::with_separators(one.open) : share(one.open, most)) + " attempts";
    }
    return Wait{.kind = is_room ? "turn" : "worker_slots",
                .text = (is_room ? "its turn: " : "a free slot of a worker: ") + text,
                .details = {{"workers", listed(alive_)}}};
  }

  static std::string share(std::int64_t used, std::uint32_t most) {
    return text::with_separators(used) + " of " + text::with_separators(most);
  }
  static std::string by(const std::vector<SlotHolder>& holders) {
    return holders.empty() ? std::string() : ", by " + in_words(holders);
  }
  static Json listed(const std::vector<Candidate>& candidates) {
    std::vector<Json> documents;
    for (const Candidate& one : candidates) documents.push_back(candidate_document(one));
    return Json::array(documents);
  }

  static constexpr std::uint32_t scheduled_max = 1'000;

  Records& records_;
  const Job& job_;
  const Workflow& workflow_;
  const StageIndex stage_index_;
  const std::string category_;
  const StageDefinition& stage_;
  const Limits& limits_;
  const Timestamp now_;
  const std::function<bool(WorkerId)>& is_dead_;
  std::vector<Candidate> alive_;
};

}  // namespace

Result<Wait> wait_of_ready(Records& records, const Address& address, const Task& task,
                           const Onlooker& onlooker) {
  return ReadyTask(records, address, task, onlooker).wait();
}

}  // namespace pawl::views
