// The checks of the answers to one review.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "store/verify/checks.hpp"
#include "store/verify/facts.hpp"

namespace pawl::store {

namespace {

class AnswersCheck {
 public:
  AnswersCheck(const ReviewRules& rules, const Job& job, const Review& review,
               std::span<const GivenAnswer> given, Findings& findings)
      : rules_(rules),
        job_(job),
        review_(review),
        given_(given),
        name_(say("review ", review.id.value())),
        findings_(findings) {}

  void run() {
    check_times();
    check_givers();
    check_approvals();
    const bool is_decided =
        review_.status == ReviewStatus::answered || review_.status == ReviewStatus::closed;
    if (is_decided && review_.answer) check_decision(*review_.answer);
  }

 private:
  void add(std::string_view invariant, std::string message) {
    findings_.add(invariant, std::move(message));
  }

  /// The due time is fixed when the review opens. Only a sweep of a review that waits has something
  /// to say.
  void check_times() {
    const bool is_due = rules_.due > Duration::zero();
    if (is_due ? between(review_.opened_at, review_.due_at) != rules_.due
               : review_.due_at != no_time) {
      add("I8", say(name_, " is due at ", time_in_words(review_.due_at),
                    ", which is not what the rules of its stage say"));
    }
    if (review_.notice_at == no_time) return;
    const bool waits =
        review_.status == ReviewStatus::open || review_.status == ReviewStatus::answered;
    if (waits && review_.due_at != no_time) return;
    add("I8", say(name_, " is ", name_of(review_.status), ", and a notice is scheduled for ",
                  rfc3339(review_.notice_at)));
  }

  [[nodiscard]] static std::string time_in_words(Timestamp at) {
    return at == no_time ? std::string("no time") : rfc3339(at);
  }

  void check_givers() {
    std::uint32_t next = 1;
    for (const GivenAnswer& one : given_) {
      if (one.number != next) {
        add("I16", say(name_, " has answer ", one.number, ", where answer ", next, " should be"));
        break;
      }
      ++next;
    }
    for (const GivenAnswer& one : given_) {
      const bool is_overdue = one.by_kind == ActorKind::engine &&
                              one.answer.reviewer == overdue_name &&
                              one.answer.outcome == ReviewOutcome::reject;
      if (one.by_kind == ActorKind::person || is_overdue) continue;
      add("I16", say("answer ", one.number, " of ", name_, ", ", name_of(one.answer.outcome),
                     ", came from the ", name_of(one.by_kind), " '", one.answer.reviewer,
                     "', and not from a person"));
    }
  }

  /// Approvals that count are of one content, each by somebody else.
  void check_approvals() {
    for (const GivenAnswer& one : given_) {
      if (one.fate != AnswerFate::counts || !is_approval(one.answer)) continue;
      if (!approvals_.empty() && !is_same_content(one.answer, approvals_.front()->answer)) {
        add("I16", say("answers ", approvals_.front()->number, " and ", one.number, " of ", name_,
                       " both count, and approve different content"));
      }
      const auto earlier = std::ranges::find_if(approvals_, [&](const GivenAnswer* other) {
        return other->answer.reviewer == one.answer.reviewer;
      });
      if (earlier != approvals_.end()) {
        add("I16", say("answers ", (*earlier)->number, " and ", one.number, " of ", name_,
                       " both count, and are by '", one.answer.reviewer, "'"));
      }
      approvals_.push_back(&one);
    }
  }

  [[nodiscard]] bool is_same_content(const Answer& one, const Answer& other) const {
    return one.attempt.value_or(review_.attempt) == other.attempt.value_or(review_.attempt) &&
           one.edits == other.edits;
  }

  void check_decision(const Answer& answer) {
    if (given_.empty() && rules_ == ReviewRules{}) return;
    const bool was_given = std::ranges::any_of(given_, [&](const GivenAnswer& one) {
      return one.fate == AnswerFate::counts && one.answer == answer;
    });
    if (!was_given) {
      add("I16", say(name_, " is ", name_of(review_.status), " with ", name_of(answer.outcome),
                     " by '", answer.reviewer, "', which is not among the answers that count"));
    }
    if (is_approval(answer)) check_people(answer);
  }

  void check_people(const Answer& answer) {
    std::vector<std::string_view> people;
    for (const GivenAnswer* one : approvals_) {
      if (!is_same_content(one->answer, answer)) continue;
      const std::string_view person = one->answer.reviewer;
      if (std::ranges::find(people, person) == people.end()) people.push_back(person);
    }
    if (people.size() < rules_.approvals) {
      add("I16", say(name_, " is ", name_of(review_.status), " with ", name_of(answer.outcome),
                     " after approvals by ", people.size(), " people, where ", rules_.approvals,
                     " are needed"));
    }
    if (rules_.self_approval || people.empty()) return;
    // Whoever gave edits that nobody had given before made them, also if that answer is withdrawn.
    const auto has_edited = [&](std::string_view person) {
      for (auto one = given_.begin(); one != given_.end(); ++one) {
        if (!is_approval(one->answer) || !one->answer.edits || one->answer.reviewer != person) {
          continue;
        }
        const bool is_first = std::none_of(given_.begin(), one, [&](const GivenAnswer& earlier) {
          return is_approval(earlier.answer) && is_same_content(earlier.answer, one->answer);
        });
        if (is_first) return true;
      }
      return false;
    };
    const bool has_other_eyes = std::ranges::any_of(people, [&](std::string_view person) {
      return person != job_.submitted_by && !has_edited(person);
    });
    if (has_other_eyes) return;
    add("I16", say(name_, " is ", name_of(review_.status), " with ", name_of(answer.outcome),
                   ", and only by those who submitted the job or made the edits"));
  }

  const ReviewRules& rules_;
  const Job& job_;
  const Review& review_;
  std::span<const GivenAnswer> given_;
  std::string name_;
  Findings& findings_;
  std::vector<const GivenAnswer*> approvals_;  ///< those that count
};

}  // namespace

void check_answers(const ReviewRules& rules, const Job& job, const Review& review,
                   std::span<const GivenAnswer> given, Findings& findings) {
  AnswersCheck(rules, job, review, given, findings).run();
}

}  // namespace pawl::store
