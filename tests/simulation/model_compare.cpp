/// Compares the model with the store's rows.

#include <algorithm>

#include "pawl/codec/names.hpp"
#include "simulation/model.hpp"

namespace pawl::simulation {

namespace {

std::string text(std::int64_t number) { return std::to_string(number); }
std::string text(Timestamp at) {
  return at == no_time ? "never" : text(at.time_since_epoch().count());
}
std::string text(const std::string& words) { return "'" + words + "'"; }
std::string text(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return "[" + all + "]";
}
std::string text(std::optional<CancelCause> cause) {
  return cause ? std::string(name_of(*cause)) : "none";
}
template <class E>
  requires std::is_enum_v<E>
std::string text(E value) {
  return std::string(name_of(value));
}

std::string text(const TaskState& state) {
  const std::string kind(name_of(kind_of(state)));
  if (const auto* it = std::get_if<Waiting>(&state))
    return kind + " with needs " + text(static_cast<std::int64_t>(it->satisfied));
  if (const auto* it = std::get_if<Running>(&state)) {
    return kind + " for worker " + text(it->worker.value()) + " since " + text(it->opened_at);
  }
  if (const auto* it = std::get_if<RetryScheduled>(&state))
    return kind + " at " + text(it->next_run_at);
  if (const auto* it = std::get_if<AwaitingReview>(&state))
    return kind + " (" + text(it->reason) + ")";
  if (const auto* it = std::get_if<Expanded>(&state)) {
    return kind + " (" + text(it->children) + " children, " + text(it->open) + " open, " +
           text(it->failed) + " failed)";
  }
  if (const auto* it = std::get_if<Succeeded>(&state)) {
    return kind + " by attempt " + text(it->attempt) + " edited by " + text(it->edited_by.value());
  }
  if (const auto* it = std::get_if<Skipped>(&state)) return kind + " (" + text(it->reason) + ")";
  if (const auto* it = std::get_if<Failed>(&state)) {
    return kind + " (" + text(it->cause) + (it->discarded ? ", discarded)" : ")");
  }
  if (const auto* it = std::get_if<Cancelled>(&state)) return kind + " (" + text(it->cause) + ")";
  return kind;
}

bool is_within(const ModelTask& task, const TaskState& stored) {
  if (task.state == stored) return true;
  const auto* model = std::get_if<RetryScheduled>(&task.state);
  const auto* store = std::get_if<RetryScheduled>(&stored);
  return model != nullptr && store != nullptr && store->next_run_at >= model->next_run_at &&
         store->next_run_at <= task.not_after;
}

}  // namespace

std::string Model::named(const ModelJob& job) const { return "job " + text(job.id.value()); }

std::string Model::named(const ModelTask& task) {
  std::string name = "job " + text(task.job.value());
  name += task.item ? " item " + text(items_.at(task.item).key) : " job-wide";
  name += " stage " + text(stage_of(task).name);
  if (task.parent) name += " child " + text(ordinal_of(task.id));
  return name;
}

void Model::compare() {
  compare_audit();
  for (const auto& [id, yes] : touched_) {
    if (jobs_.contains(id)) compare(jobs_.at(id));
  }
  touched_.clear();
}

void Model::compare_everything() {
  compare_audit();
  for (const auto& [id, job] : jobs_) compare(job);
  touched_.clear();
}

void Model::compare(const ModelJob& job) {
  const Result<Job> row = rows_.job(job.id);
  if (!row) return differ(named(job) + " is gone from the store");
  compare_tasks(job);
  compare_reviews(job);
  compare_items(job);
  compare_job(job, *row);
}

void Model::compare_job(const ModelJob& job, const Job& row) {
  const auto same = [&](const char* what, const auto& model, const auto& store) {
    if (model == store) return;
    differ(named(job) + ": " + what + ": model " + text(model) + ", store " + text(store));
  };
  same("paused", job.paused, row.paused);
  if (!std::ranges::equal(job.paused_stages, row.paused_stages)) {
    differ(named(job) + ": paused stages: model " +
           text(static_cast<std::int64_t>(job.paused_stages.size())) + ", store " +
           text(static_cast<std::int64_t>(row.paused_stages.size())));
  }
  same("submitted by", job.submitted_by, row.submitted_by);
  same("cancelled", job.cancelled, row.cancelled);
  same("ended at", job.ended_at, row.ended_at);
  same("deadline", job.deadline_at, row.deadline_at);
  same("submission open", std::int64_t{job.submission_open}, std::int64_t{row.submission_open});
  same("generation", job.generation, row.generation);
  same("decisions since progress", job.decisions_since_progress, row.decisions_since_progress);
  same("last progress", job.last_progress_at, row.last_progress_at);
  same("attempts opened", attempts_opened(job.id), row.attempts_opened);
  same("attempts open", attempts_open(job.id), row.attempts_open);
  same("cost used", used(job.id).cost_microusd, row.used.cost_microusd);
  same("tokens used", used(job.id).tokens, row.used.tokens);

  ItemCounts items;
  for (const auto& [id, item] : items_) {
    if (item.job != job.id) continue;
    ++items.total;
    const ItemState state = state_of_item(item);
    if (state == ItemState::succeeded) ++items.succeeded;
    if (state == ItemState::failed) ++items.failed;
    if (state == ItemState::cancelled) ++items.cancelled;
    if (state == ItemState::rejected) ++items.rejected;
  }
  same("items", items.total, row.items.total);
  same("items succeeded", items.succeeded, row.items.succeeded);
  same("items failed", items.failed, row.items.failed);
  same("items cancelled", items.cancelled, row.items.cancelled);
  same("items rejected", items.rejected, row.items.rejected);

  std::int64_t failed = 0;
  std::int64_t dead_letters = 0;
  std::vector<StateCounts> stages(job.workflow.stage_count());
  std::vector<StateCounts> children(job.workflow.stage_count());
  for (const ModelTask* task : tasks_of(job.id)) {
    const StateKind kind = kind_of(task->state);
    ++(task->parent ? children : stages)[at(pawl::stage_of(task->id))][kind];
    const auto* letter = std::get_if<Failed>(&task->state);
    if (letter != nullptr) ++failed;
    if (letter != nullptr && !letter->discarded) ++dead_letters;
  }
  same("failed tasks", failed, row.failed_tasks);
  same("dead letters", dead_letters, row.dead_letters);
  if (stages != row.stages) differ(named(job) + ": the counts of its stages differ");
  if (children != row.children) differ(named(job) + ": the counts of its children differ");

  JobState state = job.paused == PauseCause::none ? JobState::running : JobState::paused;
  if (job.ended_at != no_time) state = failed > 0 ? JobState::failed : JobState::completed;
  if (job.cancelled) {
    state = job.cancelled == CancelCause::requested ? JobState::cancelled : JobState::failed;
  }
  same("state", state, state_of(row));
}

void Model::compare_items(const ModelJob& job) {
  std::size_t seen = 0;
  ItemFilter filter{.job = job.id, .state = {}, .category = {}};
  for (;;) {
    const std::vector<Item> page = *rows_.items(filter);
    for (const Item& row : page) {
      ++seen;
      filter.after = row.id;
      const auto found = items_.find(row.id);
      if (found == items_.end()) {
        differ(named(job) + ": the store has an item '" + row.key + "' that the model has not");
        continue;
      }
      const ModelItem& item = found->second;
      const std::string name = named(job) + " item " + text(item.key);
      const ItemState state = state_of_item(item);
      if (state != row.state) {
        differ(name + ": state: model " + text(state) + ", store " + text(row.state));
      }
      if (item.cancelled != row.cancelled) {
        differ(name + ": cancelled: model " + text(item.cancelled) + ", store " +
               text(row.cancelled));
      }
    }
    if (page.size() < filter.limit) break;
  }
  const auto expected =
      std::ranges::count_if(items_, [&](const auto& one) { return one.second.job == job.id; });
  if (static_cast<std::int64_t>(seen) != expected) {
    differ(named(job) + ": items: model " + text(expected) + ", store " +
           text(static_cast<std::int64_t>(seen)));
  }
}

void Model::compare_tasks(const ModelJob& job) {
  std::size_t seen = 0;
  TaskFilter filter{.job = job.id, .state = {}, .discarded = {}};
  for (;;) {
    const std::vector<Task> page = *rows_.tasks(filter);
    for (const Task& row : page) {
      filter.after = row.id;
      ModelTask* task = find(row.id);
      if (task == nullptr) {
        differ(named(job) + ": the store has a task " + text(row.id.value()) + " of stage " +
               text(job.workflow.stage(row.stage()).name) + " that is " + text(row.state) +
               ", the model has none");
        continue;
      }
      ++seen;
      const auto same = [&](const char* what, const auto& model, const auto& store) {
        if (model == store) return;
        differ(named(*task) + ": " + what + ": model " + text(model) + ", store " + text(store));
      };
      if (!is_within(*task, row.state)) same("state", task->state, row.state);
      same("attempts", task->attempts, row.attempts);
      same("epoch", task->epoch, row.epoch);
      same("round", task->round, row.round);
      same("expansion", task->expansion, row.expansion);
      same("failures", task->counts.failures, row.counts.failures);
      same("rejections", task->counts.rejections, row.counts.rejections);
      same("rate-limit waits", task->counts.rate_limit_waits, row.counts.rate_limit_waits);
      same("interruptions", task->counts.interruptions, row.counts.interruptions);
      same("counted attempts", task->counts.attempts, row.counts.attempts);
      if (!has_ended(task->state)) same("cause", task->cause, row.cause);
      if (task->moved ? row.version <= task->version : row.version != task->version) {
        differ(named(*task) + ": version: " + (task->moved ? "written" : "not written") +
               " by this verb, was " + text(task->version) + " and is " + text(row.version));
      }
      task->version = row.version;
      task->moved = false;
      task->state = row.state;  // the retry time within the bounds of its jitter
    }
    if (page.size() < filter.limit) break;
  }
  const std::vector<ModelTask*> expected = tasks_of(job.id);
  if (seen == expected.size()) return;
  for (const ModelTask* task : expected) {
    if (!rows_.task(task->id)) {
      differ(named(*task) + ": the model has it " + text(task->state) + ", the store has no row");
    }
  }
}

void Model::compare_reviews(const ModelJob& job) {
  ReviewFilter filter{.job = job.id, .status = {}};
  std::int64_t seen = 0;
  for (;;) {
    const std::vector<Review> page = *rows_.reviews(filter);
    for (const Review& row : page) {
      filter.after = row.id;
      ++seen;
      ModelReview* review = find(row.id);
      if (review == nullptr) {
        // A new review gets its id here.
        const auto fresh = std::ranges::find_if(
            reviews_, [&](const ModelReview& one) { return !one.id && one.task == row.task; });
        if (fresh != reviews_.end()) review = &*fresh;
      }
      if (review == nullptr) {
        differ(named(job) + ": the store has review " + text(row.id.value()) +
               " that the model has not");
        continue;
      }
      if (!review->id) review->shown = review->digest = row.digest;
      review->id = row.id;
      compare_review(*review, row);
    }
    if (page.size() < filter.limit) break;
  }
  const std::int64_t expected = std::ranges::count(reviews_, job.id, &ModelReview::job);
  if (seen != expected) {
    differ(named(job) + ": reviews: model " + text(expected) + ", store " + text(seen));
  }
}

void Model::compare_review(ModelReview& review, const Review& row) {
  const std::string name = named(*find(row.task)) + " review " + text(row.id.value());
  const auto same = [&](const char* what, const auto& model, const auto& store) {
    if (model == store) return;
    differ(name + ": " + what + ": model " + text(model) + ", store " + text(store));
  };
  same("status", review.status, row.status);
  same("reason", review.reason, row.reason);
  same("attempt", review.attempt, row.attempt);
  same("epoch", review.epoch, row.epoch);
  same("digest", review.digest, row.digest);
  same("opened at", review.opened_at, row.opened_at);
  same("assigned", review.assigned, row.assigned);
  same("due at", review.due_at, row.due_at);
  same("notice at", review.notice_at, row.notice_at);
  same("claimed by", review.claimed_by, row.claimed_by);
  same("claimed until", review.claimed_until, row.claimed_until);
  same("closed at", review.closed_at, row.closed_at);
  if (review.answer != row.answer) differ(name + ": the answers differ");
  compare_votes(review, name);
}

void Model::compare_votes(const ModelReview& review, const std::string& name) {
  const std::vector<GivenAnswer> rows = *rows_.answers(review.id);
  for (std::size_t i = 0; i < rows.size() && i < review.votes.size(); ++i) {
    const ModelVote& vote = review.votes[i];
    const GivenAnswer& row = rows[i];
    const std::string which = name + " answer " + text(static_cast<std::int64_t>(i) + 1);
    if (vote.fate != row.fate) {
      differ(which + ": fate: model " + text(vote.fate) + ", store " + text(row.fate));
    }
    const bool is_same = vote.answer == row.answer && vote.by_kind == row.by_kind &&
                         vote.given_at == row.given_at && vote.ended_at == row.ended_at &&
                         row.number == i + 1;
    if (!is_same) differ(which + " by " + text(row.answer.reviewer) + " is not as it was given");
  }
  if (rows.size() == review.votes.size()) return;
  differ(name + ": answers: model " + text(static_cast<std::int64_t>(review.votes.size())) +
         ", store " + text(static_cast<std::int64_t>(rows.size())));
}

/// One entry for each act that was accepted, and no other.
void Model::compare_audit() {
  const std::vector<AuditEntry> fresh = *rows_.audit({.after = audit_entries_, .limit = 100'000});
  for (std::size_t i = 0; i < std::max(fresh.size(), audit_.size()); ++i) {
    if (i >= fresh.size()) {
      differ("the audit trail lacks " + audit_[i].act + " of " + audit_[i].target + " by " +
             text(audit_[i].actor.name));
      continue;
    }
    const AuditEntry& row = fresh[i];
    const std::string name = "entry " + text(row.number) + " of the audit trail, " + row.act +
                             " of " + row.target + " by " + text(row.actor.name);
    if (i >= audit_.size()) {
      differ(name + ": nothing was done");
      continue;
    }
    const ModelAudit& model = audit_[i];
    const bool is_same = model.at == row.at && model.actor == row.actor && model.act == row.act &&
                         model.job == row.job && model.target == row.target &&
                         model.reason == row.reason &&
                         row.number == audit_entries_ + static_cast<std::int64_t>(i) + 1;
    if (!is_same) {
      differ(name + ": the model has " + model.act + " of " + model.target + " by " +
             text(model.actor.name));
    }
  }
  audit_entries_ += static_cast<std::int64_t>(fresh.size());
  audit_.clear();
}

}  // namespace pawl::simulation
