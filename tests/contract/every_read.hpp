#pragma once

/// Every read, with every combination of its filters.

#include <functional>
#include <string>
#include <vector>

#include "contract/long_history.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/dead_letters.hpp"

namespace pawl::driving {

struct Read {
  std::string name;
  std::function<void()> run;
  /// Why it may skip rows that do not match; empty: it finds its page by an index alone.
  std::string passes_over = {};
};

class EveryRead {
 public:
  explicit EveryRead(LongHistory& history) : history_(history), records_(history.records()) {
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

  std::vector<Read> reads;

 private:
  static constexpr std::uint32_t page = 20;

  /// Adds a read that must succeed.
  template <class Body>
  void add(std::string name, Body body, std::string passes_over = {}) {
    const auto run = [name, body] {
      const auto answer = body();
      EXPECT_TRUE(answer) << name << ": " << (answer ? "" : answer.error().text());
    };
    reads.push_back({std::move(name), run, std::move(passes_over)});
  }

  /// Jobs with names; no job, which means all, comes first.
  [[nodiscard]] std::vector<std::pair<std::string, JobId>> all_jobs() const {
    return {{"any job", JobId{}},
            {"settled", history_.settled},
            {"letters", history_.letters},
            {"reviews", history_.reviews},
            {"inbox", history_.inbox},
            {"assigned", history_.assigned},
            {"expanded", history_.expanded},
            {"cancelled", history_.cancelled},
            {"retrying", history_.retrying},
            {"waiting", history_.waiting},
            {"small", history_.small},
            {"missing", JobId{1'000'000}}};
  }
  template <class E>
  static std::vector<std::pair<std::string, std::optional<E>>> none_and_all() {
    std::vector<std::pair<std::string, std::optional<E>>> all{{"any", std::nullopt}};
    for (const std::string& name : all_names<E>()) all.emplace_back(name, from_name<E>(name));
    return all;
  }

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

  /// Calls `visit` with the name of an inbox, its filter, and why it may skip rows.
  template <class Visit>
  void each_inbox(Visit visit) {
    using Names = std::vector<std::string>;
    const Timestamp now = history_.store().now();
    const std::vector<std::pair<std::string, JobId>> some_jobs{{"any job", JobId{}},
                                                               {"inbox", history_.inbox},
                                                               {"assigned", history_.assigned},
                                                               {"missing", JobId{1'000'000}}};
    const std::vector<Names> assignees{{},      {"anna"},   {"anna", "group:editors"},
                                       {"ben"}, {"nobody"}, {"ben", "anna"}};
    for (const auto& [job_name, job] : some_jobs) {
      for (const Names& names : assignees) {
        for (const bool open_to_all : {true, false}) {
          for (const std::string claimer : {"", "anna", "nobody"}) {
            for (const Timestamp overdue_at : {no_time, now}) {
              std::string name = job_name + (open_to_all ? ", and open to all" : "");
              for (const std::string& one : names) name += ", of " + one;
              if (!claimer.empty()) name += ", claimed by " + claimer;
              if (overdue_at != no_time) name += ", overdue";
              const bool passes_over = job && !names.empty() && claimer.empty();
              visit(
                  name,
                  InboxFilter{.assigned_to = names,
                              .open_to_all = open_to_all,
                              .claimed_by = claimer,
                              .overdue_at = overdue_at,
                              .job = job,
                              .limit = page},
                  passes_over ? "the reviews of a job are in one list, whoever they are for" : "");
            }
          }
        }
      }
    }
  }

  void inboxes() {
    each_inbox([&](const std::string& name, const InboxFilter& filter, const std::string& why) {
      add("inbox: " + name, [filter, this] { return records_.inbox(filter); }, why);
    });
    const InboxFilter later{.after_due = no_time, .after = ReviewId{1}, .limit = page};
    add("inbox: after a review that is never due", [later, this] { return records_.inbox(later); });
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

  void audit() {
    for (const auto& [job_name, job] : all_jobs()) {
      for (const std::string actor : {"", "eve", "olga", "nobody"}) {
        for (const std::string act : {"", "dead_letter.discard", "job.pause", "missing"}) {
          const int filters = (job ? 1 : 0) + (actor.empty() ? 0 : 1) + (act.empty() ? 0 : 1);
          add(
              "audit: " + job_name + ", by '" + actor + "', act '" + act + "'",
              [filter = AuditFilter{.job = job, .actor = actor, .act = act, .limit = page}, this] {
                return records_.audit(filter);
              },
              filters > 1 ? "each index of the audit trail is for one question" : "");
        }
      }
    }
  }

  void people() {
    People& people = history_.store().people();
    add("people: all", [&people] { return people.all(); });
    add("people: one", [&people] { return people.person("anna"); });
    add("people: tokens", [&people] { return people.tokens(); });
    add("people: a token", [&people] { return people.token(std::string(64, 'a')); });
    add("people: a session", [&people] { return people.session(std::string(64, 'a')); });
    add("people: a standing", [&people] { return people.standing({.name = "anna"}); });
    add("people: a use", [&people] { return people.note_use(1); });
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

  LongHistory& history_;
  Records& records_;
};

}  // namespace pawl::driving
