#include "pawl/store/replay.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "pawl/store/arrival.hpp"
#include "pawl/store/each_row.hpp"
#include "store/decide_again.hpp"

namespace pawl {

using namespace store;

namespace {

/// One reading of one job's attempts.
class Replaying {
 public:
  Replaying(Records& records, const ReplayOptions& options, const Job& job, const Workflow& then,
            const Workflow& today)
      : records_(records),
        options_(options),
        job_(job),
        then_(then),
        today_(today),
        shifts_(move_of(job).value_or(Moved{}).shifts) {
    into_.job = job.id;
  }

  Result<Replay> run() {
    for (const StageDefinition& stage : today_.definition().stages) {
      if (!then_.find(stage.name)) into_.stages_new.push_back(stage.name);
    }
    const TaskFilter tasks{.job = job_.id, .limit = std::max<std::uint32_t>(options_.page, 1)};
    const Status read =
        each_row(records_, tasks, [this](const Task& task) { return replay_task(task); });
    if (!read) return std::unexpected(read.error());
    return std::move(into_);
  }

 private:
  Status replay_task(const Task& task) {
    const Result<std::vector<Attempt>> attempts = records_.attempts(task.id);
    if (!attempts) return std::unexpected(attempts.error());
    if (attempts->empty()) return {};
    const StageDefinition& before = then_.stage(task.stage());
    const std::optional<StageIndex> index = today_.find(before.name);
    if (!index) {
      count_gone(before.name, *attempts);
      return {};
    }
    const StageDefinition& now = today_.stage(*index);
    const StageDefinition then = task.child ? policies_of_child(before) : before;
    const StageDefinition today = task.child ? policies_of_child(now) : now;
    std::uint32_t left_epoch = 0;
    for (const Attempt& attempt : *attempts) {
      if (attempt.decision.rule == Rule::imported) continue;
      if (attempt.epoch == left_epoch) {
        ++into_.not_reached;
        continue;
      }
      const std::optional<Attempt> again = decide_today(today, attempt);
      if (!again) {
        ++into_.not_checked;
        continue;
      }
      ++into_.decisions;
      if (again->decision == attempt.decision) continue;
      if (Status named = add(task, then, attempt, today, *again); !named) return named;
      // Where the history went on and today would have ended it, the rest has no today.
      if (again->decision.kind != DecisionKind::retry) left_epoch = attempt.epoch;
    }
    return {};
  }

  /// The attempt with the decision of today; empty where its decider is not here.
  std::optional<Attempt> decide_today(const StageDefinition& stage, const Attempt& recorded) const {
    Attempt again = recorded;
    again.decider.clear();
    Decider decider;
    if (!stage.decider.empty() && is_put_to_decider(again) && !again.cancelled_by) {
      if (options_.decider) decider = options_.decider(stage.decider);
      if (!decider) return std::nullopt;
      again.decider = stage.decider;
    }
    again.decision = decide_again(stage, again, decider, shifts_);
    return again;
  }

  Status add(const Task& task, const StageDefinition& then, const Attempt& recorded,
             const StageDefinition& today, const Attempt& again) {
    ++into_.difference_count;
    if (into_.differences.size() >= differences_max) return {};
    ReplayDifference difference{.item = {},
                                .child = task.child ? task.child->key : "",
                                .stage = then.name,
                                .attempt = recorded.number,
                                .then = recorded.decision,
                                .today = again.decision,
                                .then_in_words = explain(then, recorded),
                                .today_in_words = explain(today, again)};
    if (difference.then_in_words == difference.today_in_words) {
      difference.today_in_words += ", with other particulars";
    }
    if (task.item) {
      const Result<Item> item = records_.item(task.item);
      if (!item) return std::unexpected(item.error());
      difference.item = item->key;
    }
    into_.differences.push_back(std::move(difference));
    return {};
  }

  void count_gone(const std::string& stage, const std::vector<Attempt>& attempts) {
    const auto count = static_cast<std::int64_t>(attempts.size());
    const auto known = std::ranges::find(into_.stages_gone, stage, &StageGone::stage);
    if (known == into_.stages_gone.end()) {
      into_.stages_gone.push_back({.stage = stage, .decisions = count});
    } else {
      known->decisions += count;
    }
  }

  Records& records_;
  const ReplayOptions& options_;
  const Job& job_;
  const Workflow& then_;
  const Workflow& today_;
  std::vector<std::int64_t> shifts_;
  Replay into_;
};

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

Result<Replay> replay(Records& records, JobId job, const Workflow& today,
                      const ReplayOptions& options) {
  const Result<Job> row = records.job(job);
  if (!row) return std::unexpected(row.error());
  const Result<Workflow> then = records.workflow(row->workflow_hash);
  if (!then) return std::unexpected(then.error());
  return Replaying(records, options, *row, *then, today).run();
}

std::string text_of(const Replay& replay) {
  std::string text;
  for (const ReplayDifference& one : replay.differences) {
    std::string place = one.item.empty() ? one.stage : one.item + "/" + one.stage;
    if (!one.child.empty()) place += ", child " + one.child;
    text += place + ", attempt " + std::to_string(one.attempt) + "\n  then:  " + one.then_in_words +
            "\n  today: " + one.today_in_words + "\n";
  }
  const auto not_shown =
      replay.difference_count - static_cast<std::int64_t>(replay.differences.size());
  if (not_shown > 0) text += "and " + counted(not_shown, "more difference") + "\n";
  for (const StageGone& gone : replay.stages_gone) {
    text += "stage '" + gone.stage + "' is gone, with " + counted(gone.decisions, "decision") +
            " in the record\n";
  }
  for (const std::string& stage : replay.stages_new) {
    text += "stage '" + stage + "' is new: the record knows nothing of it\n";
  }
  text += counted(replay.decisions, "decision") + " made again, " +
          (replay.difference_count == 0 ? "all the same"
                                        : counted(replay.difference_count, "difference"));
  if (replay.not_reached > 0) {
    text += "; " + counted(replay.not_reached, "attempt") + " would not have been made";
  }
  if (replay.not_checked > 0) {
    text += "; not checked: " + counted(replay.not_checked, "decision") +
            " of deciders that are not here";
  }
  return text + "\n";
}

}  // namespace pawl
