#include "pawl/core/permission.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "pawl/core/review_rules.hpp"

namespace pawl {
namespace {

struct RightRow {
  Right right;
  Role least;      ///< the role from which a person has it
  bool of_agents;  ///< whether an agent of that role has it too
  std::string_view what;
};

// clang-format off: one right per line
constexpr std::array<RightRow, 10> table{{
    {Right::see, Role::viewer, true, "look at the record"},
    {Right::decide, Role::reviewer, false, "decide reviews"},
    {Right::submit, Role::operate, true, "submit jobs"},
    {Right::operate, Role::operate, true, "operate jobs and items"},
    {Right::assign, Role::operate, false, "give reviews to others or take over claims"},
    {Right::destroy, Role::operate, false, "delete records"},
    {Right::trust, Role::operate, false, "accept imported jobs"},
    {Right::manage_people, Role::admin, false, "manage people and tokens"},
    {Right::see_audit, Role::operate, false, "read the audit trail"},
    {Right::work, Role::operate, true, "lease tasks"},
}};
// clang-format on

const RightRow& row_of(Right right) { return table[static_cast<std::size_t>(right)]; }

static_assert([] {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (table[i].right != static_cast<Right>(i)) return false;
  }
  return true;
}());

std::string_view word(Role role) {
  switch (role) {
    case Role::viewer:
      return "viewer";
    case Role::reviewer:
      return "reviewer";
    case Role::operate:
      return "operator";
    case Role::admin:
      return "admin";
  }
  return "viewer";
}

std::string named(const Actor& actor) {
  return actor.name.empty() ? "the local user" : "'" + actor.name + "'";
}

}  // namespace

Standing standing_of(const Actor& actor, const std::optional<Person>& person,
                     bool store_has_people) {
  Standing standing{.kind = actor.kind, .is_local = actor.method == ActorMethod::local};
  if (actor.kind == ActorKind::person) {
    const bool needs_no_person =
        standing.is_local || (actor.method == ActorMethod::claimed && !store_has_people);
    standing.is_known = person.has_value() || needs_no_person;
    if (person) {
      standing.role = person->role;
      standing.groups = person->groups;
    }
  }
  if (actor.at_most) standing.role = std::min(standing.role, *actor.at_most);
  return standing;
}

bool may(const Standing& standing, Right right) {
  if (!standing.is_known) return false;
  const RightRow& row = row_of(right);
  switch (standing.kind) {
    case ActorKind::engine:
      return true;
    case ActorKind::worker:
      return right == Right::work;
    case ActorKind::agent:
      return row.of_agents && standing.role >= row.least;
    case ActorKind::person:
      return standing.role >= row.least || (standing.is_local && right == Right::manage_people);
  }
  return false;
}

namespace {

/// Nobody acts under a name that means somebody else in the record.
Status check_actor(const Actor& actor) {
  const std::string& name = actor.name;
  if (actor.kind == ActorKind::engine || name == overdue_name) {
    return fail(ErrorCode::forbidden, named(actor) + " is the engine itself: nobody acts as it",
                "act under your own name");
  }
  if (name.starts_with(group_prefix)) {
    return fail(ErrorCode::invalid, named(actor) + " is a group: a person acts, not a group",
                "act under your own name");
  }
  if (name.empty() && actor.method != ActorMethod::local) {
    return fail(ErrorCode::invalid, "the request does not say who acts");
  }
  if (name.size() > actor_name_max) {
    return fail(ErrorCode::invalid, "the name of the actor has " + std::to_string(name.size()) +
                                        " bytes, more than " + std::to_string(actor_name_max));
  }
  return {};
}

}  // namespace

Status check_permission(const Actor& actor, const Standing& standing, Right right) {
  if (Status good = check_actor(actor); !good) return good;
  if (may(standing, right)) return {};
  const RightRow& row = row_of(right);
  const std::string what = named(actor) + " may not " + std::string(row.what);
  if (!standing.is_known) {
    return fail(ErrorCode::forbidden, what + ": the store does not know this person",
                "add them: pawl user add " + actor.name);
  }
  if (standing.kind == ActorKind::worker) {
    return fail(ErrorCode::forbidden, what + ": a worker only leases tasks and completes them");
  }
  if (standing.kind == ActorKind::agent && !row.of_agents) {
    return fail(ErrorCode::forbidden, what + ": this is for people only, and it is an agent");
  }
  return fail(ErrorCode::forbidden, what + " as " + std::string(word(standing.role)),
              "this needs the role " + std::string(word(row.least)));
}

Status check_name(std::string_view what, std::string_view name) {
  constexpr std::size_t length_max = 64;
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '@';
  };
  const bool is_good = !name.empty() && name.size() <= length_max && name.front() != '-' &&
                       name.front() != '.' && std::ranges::all_of(name, is_allowed);
  if (!is_good) {
    return fail(ErrorCode::invalid,
                "'" + std::string(name) + "' cannot be the name of a" +
                    (what.starts_with('a') ? "n " : " ") + std::string(what),
                "1 to 64 of the letters A-Z and a-z, digits, '.', '-', '_' and '@', not beginning "
                "with '.' or '-'");
  }
  if (name == overdue_name) {
    return fail(ErrorCode::invalid, "the name '" + std::string(name) + "' is reserved",
                "choose another name");
  }
  return {};
}

}  // namespace pawl
