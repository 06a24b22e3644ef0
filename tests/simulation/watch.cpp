#include "simulation/watch.hpp"

#include <algorithm>
#include <utility>

#include "simulation/scenario.hpp"

namespace pawl::simulation {

namespace {

constexpr std::uint32_t all_at_once = 100'000;

std::string number(auto id) { return std::to_string(id.value()); }

}  // namespace

void Watch::find(std::string invariant, std::string message) {
  if (!found_) found_ = Finding{.invariant = std::move(invariant), .message = std::move(message)};
}

void Watch::acknowledge(std::span<const Step> steps, const Committed& answer) {
  for (std::size_t i = 0; i < steps.size() && i < answer.steps.size(); ++i) {
    const bool is_written = answer.steps[i].outcome == StepOutcome::applied && steps[i].closed;
    if (!is_written) continue;
    const Attempt& closed = *steps[i].closed;
    const auto [known, is_new] = closed_.try_emplace({closed.task, closed.number}, closed.result);
    if (!is_new) {
      find("I3", "attempt " + std::to_string(closed.number) + " of task " + number(closed.task) +
                     " was acknowledged twice");
    }
  }
}

void Watch::acknowledge(const Act& act, const Actor& by) {
  const auto* answer = std::get_if<AnswerReview>(&act);
  if (answer == nullptr) return;
  answered_.emplace(answer->review, by.name.empty() ? answer->answer.reviewer : by.name);
}

void Watch::acknowledge_submission(JobId job, std::size_t items) { submitted_[job] = items; }

void Watch::find_first(const Result<Verification>& checked) {
  if (!checked) return find("verify", checked.error().text());
  for (const Violation& one : checked->violations) {
    if (one.invariant == "I17" && may_differ_) continue;
    return find(one.invariant, one.message);
  }
}

void Watch::forget() {
  may_differ_ = true;
  closed_.clear();
  answered_.clear();
  submitted_.clear();
  seen_.clear();
  stories_.clear();
  cancelled_.clear();
  purged_.clear();
  last_event_ = 0;
  const auto log = store_.records().events({.limit = all_at_once});
  for (const Event& event : *log) see(event);
  for (auto& [subscriber, last] : told_) last = std::min(last, last_event_);
}

void Watch::told(const std::string& subscriber, const Event& event) {
  EventSeq& last = told_[subscriber];
  const Result<std::vector<Event>> next = store_.records().events({.after = last, .limit = 1});
  if (!next || next->empty() || next->front() != event) {
    find("events", subscriber + " was told of event " + std::to_string(event.seq) +
                       ", which is not what follows event " + std::to_string(last) + " in the log");
  }
  last = event.seq;
}

std::optional<Finding> Watch::missed_by(const std::string& subscriber) const {
  const auto told = told_.find(subscriber);
  const EventSeq last = told == told_.end() ? 0 : told->second;
  const Result<std::vector<Event>> rest = store_.records().events({.after = last, .limit = 1});
  if (!rest || rest->empty()) return std::nullopt;
  return Finding{.invariant = "events",
                 .message = subscriber + " lives and was not told of event " +
                            std::to_string(rest->front().seq)};
}

std::optional<Finding> Watch::look() {
  const Result<std::vector<Job>> jobs = store_.records().jobs({.limit = all_at_once});
  for (const Job& job : *jobs) {
    const auto seen = seen_.find(job.id);
    if (seen != seen_.end() && seen->second == job) continue;
    verify_job(job);
    seen_.insert_or_assign(job.id, job);
  }
  read_log();
  return found_;
}

std::optional<Finding> Watch::look_at_everything() {
  if (look()) return found_;
  VerifyOptions options{.decider = [](std::string_view) -> Decider { return advise; },
                        .page = all_at_once};
  const Result<Verification> checked = verify(store_.records(), options);
  find_first(checked);
  check_acknowledged();
  return found_;
}

void Watch::verify_job(const Job& job) {
  VerifyOptions options{.decider = [](std::string_view) -> Decider { return advise; },
                        .page = all_at_once,
                        .job = job.id};
  const Result<Verification> checked = verify(store_.records(), options);
  find_first(checked);
}

void Watch::read_log() {
  const Result<std::vector<Event>> fresh =
      store_.records().events({.after = last_event_, .limit = all_at_once});
  for (const Event& event : *fresh) see(event);
}

/// Attempts start and end in turns, numbered without a gap; none starts in a cancelled job
/// before it is revived.
void Watch::see(const Event& event) {
  const EventSeq next_row = (last_event_ / 16 + 1) * 16;
  if (event.seq != next_row && (last_event_ == 0 || event.seq != last_event_ + 1)) {
    find("log", "event " + std::to_string(event.seq) + " follows event " +
                    std::to_string(last_event_) + ": something is missing between them");
  }
  last_event_ = event.seq;
  if (on_event) on_event(event);
  const auto attempt = [&] {
    return "attempt " + std::to_string(event.attempt) + " of task " + number(event.task);
  };
  switch (event.type) {
    case EventType::attempt_started: {
      Story& story = stories_[event.task];
      if (story.is_open) find("I2", attempt() + " was opened while another was open");
      if (event.attempt != story.newest + 1) {
        find("I3", attempt() + " follows attempt " + std::to_string(story.newest));
      }
      if (cancelled_.contains(event.job)) {
        find("I11", attempt() + " was opened after job " + number(event.job) + " was cancelled");
      }
      story = {.newest = event.attempt, .is_open = true};
      break;
    }
    case EventType::attempt_finished: {
      Story& story = stories_[event.task];
      if (!story.is_open || story.newest != event.attempt) {
        find("I4", attempt() + " was closed, and it was not open");
      }
      story.is_open = false;
      break;
    }
    case EventType::job_cancelled:
      cancelled_.insert(event.job);
      break;
    case EventType::job_resumed:
      cancelled_.erase(event.job);  // it was revived
      break;
    case EventType::item_purged:
      ++purged_[event.job];
      break;
    default:
      break;
  }
}

/// I1: what was acknowledged exists and is unchanged.
void Watch::check_acknowledged() {
  for (const auto& [name, result] : closed_) {
    const Result<Task> task = store_.records().task(name.first);
    if (!task) continue;  // purged or lost: the log shows which
    const Result<std::vector<Attempt>> attempts = store_.records().attempts(name.first);
    const auto found = std::ranges::find(*attempts, name.second, &Attempt::number);
    if (found == attempts->end() || found->result != result) {
      find("I1", "attempt " + std::to_string(name.second) + " of task " + number(name.first) +
                     " was acknowledged, and is not in the record as it was");
    }
  }
  for (const auto& [task, story] : stories_) {
    const Result<Task> row = store_.records().task(task);
    if (row && row->attempts != story.newest) {
      find("I1", "the log knows attempt " + std::to_string(story.newest) + " of task " +
                     number(task) + ", and the record does not");
    }
  }
  for (const auto& [id, reviewer] : answered_) {
    if (!store_.records().review(id)) continue;  // purged
    const Result<std::vector<GivenAnswer>> given = store_.records().answers(id);
    const bool is_there = std::ranges::any_of(
        *given, [&](const GivenAnswer& one) { return one.answer.reviewer == reviewer; });
    if (!is_there) {
      find("I1", "the answer of " + reviewer + " to review " + number(id) +
                     " was acknowledged, and is lost");
    }
  }
  for (const auto& [job, items] : submitted_) {
    const Result<std::vector<Item>> kept =
        store_.records().items({.job = job, .limit = all_at_once});
    if (!kept || kept->size() + purged_[job] < items) {
      find("I1", "items of job " + number(job) + " were acknowledged, and are lost");
    }
  }
}

}  // namespace pawl::simulation
