#include "cli/project/people_warnings.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "cli/output/render.hpp"
#include "cli/project/known_people.hpp"
#include "cli/session.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/people.hpp"

namespace pawl::cli {
namespace {

/// The people of a store, and what they may do in it.
class Staff {
 public:
  explicit Staff(std::vector<Person> people) : people_(std::move(people)) {}

  [[nodiscard]] const Person* find(std::string_view name) const {
    const auto found = std::ranges::find(people_, name, &Person::name);
    return found == people_.end() ? nullptr : &*found;
  }

  /// The people who may answer a review with these assignees. The local user is one of them unless
  /// the store gives that name a lower role.
  [[nodiscard]] std::set<std::string> reviewers(const std::vector<std::string>& assignees) const {
    std::set<std::string> names;
    const auto add = [&](const Actor& actor, const Person* person) {
      const Standing standing =
          standing_of(actor, person != nullptr ? std::optional(*person) : std::nullopt, true);
      const Review review{.assigned = assignees};
      if (check_may_decide(review, actor, standing)) names.insert(actor.name);
    };
    for (const Person& one : people_) add({.name = one.name}, &one);
    const Actor local = Session::local_actor();
    add(local, find(local.name));
    return names;
  }

 private:
  std::vector<Person> people_;
};

std::string in_words(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

/// That the store does not know this person or group.
std::string unknown(const std::string& assignee, const std::vector<std::string>& known) {
  const bool is_group = assignee.starts_with(group_prefix);
  const std::string name = assignee.substr(is_group ? group_prefix.size() : 0);
  const std::string meant = nearest_name(assignee, known);
  std::string warning = std::string("warning: there is no ") + (is_group ? "group" : "person") +
                        " '" + printable(name) + "' yet; ";
  if (!meant.empty()) return warning + "did you mean '" + printable(meant) + "'?";
  return warning + (is_group ? "put somebody in it: pawl user groups"
                             : "add the person: pawl user add " + printable(name));
}

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
  const std::string name = "warning: reviews of stage '" + printable(stage.name) + "' ";
  if (may.empty()) return name + "cannot be decided: nobody in this store may answer them";
  if (may.size() < rules.approvals) {
    return name + "need " + std::to_string(rules.approvals) + " approvals, but only " +
           counted(static_cast<std::int64_t>(may.size()), "person", "people") +
           " of this store may answer them: " + in_words(may);
  }
  const bool is_submitter_only = may.size() == 1 && may.contains(submitter.name);
  if (rules.self_approval || !is_submitter_only) return {};
  return name + "have `self_approval: false`, but only " + in_words(may) +
         ", who submits the job, may answer them";
}

}  // namespace

Result<std::vector<std::string>> assignee_warnings(Store& store,
                                                   const std::vector<std::string>& assignees) {
  const Result<std::vector<Person>> people = store.people().all();
  if (!people) return std::unexpected(people.error());
  std::vector<std::string> warnings;
  if (people->empty()) return warnings;
  const Result<std::vector<std::string>> known = known_people(store);
  if (!known) return std::unexpected(known.error());
  const Staff staff(*people);
  for (const std::string& assignee : assignees) {
    const bool is_group = assignee.starts_with(group_prefix);
    const std::set<std::string> may = staff.reviewers({assignee});
    if (!may.empty()) continue;
    if (std::ranges::find(*known, assignee) == known->end()) {
      warnings.push_back(unknown(assignee, *known));
    } else if (is_group) {
      warnings.push_back("warning: nobody in " + printable(assignee) + " may answer reviews");
    } else {
      warnings.push_back("warning: " + printable(assignee) + " is a " +
                         std::string(name_of(staff.find(assignee)->role)) +
                         " and may not answer reviews");
    }
  }
  return warnings;
}

Result<std::vector<std::string>> people_warnings(Store& store, const WorkflowFile& file,
                                                 const Actor& submitter) {
  const Result<std::vector<Person>> people = store.people().all();
  if (!people) return std::unexpected(people.error());
  std::vector<std::string> warnings;
  if (people->empty()) return warnings;
  const Result<std::vector<std::string>> known = known_people(store);
  if (!known) return std::unexpected(known.error());
  for (const Diagnostic& one : unknown_people(file, *known)) {
    warnings.push_back("warning: " + printable(one.message) + "; " + printable(one.help));
  }
  const Staff staff(*people);
  for (const StageDefinition& stage : file.workflow.definition().stages) {
    const std::string warning = lacking(staff, *known, stage, submitter);
    if (!warning.empty()) warnings.push_back(warning);
  }
  return warnings;
}

}  // namespace pawl::cli
