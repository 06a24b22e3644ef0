#include "bench/soak/people.hpp"

#include <utility>

#include "pawl/store/dead_letters.hpp"

namespace pawl::soak {

namespace {

/// How many waves may be in progress at once: a slow machine gets fewer, not a growing queue.
constexpr std::size_t waves_max = 6;
constexpr std::int64_t commands_per_wave = 4;

}  // namespace

Submitter::Submitter(Engine& engine, WorkTally& tally, Workflow mixed, Workflow commands,
                     std::string project, std::int64_t items)
    : engine_(engine),
      tally_(tally),
      mixed_(std::move(mixed)),
      commands_(std::move(commands)),
      project_(std::move(project)),
      items_(items) {}

std::int64_t Submitter::unfinished() {
  std::erase_if(open_, [&](JobId id) {
    const Result<Job> job = engine_.records().job(id);
    return tally_.took(job, "a job") && job->has_ended();
  });
  return static_cast<std::int64_t>(open_.size());
}

void Submitter::turn() {
  if (unfinished() >= static_cast<std::int64_t>(waves_max)) return;
  const bool is_of_commands = ++waves_ % 5 == 0;
  std::vector<NewItem> items;
  for (std::int64_t left = is_of_commands ? commands_per_wave : items_; left > 0; --left) {
    const std::int64_t number = ++next_;
    items.push_back({.key = "item-" + std::to_string(number),
                     .category = number % 3 == 0 ? "red" : "",
                     .data = Json(number)});
  }
  const auto count = static_cast<std::int64_t>(items.size());
  const Result<JobId> job =
      engine_.submit(is_of_commands ? commands_ : mixed_, std::move(items),
                     {.labels = Json::object({{"project", project_}}), .priority = 1});
  if (!tally_.took(job, "submitting")) return;
  open_.push_back(*job);
  ++tally_.jobs;
  tally_.items += count;
}

void Reviewer::turn() {
  if (++turns_ % 50 == 0) seen_ = {};
  for (;;) {
    const auto open =
        engine_.records().reviews({.status = ReviewStatus::open, .after = seen_, .limit = 200});
    if (!tally_.took(open, "open reviews") || open->empty()) return;
    for (const Review& review : *open) {
      if (!refused_.contains(review.id.value())) answer(review);
    }
    seen_ = open->back().id;
  }
}

void Reviewer::answer(const Review& review) {
  Answer answer{.reviewer = "eve", .note = "because of its number"};
  switch (review.id.value() % 8) {
    case 0:
      answer.outcome = ReviewOutcome::reject;
      break;
    case 1:
      // Once; the second time the same stage asks, it is approved.
      if (review.attempt == 1) answer.outcome = ReviewOutcome::request_changes;
      break;
    case 2:
      answer.outcome = ReviewOutcome::approve_with_edits;
      answer.edits = Json::object({{"number", 7}, {"edited", true}});
      break;
    default:
      break;
  }
  if (tally_.took(engine_.answer(review.id, std::move(answer)), "an answer")) {
    ++tally_.answers;
  } else {
    refused_.insert(review.id.value());
  }
}

void Operator::turn() {
  ++turns_;
  tend_dead_letters();
  if (turns_ % 5 == 0) cancel_one();
  if (turns_ % 12 == 0) purge_one();
}

void Operator::cancel_one() {
  const auto jobs = engine_.records().jobs({.ended = false, .workflow_name = "mixed", .limit = 1});
  if (!tally_.took(jobs, "running jobs") || jobs->empty()) return;
  if (tally_.took(engine_.cancel(jobs->front().id), "a cancel")) ++tally_.cancels;
}

/// Most failures are retried; rejections by reviewers, and the rest, are discarded.
void Operator::tend_dead_letters() {
  const auto page = list_dead_letters(engine_.store(), {.limit = 100});
  if (!tally_.took(page, "dead letters")) return;
  for (const DeadLetter& letter : page->letters) {
    const bool again =
        letter.cause != FailCause::rejected_by_review && letter.item.value() % 4 != 0;
    const bool done =
        again ? tally_.took(engine_.act(Rerun{.task = letter.task, .note = "again", .by = "joe"}),
                            "a retry")
              : tally_.took(engine_.act(DiscardDeadLetter{letter.task, "enough", "joe"}),
                            "a discard");
    if (done && again) ++tally_.retried;
    // A cancelled or ended job may refuse the retry.
    if (!done) (void)engine_.act(DiscardDeadLetter{letter.task, "too late", "joe"});
  }
}

/// Removes the items of an ended job with all their records. Most stay, because the store should
/// grow.
void Operator::purge_one() {
  const auto jobs = engine_.records().jobs({.ended = true, .workflow_name = "mixed", .limit = 2});
  if (!tally_.took(jobs, "ended jobs") || jobs->size() < 2) return;
  const JobId job = jobs->back().id;
  if (job <= purged_up_to_) return;
  purged_up_to_ = job;
  for (ItemId after;;) {
    const auto items = engine_.records().items({.job = job, .after = after});
    if (!tally_.took(items, "items to purge") || items->empty()) return;
    for (const Item& item : *items) {
      if (tally_.took(engine_.act(PurgeItem{item.id}), "a purge")) ++tally_.purged;
    }
    after = items->back().id;
  }
}

void Onlooker::turn() {
  Records& records = store_.records();
  const auto jobs = records.jobs({.limit = 20});
  if (!tally_.took(jobs, "the newest jobs")) return;
  std::int64_t reads = 1;
  for (const Job& job : *jobs) {
    const auto items = records.items({.job = job.id, .limit = 20});
    if (!tally_.took(items, "items")) continue;
    ++reads;
    if (items->empty()) continue;
    (void)tally_.took(records.outputs(items->back().id), "outputs");
    ++reads;
  }
  (void)tally_.took(records.tasks({.state = StateKind::failed, .limit = 50}), "failed tasks");
  (void)tally_.took(records.workers(), "workers");
  reads += 2;
  for (;;) {
    const auto events = records.events({.after = seen_});
    if (!tally_.took(events, "events")) break;
    ++reads;
    for (const Event& event : *events) {
      if (event.seq <= seen_) tally_.add_trouble("the events are not in order");
      seen_ = event.seq;
      ++tally_.events;
    }
    if (events->size() < EventFilter{}.limit) break;
  }
  tally_.reads += reads;
}

}  // namespace pawl::soak
