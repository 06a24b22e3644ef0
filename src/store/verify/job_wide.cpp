#include "store/verify/job_wide.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/core/needs.hpp"

namespace pawl::store {

namespace {

/// Since when a task that has begun can have known its items; one that is run again does not wait
/// for those that came after its first attempt.
std::optional<Timestamp> beginning_of(const Task& task, std::span<const Attempt> attempts) {
  const auto* running = std::get_if<Running>(&task.state);
  const bool has_begun =
      running != nullptr || std::ranges::count(attempts, task.epoch, &Attempt::epoch) > 0;
  if (!has_begun) return std::nullopt;
  return attempts.empty() ? running->opened_at : attempts.front().opened_at;
}

}  // namespace

JobWideCheck::JobWideCheck(const Job& job, const Workflow& workflow, Findings& findings)
    : job_(job), workflow_(workflow), findings_(findings), stored_(workflow.stage_count()) {}

void JobWideCheck::take(const Task& task, std::span<const Attempt> attempts) {
  if (task.child || workflow_.stage(task.stage()).scope != Scope::all) return;
  findings_.about(task);
  if (task.item || task.id != task_id(job_.reduce_ordinal, task.stage())) {
    findings_.add("I10", say("task ", task.id.value(), " of job-wide stage '",
                             workflow_.stage(task.stage()).name, "' is not the one of its job"));
    return;
  }
  stored_[at(task.stage())] = Stored{.task = task, .began = beginning_of(task, attempts)};
}

void JobWideCheck::see(const Item& item, const std::vector<Task>& tasks) {
  if (item.adopted_from) return;
  for (const StageIndex stage : workflow_.all_scope_stages()) {
    const std::optional<Stored>& stored = stored_[at(stage)];
    if (!stored || !stored->began || item.submitted_at >= *stored->began) continue;
    for (const StageIndex need : workflow_.plan(stage).needs) {
      if (workflow_.stage(need).scope != Scope::item) continue;
      const auto task = std::ranges::find(tasks, need, &Task::stage);
      if (task != tasks.end() && has_ended(task->state)) continue;
      findings_.about(stored->task);
      findings_.add("I7",
                    say("job-wide stage '", workflow_.stage(stage).name, "' has begun, although '",
                        workflow_.stage(need).name, "', which it needs, is ",
                        task == tasks.end() ? "waiting" : name_of(task->kind()), " for item '",
                        item.key, "'"));
    }
  }
}

void JobWideCheck::finish(const JobTally& rows) {
  for (const StageIndex stage : workflow_.all_scope_stages()) check_stage(stage, rows);
}

bool JobWideCheck::is_satisfied(StageIndex need) const {
  const std::optional<Stored>& stored = stored_[at(need)];
  return stored && satisfies(workflow_.stage(need), stored->task.state);
}

bool JobWideCheck::is_broken(StageIndex need) const {
  const std::optional<Stored>& stored = stored_[at(need)];
  return stored && breaks(workflow_.stage(need), stored->task.state);
}

void JobWideCheck::check_stage(StageIndex stage, const JobTally& rows) {
  const std::optional<Stored>& stored = stored_[at(stage)];
  const StateKind kind = stored ? stored->task.kind() : StateKind::waiting;
  if (kind == StateKind::cancelled) return;
  if (kind == StateKind::waiting) return check_idle(stage, rows);
  findings_.about(stored->task);
  const std::string name = say("job-wide stage '", workflow_.stage(stage).name, "'");
  std::vector<StageIndex> needs = workflow_.plan(stage).needs;
  std::erase_if(needs,
                [this](StageIndex need) { return workflow_.stage(need).scope == Scope::item; });
  const auto* skipped = std::get_if<Skipped>(&stored->task.state);
  if (skipped != nullptr && skipped->reason == SkipReason::upstream_failed) {
    if (std::ranges::any_of(needs, [this](StageIndex need) { return is_broken(need); })) return;
    findings_.add("I7", say(name, " was skipped after an upstream failure, but none of the ",
                            "job-wide stages it needs has failed"));
    return;
  }
  for (const StageIndex need : needs) {
    if (is_satisfied(need)) continue;
    const std::optional<Stored>& missing = stored_[at(need)];
    findings_.add(
        "I7", say(name, " is ", name_of(kind), ", although '", workflow_.stage(need).name,
                  "', which it needs, is ", missing ? name_of(missing->task.kind()) : "waiting"));
  }
}

/// It waits, or has no row yet: then it still needs something.
void JobWideCheck::check_idle(StageIndex stage, const JobTally& rows) {
  if (job_.cancelled || job_.submission_open) return;
  const auto has_it = [&](StageIndex need) {
    if (workflow_.stage(need).scope == Scope::all) return is_satisfied(need);
    return rows.items.active() == 0 ||
           rows.stages[at(need)].ended() + rows.items.adopted + rows.items.adopted_rejected >=
               rows.items.total;
  };
  if (!std::ranges::all_of(workflow_.plan(stage).needs, has_it)) return;
  if (stored_[at(stage)]) {
    findings_.about(stored_[at(stage)]->task);
  } else {
    findings_.about(job_);
  }
  findings_.add("I12", say("job-wide stage '", workflow_.stage(stage).name,
                           "' has all it needs and still waits"));
}

}  // namespace pawl::store
