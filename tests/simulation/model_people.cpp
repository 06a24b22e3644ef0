/// People and programs: who may do what, and what the audit trail says of it.

#include "simulation/model.hpp"

namespace pawl::simulation {

namespace {

const std::string group_mark = "group:";

/// What an act needs, and what it is called in the audit trail.
struct Needs {
  const char* act;
  Role least;
  bool agents;  ///< whether agents may do it, too
};

struct NeedsOf {
  static constexpr auto operate = Role::operate;
  Needs operator()(const CancelJob&) const { return {"job.cancel", operate, true}; }
  Needs operator()(const PauseJob&) const { return {"job.pause", operate, true}; }
  Needs operator()(const ResumeJob&) const { return {"job.resume", operate, true}; }
  Needs operator()(const PauseStage&) const { return {"stage.pause", operate, true}; }
  Needs operator()(const ResumeStage&) const { return {"stage.resume", operate, true}; }
  Needs operator()(const ReviveJob&) const { return {"job.revive", operate, true}; }
  Needs operator()(const SetBudget&) const { return {"job.budget", operate, true}; }
  Needs operator()(const ReopenSubmission&) const { return {"job.reopen", operate, true}; }
  Needs operator()(const CancelItem&) const { return {"item.cancel", operate, true}; }
  Needs operator()(const Rerun&) const { return {"task.rerun", operate, true}; }
  Needs operator()(const SkipTask&) const { return {"task.skip", operate, true}; }
  Needs operator()(const DiscardDeadLetter&) const {
    return {"dead_letter.discard", operate, true};
  }
  Needs operator()(const PurgeItem&) const { return {"item.purge", operate, false}; }
  Needs operator()(const TrustJob&) const { return {"job.trust", operate, false}; }
  Needs operator()(const AnswerReview&) const { return {"review.answer", Role::reviewer, false}; }
  Needs operator()(const UndoAnswer&) const { return {"review.undo", Role::reviewer, false}; }
  Needs operator()(const ClaimReview& act) const {
    return {"review.claim", act.steal ? operate : Role::reviewer, false};
  }
  Needs operator()(const ReleaseReview&) const { return {"review.release", Role::reviewer, false}; }
  Needs operator()(const AssignReview&) const { return {"review.assign", Role::reviewer, false}; }
};

std::string target(const char* what, auto id) {
  return std::string(what) + " " + std::to_string(id.value());
}

}  // namespace

/// Whoever opens the store is. A name that is only claimed is believed while nobody is registered.
bool Model::is_known(const Actor& actor) const {
  if (actor.kind != ActorKind::person || actor.method == ActorMethod::local) return true;
  if (actor.method == ActorMethod::claimed && people_.empty()) return true;
  return people_.contains(actor.name);
}

Role Model::role_of(const Actor& actor) const {
  const auto person = people_.find(actor.name);
  const bool has_role = actor.kind == ActorKind::person && person != people_.end();
  const Role role = has_role ? person->second.role : Role::admin;
  return actor.at_most && *actor.at_most < role ? *actor.at_most : role;
}

bool Model::may(const Actor& actor, Role least, bool agents) const {
  if (actor.kind == ActorKind::worker || !is_known(actor)) return false;
  if (actor.kind == ActorKind::agent && !agents) return false;
  return role_of(actor) >= least;
}

Model::Refusal Model::may_act(const Act& act, const Actor& actor) const {
  const std::string_view doer = doer_of(act);
  if (!doer.empty() && doer != actor.name) return ErrorCode::invalid;
  const Needs needs = std::visit(NeedsOf{}, act);
  if (actor.name == "overdue") return ErrorCode::forbidden;  // the engine's own name
  if (!may(actor, needs.least, needs.agents)) return ErrorCode::forbidden;
  return {};
}

std::set<std::string> Model::groups_of(const std::string& name) const {
  const auto person = people_.find(name);
  return person == people_.end() ? std::set<std::string>() : person->second.groups;
}

bool Model::is_assigned(const ModelReview& review, const std::string& name) const {
  const std::set<std::string> groups = groups_of(name);
  for (const std::string& assignee : review.assigned) {
    const bool is_group = assignee.starts_with(group_mark);
    if (is_group ? groups.contains(assignee.substr(group_mark.size())) : assignee == name) {
      return true;
    }
  }
  return review.assigned.empty();
}

ModelAudit Model::audit_of(const Act& act) {
  ModelAudit entry{.at = now_, .actor = actor_, .act = std::visit(NeedsOf{}, act).act};
  const auto about = [&]<class One>(const One& one) {
    if constexpr (requires { one.job; }) {
      entry.job = one.job;
      entry.target = target("job", one.job);
    } else if constexpr (requires { one.item; }) {
      if (items_.contains(one.item)) entry.job = items_.at(one.item).job;
      entry.target = target("item", one.item);
    } else if constexpr (requires { one.task; }) {
      if (const ModelTask* task = find(one.task)) entry.job = task->job;
      entry.target = target("task", one.task);
    } else {
      if (const ModelReview* review = find(one.review)) entry.job = review->job;
      entry.target = target("review", one.review);
    }
  };
  const auto why = []<class One>(const One& one) -> std::string {
    if constexpr (requires { one.reason; }) return one.reason;
    if constexpr (requires { one.note; }) return one.note;
    if constexpr (requires { one.answer; }) return one.answer.note;
    return {};
  };
  std::visit(about, act);
  entry.reason = std::visit(why, act);
  return entry;
}

void Model::expect_audit(ModelAudit entry) {
  entry.actor.at_most.reset();
  audit_.push_back(std::move(entry));
}

/// Adding, changing and removing people; the rest is not modelled.
Model::Refusal Model::carry_out(const PeopleChange& change) {
  if (const auto* add = std::get_if<AddPerson>(&change)) {
    const ModelPerson fresh{.role = add->role, .groups = {add->groups.begin(), add->groups.end()}};
    if (!people_.emplace(add->name, fresh).second) return ErrorCode::conflict;
  } else if (const auto* changed = std::get_if<ChangePerson>(&change)) {
    const auto person = people_.find(changed->name);
    if (person == people_.end()) return ErrorCode::not_found;
    if (changed->role) person->second.role = *changed->role;
    if (changed->groups) person->second.groups = {changed->groups->begin(), changed->groups->end()};
  } else if (const auto* removed = std::get_if<RemovePerson>(&change)) {
    if (people_.erase(removed->name) == 0) return ErrorCode::not_found;
  }
  return {};
}

void Model::changed(const PeopleChange& change, const Actor& actor, const Status& done,
                    Timestamp now) {
  now_ = now;
  std::string act = "person.add";
  std::string name;
  if (const auto* add = std::get_if<AddPerson>(&change)) {
    name = add->name;
  } else if (const auto* changed = std::get_if<ChangePerson>(&change)) {
    act = "person.change";
    name = changed->name;
  } else if (const auto* removed = std::get_if<RemovePerson>(&change)) {
    act = "person.remove";
    name = removed->name;
  } else {
    return differ("the model does not know this change of people");
  }
  // Nothing can be kept from somebody who opens the store as a file.
  const bool is_local = actor.kind == ActorKind::person && actor.method == ActorMethod::local;
  Refusal refusal;
  if (!is_local && !may(actor, Role::admin, false)) refusal = ErrorCode::forbidden;
  if (!refusal) refusal = carry_out(change);
  judge(act + " of '" + name + "'", refusal, done);
  if (!refusal) expect_audit({.at = now, .actor = actor, .act = act, .target = "person " + name});
}

}  // namespace pawl::simulation
