#include "store/verify/differences.hpp"

#include <map>
#include <tuple>
#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/each_row.hpp"

namespace pawl::store {

namespace {

constexpr std::size_t groups = 1'024;
constexpr std::int64_t held_max = 250'000;

/// Neighbours lie in different groups.
std::size_t group_of(TaskId task) {
  const auto id = static_cast<std::uint64_t>(task.value());
  return static_cast<std::size_t>(((id * 0x9e3779b97f4a7c15U) >> 40U) % groups);
}

std::string_view code_of(const Fact& fact) {
  switch (fact.kind) {
    case FactKind::opened:
      return name_of(static_cast<Cause>(fact.code));
    case FactKind::closed:
      return name_of(static_cast<AttemptResult>(fact.code));
    case FactKind::asked:
      return name_of(static_cast<ReviewReason>(fact.code));
    case FactKind::answered:
      return name_of(static_cast<ReviewOutcome>(fact.code));
    case FactKind::lasted:
      return "";
  }
  return "";
}

std::string in_words(const Fact& fact) {
  std::string attempt = say("attempt ", fact.number, " of task ", fact.task.value());
  const std::string at = fact.at == no_time ? "" : say(" at ", rfc3339(fact.at));
  switch (fact.kind) {
    case FactKind::opened:
      return say("that ", attempt, " was opened", at, " (", code_of(fact), ")");
    case FactKind::closed:
      return say("that ", attempt, " was closed as ", code_of(fact));
    case FactKind::asked:
      return say("that a review of ", attempt, " was asked for", at, " (", code_of(fact), ")");
    case FactKind::answered:
      return say("that a review of ", attempt, " was answered", at, " with ", code_of(fact));
    case FactKind::lasted:
      return say("that ", attempt, " took ", fact.length.count(), " microseconds");
  }
  return attempt;
}

class Differences {
 public:
  Differences(Records& records, const VerifyOptions& options, const Job& job, const LogReading& log,
              bool with_lengths)
      : records_(records), options_(options), job_(job), log_(log), with_lengths_(with_lengths) {}

  Status run(Findings& findings) {
    if (Status read = sum_up(); !read) return read;
    choose();
    if (Status read = hold(); !read) return read;
    tell(findings);
    return {};
  }

 private:
  template <class Visit>
  Status each_of_rows(Visit visit) {
    const TaskFilter tasks{.job = job_.id, .limit = options_.page};
    const Status read = each_row(records_, tasks, [&](const Task& task) -> Status {
      const Result<std::vector<Attempt>> attempts = records_.attempts(task.id);
      if (!attempts) return std::unexpected(attempts.error());
      each_fact(task, *attempts, [&](const Fact& fact) {
        if (is_compared(fact)) visit(fact);
      });
      return {};
    });
    if (!read) return read;
    const ReviewFilter reviews{.job = job_.id, .limit = options_.page};
    return each_row(records_, reviews, [&](const Review& review) { each_fact(review, visit); });
  }

  template <class Visit>
  Status each_of_log(Visit visit) {
    const EventFilter events{.job = job_.id, .item = {}, .limit = options_.page};
    return each_row(records_, events, [&](const Event& event) {
      if (event.seq > log_.last()) return false;
      if (log_.is_purged(event.item)) return true;
      each_fact(event, [&](const Fact& fact) {
        if (is_compared(fact)) visit(fact, event.item);
      });
      return true;
    });
  }

  [[nodiscard]] bool is_compared(const Fact& fact) const {
    return with_lengths_ || fact.kind != FactKind::lasted;
  }

  Status sum_up() {
    rows_.resize(groups);
    told_.resize(groups);
    const Status read =
        each_of_rows([&](const Fact& fact) { rows_[group_of(fact.task)].add(fact); });
    if (!read) return read;
    return each_of_log([&](const Fact& fact, ItemId) { told_[group_of(fact.task)].add(fact); });
  }

  void choose() {
    chosen_.resize(groups, false);
    std::int64_t held = 0;
    for (std::size_t group = 0; group < groups; ++group) {
      if (rows_[group] == told_[group]) continue;
      const std::int64_t wanted = rows_[group].count() + told_[group].count();
      if (held > 0 && held + wanted > held_max) {
        ++left_out_;
        continue;
      }
      held += wanted;
      chosen_[group] = true;
    }
  }

  Status hold() {
    const Status read = each_of_rows([&](const Fact& fact) {
      if (chosen_[group_of(fact.task)]) ++of(fact).rows[fact];
    });
    if (!read) return read;
    return each_of_log([&](const Fact& fact, ItemId item) {
      if (!chosen_[group_of(fact.task)]) return;
      Side& side = of(fact);
      side.item = item;
      ++side.told[fact];
    });
  }

  void tell(Findings& findings) {
    for (auto& [key, side] : sides_) {
      for (auto& [fact, count] : side.rows) {
        const auto told = side.told.find(fact);
        if (told == side.told.end()) continue;
        const std::int64_t both = std::min(count, told->second);
        count -= both;
        told->second -= both;
      }
      std::erase_if(side.rows, [](const auto& one) { return one.second == 0; });
      std::erase_if(side.told, [](const auto& one) { return one.second == 0; });
      findings.about(job_, side.item, std::get<TaskId>(key));
      // The same fact with other particulars is one difference, not two.
      while (!side.rows.empty() && !side.told.empty()) {
        findings.add("I1", say("the rows say ", in_words(side.rows.begin()->first),
                               ", and the log ", in_words(side.told.begin()->first)));
        side.rows.erase(side.rows.begin());
        side.told.erase(side.told.begin());
      }
      for (const auto& [fact, count] : side.rows) {
        findings.add("I1", say("the rows say ", in_words(fact), ", and the log does not"));
      }
      for (const auto& [fact, count] : side.told) {
        findings.add("I1", say("the log says ", in_words(fact), ", and the rows do not"));
      }
    }
    if (left_out_ == 0) return;
    findings.about(job_);
    findings.add("I1", say("the rows and the log of job ", job_.id.value(), " differ in ",
                           left_out_, " of ", groups, " more groups of tasks"));
  }

  struct Side {
    ItemId item;
    std::map<Fact, std::int64_t> rows;
    std::map<Fact, std::int64_t> told;
  };
  Side& of(const Fact& fact) { return sides_[{fact.task, fact.kind, fact.number}]; }

  Records& records_;
  const VerifyOptions& options_;
  const Job& job_;
  const LogReading& log_;
  bool with_lengths_;
  std::vector<FactSum> rows_;
  std::vector<FactSum> told_;
  std::vector<bool> chosen_;
  std::int64_t left_out_ = 0;
  std::map<std::tuple<TaskId, FactKind, AttemptNumber>, Side> sides_;
};

}  // namespace

Status tell_differences(Records& records, const VerifyOptions& options, const Job& job,
                        const LogReading& log, bool with_lengths, Findings& findings) {
  return Differences(records, options, job, log, with_lengths).run(findings);
}

}  // namespace pawl::store
