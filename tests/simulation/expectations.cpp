/// What must hold in a simulated world when it is idle and when it has ended.

#include <algorithm>
#include <utility>

#include "pawl/codec/names.hpp"
#include "simulation/simulation.hpp"

namespace pawl::simulation {

namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t all_at_once = 100'000;

/// What a long run must have seen of people and their reviews: otherwise it proves nothing about
/// them.
constexpr const char* expected_things[] = {
    "act item.cancel",
    "act item.purge",
    "act job.budget",
    "act job.cancel",
    "act job.pause",
    "act job.reopen",
    "act job.resume",
    "act job.submit",
    "act dead_letter.discard",
    "act person.add",
    "act person.change",
    "act person.remove",
    "act review.answer",
    "act review.assign",
    "act review.claim",
    "act review.release",
    "act review.undo",
    "act stage.pause",
    "act stage.resume",
    "act task.rerun",
    "act task.skip",
    "answer that counts",
    "answer that is void",
    "answer that is withdrawn",
    "answer that took effect later",
    "approval by several people",
    "approval that is not enough",
    "approval without other eyes",
    "a claim after one that expired",
    "a claim that is taken over",
    "notice due_soon",
    "notice escalated",
    "notice overdue",
    "notice rejected",
    "rejection by time",
    "something forbidden",
};

}  // namespace

std::vector<std::string> never_happened(const Occurrences& happened) {
  std::vector<std::string> missing;
  for (const char* what : expected_things) {
    if (!happened.contains(what)) missing.emplace_back(what);
  }
  return missing;
}

/// Counts what the records tell.
void Simulation::note_what_happened() {
  Records& records = store_->records();
  Occurrences& happened = run_.happened;
  const std::vector<AuditEntry> trail = *records.audit({.limit = all_at_once});
  for (const AuditEntry& entry : trail) {
    ++happened["act " + entry.act];
    if (entry.actor.kind == ActorKind::engine) ++happened["rejection by time"];
  }
  const std::vector<Event> log = *records.events({.limit = all_at_once});
  for (const Event& event : log) {
    if (event.type == EventType::review_overdue) {
      const auto notice = static_cast<ReviewNotice>(event.code);
      ++happened["notice " + std::string(pawl::name_of(notice))];
    }
    if (event.type != EventType::review_answered || event.when != no_time) continue;
    const Job job = *records.job(event.job);
    const Workflow workflow = *records.workflow(job.workflow_hash);
    const std::uint32_t needed = workflow.stage(stage_of(event.task)).review_rules.approvals;
    ++happened[event.count < needed ? "approval that is not enough"
                                    : "approval without other eyes"];
  }
  const std::vector<Review> reviews = *records.reviews({.limit = all_at_once});
  for (const Review& review : reviews) {
    std::int64_t approvals = 0;
    const std::vector<GivenAnswer> answers = *records.answers(review.id);
    for (const GivenAnswer& given : answers) {
      const bool counts = given.fate == AnswerFate::counts;
      ++happened[counts ? std::string("answer that counts")
                        : "answer that is " + std::string(pawl::name_of(given.fate))];
      if (counts && is_approval(given.answer)) ++approvals;
    }
    if (review.status != ReviewStatus::closed) continue;
    if (review.answer->effective_at != no_time) ++happened["answer that took effect later"];
    if (approvals > 1) ++happened["approval by several people"];
  }
}

std::string Simulation::unfinished() {
  std::string text;
  const Result<std::vector<Job>> jobs = store_->records().jobs({.limit = all_at_once});
  for (const Job& job : *jobs) {
    if (job.has_ended()) continue;
    text += " " + job.key + (job.submission_open ? " (open)" : "") +
            (job.paused != PauseCause::none ? " (paused)" : "") + " with " +
            std::to_string(job.attempts_open) + " attempts open:";
    const auto tasks = store_->records().tasks({.job = job.id, .limit = all_at_once});
    for (const Task& task : *tasks) {
      if (has_ended(task.state)) continue;
      text += " " + name_of(job, task) + " " + std::string(pawl::name_of(task.kind()));
    }
  }
  return text;
}

/// I12: everything that has not ended names what it waits for.
void Simulation::expect_named_waits() {
  if (run_.finding) return;
  const Result<std::vector<Job>> jobs = store_->records().jobs({.limit = all_at_once});
  for (const Job& job : *jobs) {
    if (job.has_ended() || job.paused != PauseCause::none || waits_for_stages(job)) continue;
    const auto open = store_->records().reviews({.job = job.id, .status = ReviewStatus::open});
    const auto answered =
        store_->records().reviews({.job = job.id, .status = ReviewStatus::answered});
    if (open->empty() && answered->empty()) {
      find("I12",
           "job " + std::to_string(job.id.value()) + " waits for people, who are asked nothing");
    }
  }
}

/// Ready tasks are started while a process has room, unless a limit holds them back: at once, and
/// not only when a sweep comes by. Checked when no process has anything to do before time passes.
void Simulation::expect_nothing_left_lying() {
  constexpr Duration patience = 1s;
  const std::vector<Process*> living = awake();
  const bool has_room = std::ranges::any_of(living, [&](Process* one) {
    const EngineStatus status = one->engine().status();
    // A process that just had trouble with the store waits a while before it asks again.
    return status.store_available &&
           status.open_attempts < static_cast<std::int64_t>(scenario_.parallel);
  });
  const Result<std::vector<LaneHead>> heads = store_->ready_lanes();
  if (!has_room || heads->empty() || clock_.now() <= held_back_until_) return lying_.clear();
  const auto before = std::exchange(lying_, {});
  bool is_any_late = false;
  const auto ready = store_->records().tasks({.state = StateKind::ready, .limit = all_at_once});
  for (const Task& task : *ready) {
    const std::pair name(task.id, task.version);
    const auto known = before.find(name);
    const Timestamp since = known == before.end() ? clock_.now() : known->second;
    lying_.emplace(name, since);
    is_any_late = is_any_late || clock_.now() - since > patience;
  }
  if (is_any_late) ask_a_passer_by(*heads, patience);
}

/// Only the store knows what its limits hold back: a new worker asks for everything.
void Simulation::ask_a_passer_by(const std::vector<LaneHead>& heads, Duration patience) {
  const Result<WorkerId> passer_by =
      store_->enlist({.host = "", .pid = 1, .name = "passer-by", .lease = scenario_.lease});
  ClaimRequest request{.worker = *passer_by, .shares = {}};
  for (const LaneHead& head : heads) {
    if (request.shares.empty() || request.shares.back().job != head.job) {
      request.shares.push_back({.job = head.job, .lanes = {}, .max = 100});
    }
    request.shares.back().lanes.push_back({.id = head.lane, .stage = head.stage});
  }
  const Result<Claims> claims = store_->claim(request);
  for (const Claimed& one : claims->opened) {
    run_.was_disturbed = true;
    const auto since = lying_.lower_bound({one.task.id, 0});
    const bool was_lying = since != lying_.end() && since->first.first == one.task.id;
    if (!was_lying || clock_.now() - since->second <= patience) continue;
    find("I12", name_of(*store_->records().job(one.task.job), one.task) +
                    " was ready and left lying while somebody had room for it");
  }
  for (auto& [name, since] : lying_) since = clock_.now();
  (void)store_->retire(*passer_by);
}

/// Every process that is alive and subscribed has received all events.
void Simulation::expect_all_told() {
  if (run_.finding) return;
  ++stirs_;  // every process checks once more
  while (may_go_on() && poll_somebody()) after_step();
  for (Process* one : awake()) {
    if (const std::optional<Finding> found = watch_.missed_by(one->name())) run_.finding = found;
  }
}

void Simulation::expect_ended() {
  if (run_.finding) return;
  const Result<std::vector<Job>> jobs = store_->records().jobs({.limit = all_at_once});
  for (const Job& job : *jobs) {
    run_.attempts += static_cast<std::uint64_t>(job.attempts_opened);
    if (!job.has_ended()) {
      find("I12", "job " + std::to_string(job.id.value()) + " never ends:" + unfinished());
    } else if (job.attempts_open != 0) {
      find("I14", "job " + std::to_string(job.id.value()) + " has ended with attempts open");
    }
  }
}

std::string Simulation::name_of(const Job& job, const Task& task) {
  std::string name = job.key;
  if (task.item) name += "/" + store_->records().item(task.item)->key;
  name += "/" + std::to_string(at(task.stage()));
  if (task.child) name += "/" + std::to_string(task.child->expansion) + "/" + task.child->key;
  return name;
}

void Simulation::read_endings() {
  if (!scenario_.is_comparable) return;
  const Result<std::vector<Job>> jobs = store_->records().jobs({.limit = all_at_once});
  for (const Job& job : *jobs) {
    const auto tasks = store_->records().tasks({.job = job.id, .limit = all_at_once});
    for (const Task& task : *tasks) {
      TaskEnd ending{.state = std::string(pawl::name_of(task.kind())), .output = {}, .results = {}};
      if (task.kind() == StateKind::succeeded) {
        ending.output = store_->records().output(task.id)->output.text();
      }
      const Result<std::vector<Attempt>> attempts = store_->records().attempts(task.id);
      for (const Attempt& one : *attempts) {
        if (one.result != AttemptResult::interrupted) ending.results.push_back(one.result);
      }
      run_.endings.emplace(name_of(job, task), std::move(ending));
    }
  }
}

}  // namespace pawl::simulation
