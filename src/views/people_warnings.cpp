#include "views/people_warnings.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "core/joined.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/people.hpp"
#include "text/numbers.hpp"

namespace pawl::views {
namespace {

/// The people of a store, and what they may do in it.
class Staff {
 public:
  Staff(std::vector<Person> people, Actor local)
      : people_(std::move(people)), local_(std::move(local)) {}

  [[nodiscard]] const Person* find(std::string_view name) const {
    const auto found = std::ranges::find(people_, name, &Person::name);
    return found == people_.end() ? nullptr : &*found;
  }

  /// The people who may answer a review with these assignees.
  [[nodiscard]] std::set<std::string> reviewers(const std::vector<std::string>& assignees) const {
    std::set<std::string> names;
    const auto add = [&](const Actor& actor, const Person* person) {
      const Standing standing =
          standing_of(actor, person != nullptr ? std::optional(*person) : std::nullopt, true);
      const Review review{.assigned = assignees};
      if (check_may_decide(review, actor, standing)) names.insert(actor.name);
    };
    for (const Person& one : people_) add({.name = one.name}, &one);
    if (!local_.name.empty()) add(local_, find(local_.name));
    return names;
  }

 private:
  std::vector<Person> people_;
  Actor local_;
};

std::string in_words(const Diagnostic& unknown) { return unknown.message + "; " + unknown.help; }

/// What this stage needs and its people cannot give; empty if they can.
std::string lacking(const Staff& staff, const std::vector<std::string>& known,
                    const StageDefinition& stage, const Actor& submitter) {
  const ReviewRules& rules = stage.review_rules;
  std::vector<std::string> assignees = rules.assign;
  if (!assignees.empty() && rules.overdue == OnOverdue::escalate) {
    assignees.insert(assignees.end(), rules.escalate_to.begin(), rules.escalate_to.end());
  }
  const bool has_rules = !assignees.empty() || rules.approvals > 1 || !rules.self_approval;
  // Somebody whom the store does not know yet may be able to give an approval.
  const bool has_unknown = std::ranges::any_of(assignees, [&](const std::string& one) {
    return std::ranges::find(known, one) == known.end();
  });
  if (!has_rules || has_unknown) return {};
  const std::set<std::string> may = staff.reviewers(assignees);
  const std::string name = "reviews of stage '" + stage.name + "' ";
  if (may.empty()) return name + "cannot be decided: nobody in this store may answer them";
  if (may.size() < rules.approvals) {
    return name + "need " + std::to_string(rules.approvals) + " approvals, but only " +
           text::counted(static_cast<std::int64_t>(may.size()), "person", "people") +
           " of this store may answer them: " + joined(may);
  }
  const bool is_submitter_only = may.size() == 1 && may.contains(submitter.name);
  if (rules.self_approval || !is_submitter_only) return {};
  return name + "have `self_approval: false`, but only " + joined(may) +
         ", who submits the job, may answer them";
}

}  // namespace

std::vector<std::string> known_people(const std::vector<Person>& people) {
  std::set<std::string> known;
  for (const Person& person : people) {
    known.insert(person.name);
    for (const std::string& group : person.groups) known.insert(std::string(group_prefix) + group);
  }
  return std::vector(known.begin(), known.end());
}

Result<std::vector<std::string>> assignee_warnings(Store& store,
                                                   const std::vector<std::string>& assignees,
                                                   const Actor& local) {
  const Result<std::vector<Person>> people = store.people().all();
  if (!people) return std::unexpected(people.error());
  std::vector<std::string> warnings;
  if (people->empty()) return warnings;
  const std::vector<std::string> known = known_people(*people);
  const Staff staff(*people, local);
  for (const std::string& assignee : assignees) {
    const bool is_group = assignee.starts_with(group_prefix);
    const std::set<std::string> may = staff.reviewers({assignee});
    if (!may.empty()) continue;
    const std::vector<Assignee> named{{.name = assignee, .place = {}}};
    if (const auto unknown = unknown_people(named, known); !unknown.empty()) {
      warnings.push_back(in_words(unknown.front()));
    } else if (is_group) {
      warnings.push_back("nobody in " + assignee + " may answer reviews");
    } else {
      warnings.push_back(assignee + " is a " + std::string(name_of(staff.find(assignee)->role)) +
                         " and may not answer reviews");
    }
  }
  return warnings;
}

Result<std::vector<std::string>> people_warnings(Store& store, const WorkflowFile& file,
                                                 const Actor& submitter, const Actor& local) {
  const Result<std::vector<Person>> people = store.people().all();
  if (!people) return std::unexpected(people.error());
  std::vector<std::string> warnings;
  if (people->empty()) return warnings;
  const std::vector<std::string> known = known_people(*people);
  for (const Diagnostic& one : unknown_people(file.assignees, known)) {
    warnings.push_back(in_words(one));
  }
  const Staff staff(*people, local);
  for (const StageDefinition& stage : file.workflow.definition().stages) {
    const std::string warning = lacking(staff, known, stage, submitter);
    if (!warning.empty()) warnings.push_back(warning);
  }
  return warnings;
}

}  // namespace pawl::views
