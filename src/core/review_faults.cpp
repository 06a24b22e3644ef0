#include "core/review_faults.hpp"

#include <algorithm>
#include <set>

#include "pawl/core/permission.hpp"
#include "pawl/core/review_rules.hpp"

namespace pawl {
namespace {

/// The longest due time: about 285 years, as for the durations of a workflow file. Far from where
/// adding it to a time would overflow.
constexpr Duration due_max = std::chrono::days(104'000);

bool is_group(const std::string& assignee) { return assignee.starts_with(group_prefix); }

std::string only_people(std::size_t count) {
  return count == 1 ? "only 1 person is assigned"
                    : "only " + std::to_string(count) + " people are assigned";
}

/// Collects the contradictions of one set of rules; each check is one function.
class Contradictions {
 public:
  explicit Contradictions(const ReviewRules& rules) : rules_(rules) {}

  std::vector<RuleFault> all(bool has_reviews) && {
    if (!has_reviews && rules_ != ReviewRules{}) {
      add("when", "has rules for its reviews, but its review is set to never",
          "choose when a person is asked, such as always, or leave the rules out");
    }
    check_approvals();
    check_due();
    check_escalation();
    return std::move(found_);
  }

 private:
  void add(std::string_view rule, std::string what, std::string help) {
    found_.push_back({rule, std::move(what), std::move(help)});
  }

  /// Those who are assigned must be enough. The people of `escalate_to` come only if it is overdue.
  void check_approvals() {
    if (rules_.approvals == 0) add("approvals", "needs 0 approvals", "use at least 1");
    const std::set<std::string_view> people(rules_.assign.begin(), rules_.assign.end());
    const bool is_limited = !people.empty() && std::ranges::none_of(rules_.assign, is_group);
    if (!is_limited || rules_.approvals <= people.size()) return;
    const std::string needed = std::to_string(rules_.approvals);
    add("approvals", "needs " + needed + " approvals, but " + only_people(people.size()),
        "assign " + needed + " people or a group, or ask for fewer approvals");
  }

  void check_due() {
    if (rules_.due < Duration::zero()) add("due", "has a negative due time", "leave out due");
    if (rules_.due > due_max) add("due", "has a due time of more than 285 years", "leave out due");
    if (rules_.overdue != OnOverdue::remind && rules_.due == Duration::zero()) {
      add("overdue", "says what happens to overdue reviews, but not when they are due",
          "set due, too, or leave out overdue");
    }
  }

  void check_escalation() {
    const bool escalates = rules_.overdue == OnOverdue::escalate;
    if (escalates && rules_.escalate_to.empty()) {
      add("overdue", "escalates overdue reviews to nobody", "name people or groups in escalate_to");
    }
    if (rules_.escalate_to.empty()) return;
    if (!escalates) {
      add("escalate_to", "names people to escalate to, but does not escalate",
          "set overdue to escalate, or leave out escalate_to");
    } else if (rules_.assign.empty()) {
      add("escalate_to", "escalates reviews that are assigned to nobody: everybody may answer them",
          "name in assign who is asked first, or leave out escalate_to");
    } else if (std::ranges::all_of(rules_.escalate_to, [&](const std::string& name) {
                 return std::ranges::find(rules_.assign, name) != rules_.assign.end();
               })) {
      add("escalate_to", "escalates only to those who are assigned already",
          "name somebody else in escalate_to");
    }
  }

  const ReviewRules& rules_;
  std::vector<RuleFault> found_;
};

}  // namespace

std::vector<RuleFault> contradictions_in(const ReviewRules& rules, bool has_reviews) {
  return Contradictions(rules).all(has_reviews);
}

Status check_assignee(std::string_view assignee) {
  if (!assignee.starts_with(group_prefix)) return check_name("person", assignee);
  assignee.remove_prefix(group_prefix.size());
  return check_name("group", assignee);
}

}  // namespace pawl
