#pragma once

/// Every read, with every combination of its filters.

#include <string>

#include "contract/people_reads.hpp"
#include "pawl/store/dead_letters.hpp"

namespace pawl::driving {

class EveryRead : public PeopleReads {
 public:
  explicit EveryRead(LongHistory& history) : PeopleReads(history) {
    one_thing();
    jobs();
    items();
    tasks();
    children();
    reviews();
    inboxes();
    searches();
    counts();
    audit();
    people();
    events();
    dead_letters();
    engine();
  }

 private:
  void one_thing() {
    const ItemId item = history_.drive().item(history_.settled, "few-0").id;
    const TaskId task = task_id(item, StageIndex{});
    Records& records = records_;
    const JobId job = history_.settled;
    add("job", [=, &records] { return records.job(job); });
    add("workflow", [=, &records] { return records.workflow(records.job(job)->workflow_hash); });
    add("item", [=, &records] { return records.item(item); });
    add("item by key", [=, &records] { return records.item(job, "few-1"); });
    add("task", [=, &records] { return records.task(task); });
    add("tasks of an item", [=, &records] { return records.tasks_of(item); });
    add("attempts", [=, &records] { return records.attempts(task); });
    add("outputs", [=, &records] { return records.outputs(item); });
    add("output", [=, &records] { return records.output(task); });
    add("review", [=, &records] { return records.review(ReviewId{1}); });
    add("answers", [=, &records] { return records.answers(ReviewId{1}); });
    add("last event", [=, &records] { return records.last_event(); });
    add("worker", [=, &records] { return records.worker(WorkerId{1}); });
    add("workers", [=, &records] { return records.workers(); });
  }

  void jobs() {
    for (const std::optional<bool> ended :
         {std::optional<bool>(), std::optional(true), std::optional(false)}) {
      for (const std::string workflow : {"", "settled", "small", "missing"}) {
        for (const JobId before : {JobId{}, history_.small}) {
          const JobFilter filter{
              .ended = ended, .workflow_name = workflow, .before = before, .limit = page};
          std::string why;
          if (ended == true) why = "jobs that have not ended are few";
          add(
              "jobs: ended " + (ended ? std::to_string(*ended) : "any") + ", workflow '" +
                  workflow + "'" + (before ? ", before" : ""),
              [filter, this] { return records_.jobs(filter); }, why);
        }
      }
    }
  }

  void items() {
    for (const auto& [job_name, job] : all_jobs()) {
      for (const auto& [state_name, state] : none_and_all<ItemState>()) {
        for (const std::string category : {"", "rare", "missing"}) {
          const bool filters = state || !category.empty();
          add(
              "items: " + job_name + ", " + state_name + ", category '" + category + "'",
              [filter = ItemFilter{.job = job, .state = state, .category = category, .limit = page},
               this] { return records_.items(filter); },
              !job && filters ? "no command lists the items of all jobs" : "");
        }
      }
    }
  }

  void tasks() {
    for (const auto& [job_name, job] : all_jobs()) {
      for (const auto& [state_name, state] : none_and_all<StateKind>()) {
        for (const std::optional<bool> discarded :
             {std::optional<bool>(), std::optional(true), std::optional(false)}) {
          if (discarded && state && state != StateKind::failed) continue;
          const bool has_index = !state || state == StateKind::failed ||
                                 state == StateKind::running ||
                                 state == StateKind::awaiting_review || discarded;
          add(
              "tasks: " + job_name + ", " + state_name +
                  (discarded ? *discarded ? ", discarded" : ", not discarded" : ""),
              [filter =
                   TaskFilter{.job = job, .state = state, .discarded = discarded, .limit = page},
               this] { return records_.tasks(filter); },
              has_index ? "" : "no command lists tasks in such a state");
        }
      }
      add("tasks of a worker: " + job_name,
          [filter = TaskFilter{.job = job, .worker = history_.drive().worker(), .limit = page},
           this] { return records_.tasks(filter); });
    }
  }

  void children() {
    for (const auto& [state_name, state] : none_and_all<StateKind>()) {
      for (const TaskId after : {TaskId{}, history_.parent}) {
        add(
            "children: " + state_name,
            [filter =
                 TaskFilter{
                     .state = state, .parent = history_.parent, .after = after, .limit = page},
             this] { return records_.tasks(filter); },
            state ? "the children of one task have no index by state" : "");
      }
    }
  }

  void reviews() {
    for (const auto& [job_name, job] : all_jobs()) {
      for (const auto& [status_name, status] : none_and_all<ReviewStatus>()) {
        for (const TaskId task : {TaskId{}, history_.drive().task_of(history_.reviews, "few-0")}) {
          add("reviews: " + job_name + ", " + status_name + (task ? ", of a task" : ""),
              [filter = ReviewFilter{.job = job, .task = task, .status = status, .limit = page},
               this] { return records_.reviews(filter); });
        }
      }
    }
  }

  void searches() {
    const std::vector<std::pair<std::string, JobId>> some_jobs{{"settled", history_.settled},
                                                               {"waiting", history_.waiting},
                                                               {"missing", JobId{1'000'000}}};
    for (const auto& [job_name, job] : some_jobs) {
      for (const std::string prefix : {"few-", "many-1", "many-", "missing", "\xF4\x8F\xBF\xBF"}) {
        for (const auto& [state_name, state] : none_and_all<ItemState>()) {
          const bool is_large = prefix.starts_with("many");
          add(
              "search: '" + prefix + "' in " + job_name + ", " + state_name,
              [filter = ItemFilter{.job = job, .state = state, .key_prefix = prefix, .limit = page},
               this] { return records_.items(filter); },
              is_large ? "the keys have another order than the list" : "");
        }
      }
    }
    for (const auto& [job_name, job] : all_jobs()) {
      if (!job) continue;
      for (const StageIndex stage : {StageIndex{0}, StageIndex{1}}) {
        for (const auto& [state_name, state] : none_and_all<StateKind>()) {
          add(
              "tasks: " + job_name + ", stage " + std::to_string(at(stage)) + ", " + state_name,
              [filter = TaskFilter{.job = job, .stage = stage, .state = state, .limit = page},
               this] { return records_.tasks(filter); },
              "the tasks of all stages are in one list");
        }
      }
    }
  }

  void counts() {
    const std::string why = "it counts up to a thousand rows";
    for (const auto& [job_name, job] : all_jobs()) {
      for (const auto& [state_name, state] : none_and_all<ItemState>()) {
        for (const std::string prefix : {"", "few-", "many-"}) {
          add(
              "count of items: " + job_name + ", " + state_name + ", '" + prefix + "'",
              [filter = ItemFilter{.job = job, .state = state, .key_prefix = prefix}, this] {
                return records_.count(filter);
              },
              why);
        }
      }
      for (const auto& [state_name, state] : none_and_all<StateKind>()) {
        add(
            "count of tasks: " + job_name + ", " + state_name,
            [filter = TaskFilter{.job = job, .state = state}, this] {
              return records_.count(filter);
            },
            why);
      }
    }
    each_inbox([&](const std::string& name, const InboxFilter& filter, const std::string&) {
      add("count of the inbox: " + name, [filter, this] { return records_.count(filter); }, why);
    });
  }

  void events() {
    const std::string why = "the journal has zones, and no index by job or item";
    const Timestamp now = history_.store().now();
    for (const auto& [job_name, job] : all_jobs()) {
      for (const Timestamp since : {no_time, now, now + std::chrono::hours(1)}) {
        add(
            "events: " + job_name + (since == no_time ? "" : ", since"),
            [filter = EventFilter{.job = job, .since = since, .limit = page}, this] {
              return records_.events(filter);
            },
            job ? why : "");
      }
    }
    for (const std::string key : {"many-0", "few-0"}) {
      add(
          "events: item " + key,
          [filter =
               EventFilter{.item = history_.drive().item(history_.settled, key).id, .limit = page},
           this] { return records_.events(filter); },
          why);
    }
  }

  void dead_letters() {
    for (const auto& [job_name, job] : all_jobs()) {
      add("dead letters: " + job_name, [job, this] {
        return list_dead_letters(history_.store(),
                                 {.job = job, .filter = {}, .limit = few_letters});
      });
    }
  }

  void engine() {
    add("ready lanes", [this] { return history_.store().ready_lanes(); });
    add("a sweep", [this] { return history_.store().sweep({.self = history_.drive().worker()}); });
    add("a claim", [this] {
      Drive& drive = history_.drive();
      return history_.store().claim(drive.everything(drive.worker(), 5));
    });
  }

  static constexpr std::uint32_t few_letters = 2;
};

}  // namespace pawl::driving
