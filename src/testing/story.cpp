/// Formats the record of a job as a readable story.

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "testing/backstage.hpp"
#include "text/durations.hpp"

namespace pawl::testing {

namespace {

struct Place {
  std::string item;  ///< empty for a job-wide stage
  std::string stage;
};

struct Line {
  Timestamp at;
  EventSeq seq = 0;  ///< orders what happened at the same time
  std::string when;
  Place place;
  std::string text;
};

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

class Telling {
 public:
  Telling(Records& records, const Job& job, const std::string* only)
      : records_(records),
        job_(job),
        workflow_(must(records.workflow(job.workflow_hash))),
        only_(only) {}

  std::string tell(const std::vector<Timestamp>& deaths, Timestamp now) {
    read_log();
    must(each_row(records_, TaskFilter{.job = job_.id, .limit = 500},
                  [this](const Task& task) { tell_task(task); }));
    tell_reviews();
    for (const Timestamp death : deaths) {
      if (death >= job_.submitted_at) add(death, last_, {}, "the process died");
    }
    std::ranges::stable_sort(lines_, {},
                             [](const Line& one) { return std::pair(one.at, one.seq); });
    std::string text = "job " + std::to_string(job_.id.value()) + " (" + workflow_.name() +
                       "): " + std::string(name_of(state_of(job_))) + ", " + since(now) + "\n";
    std::ranges::move(waits_, std::back_inserter(lines_));
    std::size_t when = 0;
    std::size_t item = 0;
    std::size_t stage = 0;
    for (const Line& line : lines_) {
      when = std::max(when, line.when.size());
      item = std::max(item, line.place.item.size());
      stage = std::max(stage, line.place.stage.size());
    }
    for (const Line& line : lines_) {
      text += "  " + padded(line.when, when) + "  " + padded(line.place.item, item) + "  " +
              padded(line.place.stage, stage) + "  " + line.text + "\n";
    }
    return text;
  }

 private:
  [[nodiscard]] std::string since(Timestamp at) const {
    return "+" + text::in_all_units(at - job_.submitted_at);
  }
  void add(Timestamp at, EventSeq seq, Place place, std::string text) {
    lines_.push_back({at, seq, since(at), std::move(place), std::move(text)});
  }

  void read_log() {
    must(each_row(records_, EventFilter{.job = job_.id}, [this](const Event& event) {
      if (event.type == EventType::attempt_finished) ends_[{event.task, event.attempt}] = event.seq;
      if (event.type == EventType::review_decided) answers_[event.task].push_back(event.seq);
    }));
  }

  /// The item and stage of a task; empty if the story is about another item.
  std::optional<Place> place_of(const Task& task) {
    std::string item = task.item ? must(records_.item(task.item)).key : "";
    if (only_ != nullptr && item != *only_) return std::nullopt;
    if (task.child) item += "/" + task.child->key;
    return Place{.item = std::move(item), .stage = workflow_.stage(task.stage()).name};
  }

  void tell_task(const Task& task) {
    const auto place = place_of(task);
    if (!place) return;
    const StageDefinition& defined = workflow_.stage(task.stage());
    const StageDefinition stage = task.child ? policies_of_child(defined) : defined;
    const auto attempts = must(records_.attempts(task.id));
    for (const Attempt& attempt : attempts) {
      std::string text =
          "attempt " + std::to_string(attempt.number) + ": " + std::string(name_of(attempt.result));
      if (attempt.error) text += " (" + attempt.error->message + ")";
      if (attempt.verdict) text += ", " + std::string(name_of(*attempt.verdict));
      if (attempt.verdict == Verdict::rejected && attempt.feedback) {
        text += " (" + attempt.feedback->summary + ")";
      }
      text += "; " + explain(stage, attempt);
      const bool waits = attempt.decision.next_run_at > attempt.ended_at;
      if (attempt.decision.kind == DecisionKind::retry && waits) {
        text += ", at " + since(attempt.decision.next_run_at);
      }
      const auto end = ends_.find({task.id, attempt.number});
      add(attempt.ended_at, end == ends_.end() ? last_ : end->second, *place, std::move(text));
    }
    if (attempts.empty()) tell_passed_over(task, *place);
    tell_wait(task, *place);
  }

  /// Adds a task that ended without any attempt.
  void tell_passed_over(const Task& task, const Place& place) {
    std::string why;
    if (const auto* skipped = std::get_if<Skipped>(&task.state)) {
      why = "skipped (" + std::string(name_of(skipped->reason)) + ")";
    } else if (const auto* cancelled = std::get_if<Cancelled>(&task.state)) {
      why = "cancelled (" + std::string(name_of(cancelled->cause)) + ")";
    }
    if (!why.empty()) waits_.push_back({no_time, 0, "never", place, std::move(why)});
  }

  void tell_wait(const Task& task, const Place& place) {
    if (has_ended(task.state) || job_.has_ended()) return;
    std::string text(name_of(task.kind()));
    if (const auto* scheduled = std::get_if<RetryScheduled>(&task.state)) {
      text +=
          ": attempt " + std::to_string(task.attempts + 1) + " at " + since(scheduled->next_run_at);
    } else if (const auto* running = std::get_if<Running>(&task.state)) {
      text +=
          " its attempt " + std::to_string(task.attempts) + " since " + since(running->opened_at);
    } else if (const auto* asked = std::get_if<AwaitingReview>(&task.state)) {
      text += " (" + std::string(name_of(asked->reason)) + ")";
    }
    waits_.push_back({no_time, 0, "now", place, std::move(text)});
  }

  void tell_reviews() {
    must(each_row(records_, ReviewFilter{.job = job_.id, .limit = 500},
                  [this](const Review& review) { tell_review(review); }));
  }

  void tell_review(const Review& review) {
    if (review.status != ReviewStatus::closed || !review.answer) return;
    // The answers of a task come in the order of its reviews.
    const std::vector<EventSeq>& told = answers_[review.task];
    const std::size_t which = told_[review.task]++;
    const auto place = place_of(must(records_.task(review.task)));
    if (!place) return;
    std::string text = review.answer->reviewer + ": " +
                       std::string(name_of(review.answer->outcome)) + ", asked at " +
                       since(review.opened_at);
    if (!review.answer->note.empty()) text += " (" + review.answer->note + ")";
    add(review.closed_at, which < told.size() ? told[which] : last_, *place, std::move(text));
  }

  Records& records_;
  const Job& job_;
  Workflow workflow_;
  const std::string* only_;
  static constexpr EventSeq last_ = std::numeric_limits<EventSeq>::max();
  std::map<std::pair<TaskId, AttemptNumber>, EventSeq> ends_;
  std::map<TaskId, std::vector<EventSeq>> answers_;
  std::map<TaskId, std::size_t> told_;
  std::vector<Line> lines_;
  std::vector<Line> waits_;
};

}  // namespace

std::string World::Backstage::story(JobId id, const std::string* only) {
  const Job row = must(store->records().job(id));
  return Telling(store->records(), row, only).tell(deaths, clock.now());
}

}  // namespace pawl::testing
