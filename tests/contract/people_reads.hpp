#pragma once

/// A list of reads, and those about people: inboxes, the audit trail, people and tokens.

#include <functional>
#include <string>
#include <vector>

#include "contract/long_history.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/people.hpp"

namespace pawl::driving {

struct Read {
  std::string name;
  std::function<void()> run;
  /// Why it may skip rows that do not match; empty: it finds its page by an index alone.
  std::string passes_over = {};
};

class ReadList {
 public:
  explicit ReadList(LongHistory& history) : history_(history), records_(history.records()) {}

  std::vector<Read> reads;

 protected:
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

  LongHistory& history_;
  Records& records_;
};

class PeopleReads : public ReadList {
 public:
  using ReadList::ReadList;

 protected:
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
};

}  // namespace pawl::driving
