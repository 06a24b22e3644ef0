// The checks of one item and of one job.

#include <algorithm>

#include "pawl/codec/names.hpp"
#include "pawl/core/needs.hpp"
#include "store/verify/checks.hpp"

namespace pawl::store {

namespace {

/// An item's own tasks by stage; null where no row is stored.
std::vector<const Task*> by_stage(const Workflow& workflow, const std::vector<Task>& tasks) {
  std::vector<const Task*> stored(workflow.stage_count(), nullptr);
  for (const Task& task : tasks) {
    if (at(task.stage()) < stored.size()) stored[at(task.stage())] = &task;
  }
  return stored;
}

bool is_broken(const StageDefinition& stage, const Task* task) {
  return task != nullptr && breaks(stage, task->state);
}

class ItemCheck {
 public:
  ItemCheck(const Job& job, const Workflow& workflow, const Item& item,
            const std::vector<Task>& tasks, Findings& findings)
      : workflow_(workflow),
        item_(item),
        tasks_(tasks),
        stored_(by_stage(workflow, tasks)),
        // In a cancelled job, and for a cancelled item, nothing is released any more.
        is_flowing_(!job.cancelled && !item.cancelled),
        findings_(findings) {}

  void run() {
    findings_.about(item_);
    if (item_.adopted_from) {
      if (!tasks_.empty()) {
        add("I10", say("adopted item '", item_.key, "' has ", tasks_.size(), " tasks of its own"));
      }
      return;
    }
    for (const StageIndex stage : workflow_.topological_order()) {
      if (workflow_.stage(stage).scope == Scope::item) check_stage(stage);
    }
    check_sums();
  }

 private:
  [[nodiscard]] bool is_satisfied(StageIndex need) const {
    const Task* task = stored_[at(need)];
    return task != nullptr && satisfies(workflow_.stage(need), task->state);
  }
  void add(std::string_view invariant, std::string message) {
    findings_.add(invariant, std::move(message));
  }

  void check_stage(StageIndex stage) {
    const std::vector<StageIndex>& needs = workflow_.plan(stage).needs;
    const std::string& name = workflow_.stage(stage).name;
    const Task* task = stored_[at(stage)];
    const auto missing =
        std::ranges::find_if_not(needs, [this](StageIndex need) { return is_satisfied(need); });
    if (task == nullptr) {
      if (is_flowing_ && missing == needs.end()) {
        add("I12", say("stage '", name, "' of item '", item_.key,
                       "' has all it needs, and no task was made for it"));
      }
      return;
    }
    findings_.about(*task);
    switch (task->kind()) {
      case StateKind::waiting:
        check_join(stage, std::get<Waiting>(task->state).satisfied);
        break;
      case StateKind::skipped:
        check_skip(stage, std::get<Skipped>(task->state));
        if (std::get<Skipped>(task->state).reason == SkipReason::upstream_failed) break;
        [[fallthrough]];
      case StateKind::ready:
      case StateKind::running:
      case StateKind::retry_scheduled:
      case StateKind::awaiting_review:
      case StateKind::expanded:
      case StateKind::succeeded:
      case StateKind::failed:
        if (missing != needs.end()) {
          const Task* need = stored_[at(*missing)];
          add("I7", say("stage '", name, "' of item '", item_.key, "' is ", name_of(task->kind()),
                        ", although '", workflow_.stage(*missing).name, "', which it needs, is ",
                        need == nullptr ? std::string_view("waiting") : name_of(need->kind())));
        }
        break;
      case StateKind::cancelled:
        break;
    }
    findings_.about(item_);
  }

  void check_join(StageIndex stage, std::uint64_t mask) {
    if (!is_flowing_) return;
    const std::vector<StageIndex>& needs = workflow_.plan(stage).needs;
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < needs.size(); ++i) {
      if (is_satisfied(needs[i])) expected |= std::uint64_t{1} << i;
    }
    const std::string& name = workflow_.stage(stage).name;
    if (expected == workflow_.plan(stage).full_mask) {
      add("I12",
          say("stage '", name, "' of item '", item_.key, "' has all it needs and still waits"));
    } else if (mask != expected) {
      add("I7", say("stage '", name, "' of item '", item_.key, "' waits with the needs ", mask,
                    " marked as satisfied, where ", expected, " are"));
    }
  }

  void check_skip(StageIndex stage, const Skipped& skipped) {
    if (skipped.reason != SkipReason::upstream_failed) return;
    const std::vector<StageIndex>& needs = workflow_.plan(stage).needs;
    const bool has_cause = std::ranges::any_of(needs, [this](StageIndex need) {
      return is_broken(workflow_.stage(need), stored_[at(need)]);
    });
    if (has_cause) return;
    add("I7", say("stage '", workflow_.stage(stage).name, "' of item '", item_.key,
                  "' was skipped after an upstream failure, but none of its needs has failed"));
  }

  void check_sums() {
    std::uint32_t sinks_left = workflow_.sink_count();
    std::uint32_t failed = 0;
    bool all_ended = true;
    for (const Task& task : tasks_) {
      all_ended = all_ended && has_ended(task.state);
      if (at(task.stage()) >= workflow_.stage_count()) continue;
      if (has_ended(task.state) && workflow_.plan(task.stage()).is_sink) --sinks_left;
      if (task.kind() == StateKind::failed) ++failed;
      if (task.kind() == StateKind::cancelled && !item_.cancelled) {
        add("I10", say("item '", item_.key, "' has a cancelled task and was not cancelled itself"));
      }
    }
    if (item_.sinks_left != sinks_left) {
      add("I10", say("item '", item_.key, "' has ", item_.sinks_left,
                     " last stages to go, where its tasks leave ", sinks_left));
    }
    if (item_.failed_tasks != failed) {
      add("I3", say("item '", item_.key, "' counts ", item_.failed_tasks,
                    " failed tasks, where there are ", failed));
    }
    const ItemState expected =
        sinks_left > 0 || !all_ended ? ItemState::active : settled_state(item_.cancelled, failed);
    if (item_.state != expected) {
      add("I10", say("item '", item_.key, "' is ", name_of(item_.state),
                     ", where its tasks make it ", name_of(expected)));
    }
  }

  const Workflow& workflow_;
  const Item& item_;
  const std::vector<Task>& tasks_;
  std::vector<const Task*> stored_;
  bool is_flowing_;
  Findings& findings_;
};

/// One counter of a job against the rows.
void compare(Findings& findings, std::string_view invariant, const Job& job, std::string_view what,
             std::int64_t counted, std::int64_t rows) {
  if (counted == rows) return;
  findings.add(invariant, say("job ", job.id.value(), " counts ", counted, " ", what,
                              ", the rows are ", rows));
}

void compare_stages(Findings& findings, const Job& job, const Workflow& workflow,
                    std::string_view what, const std::vector<StateCounts>& counted,
                    const std::vector<StateCounts>& rows) {
  compare(findings, "I3", job, say("stages of ", what), static_cast<std::int64_t>(counted.size()),
          static_cast<std::int64_t>(rows.size()));
  for (std::size_t i = 0; i < std::min(counted.size(), rows.size()); ++i) {
    for (std::size_t kind = 0; kind < state_kinds; ++kind) {
      const auto state = static_cast<StateKind>(kind);
      compare(findings, "I3", job,
              say(name_of(state), " ", what, " of stage '",
                  workflow.stage(static_cast<StageIndex>(i)).name, "'"),
              counted[i][state], rows[i][state]);
    }
  }
}

/// The stages that a job names as paused are stages of its workflow, each once.
void check_paused_stages(Findings& findings, const Job& job, const Workflow& workflow) {
  const std::vector<StageIndex>& paused = job.paused_stages;
  const bool is_ordered =
      std::ranges::adjacent_find(paused, std::ranges::greater_equal()) == paused.end();
  if (is_ordered && (paused.empty() || at(paused.back()) < workflow.stage_count())) return;
  std::string stages;
  for (const StageIndex stage : paused) stages += (stages.empty() ? "" : ", ") + say(at(stage));
  findings.add("I12", say("job ", job.id.value(), " names the paused stages ", stages,
                          ", where its workflow has the stages 0 to ", workflow.stage_count() - 1));
}

/// Tasks that can still do something by themselves or with a person.
std::int64_t active_in(const std::vector<StateCounts>& all) {
  std::int64_t active = 0;
  for (const StateCounts& counts : all) {
    for (const StateKind kind : {StateKind::ready, StateKind::running, StateKind::retry_scheduled,
                                 StateKind::awaiting_review, StateKind::expanded}) {
      active += counts[kind];
    }
  }
  return active;
}

}  // namespace

void JobTally::count(const Task& task, const std::vector<Attempt>& attempts) {
  std::vector<StateCounts>& counts = task.child ? children : stages;
  if (at(task.stage()) < counts.size()) ++counts[at(task.stage())][task.kind()];
  attempts_opened += task.attempts;
  if (task.kind() == StateKind::running) ++attempts_open;
  if (const auto* failed = std::get_if<Failed>(&task.state)) {
    ++failed_tasks;
    if (!failed->discarded) ++dead_letters;
  }
  if (task.item && !task.child) ++item_tasks;
  for (const Attempt& attempt : attempts) {
    used.cost_microusd += attempt.usage.cost_microusd;
    used.tokens += attempt.usage.tokens;
  }
}

void JobTally::count(const Item& item) {
  ++items.total;
  if (item.adopted_from) items.count_adopted(item.state);
  items.count(item.state);
}

void check_item(const Job& job, const Workflow& workflow, const Item& item,
                const std::vector<Task>& tasks, Findings& findings) {
  ItemCheck(job, workflow, item, tasks, findings).run();
}

void check_job(const Job& job, const Workflow& workflow, const JobTally& rows, Findings& findings) {
  findings.about(job);
  compare_stages(findings, job, workflow, "tasks", job.stages, rows.stages);
  compare_stages(findings, job, workflow, "children", job.children, rows.children);
  compare(findings, "I3", job, "opened attempts", job.attempts_opened, rows.attempts_opened);
  compare(findings, "I14", job, "open attempts", job.attempts_open, rows.attempts_open);
  compare(findings, "I3", job, "dead letters", job.dead_letters, rows.dead_letters);
  compare(findings, "I3", job, "failed tasks", job.failed_tasks, rows.failed_tasks);
  compare(findings, "I14", job, "microdollars", job.used.cost_microusd, rows.used.cost_microusd);
  compare(findings, "I14", job, "tokens", job.used.tokens, rows.used.tokens);
  compare(findings, "I10", job, "items", job.items.total, rows.items.total);
  compare(findings, "I10", job, "succeeded items", job.items.succeeded, rows.items.succeeded);
  compare(findings, "I10", job, "failed items", job.items.failed, rows.items.failed);
  compare(findings, "I10", job, "cancelled items", job.items.cancelled, rows.items.cancelled);
  compare(findings, "I10", job, "rejected items", job.items.rejected, rows.items.rejected);
  compare(findings, "I10", job, "adopted items", job.items.adopted, rows.items.adopted);
  compare(findings, "I10", job, "adopted rejected items", job.items.adopted_rejected,
          rows.items.adopted_rejected);
  check_paused_stages(findings, job, workflow);

  const std::int64_t active = active_in(rows.stages) + active_in(rows.children);
  if (job.has_ended()) {
    if (rows.attempts_open > 0) {
      findings.add("I12", say("job ", job.id.value(), " has ended with ", rows.attempts_open,
                              " attempts open"));
    }
    if (!job.cancelled && active > 0) {
      findings.add("I12", say("job ", job.id.value(), " has ended with ", active,
                              " tasks that could go on"));
    }
    return;
  }
  const std::int64_t able = job.cancelled ? rows.attempts_open : active;
  if (able > 0 || job.submission_open || job.paused != PauseCause::none) return;
  findings.add("I12", say("job ", job.id.value(), " has not ended, and nothing is left that it ",
                          "could do: no task is ready, running, scheduled or under review"));
}

}  // namespace pawl::store
