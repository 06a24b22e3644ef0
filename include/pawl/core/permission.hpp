#pragma once

/// Who may do what. The store checks every act and submission with the same function. It does not
/// check reads, or items that are added to a job: whoever opens the store can read and write it
/// anyway.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

/// A person that the store knows.
struct Person {
  std::string name;  ///< as `check_name` allows it
  Role role = Role::viewer;
  std::vector<std::string> groups;  ///< sorted, without "group:"
  Timestamp added_at;
  friend bool operator==(const Person&, const Person&) = default;
};

/// A kind of act. Each act of an operator or reviewer needs exactly one right.
enum class Right : std::uint8_t {
  see,            ///< read jobs, items, reviews, logs
  decide,         ///< answer, claim, release and hand over a review
  submit,         ///< submit jobs and add items: this runs code
  operate,        ///< pause, resume, cancel, rerun, skip, budgets, dead letters
  assign,         ///< give a review to others, or take over somebody's claim
  destroy,        ///< delete records
  trust,          ///< accept a job from another store
  manage_people,  ///< people, groups and tokens
  see_audit,
  work,  ///< lease tasks and complete them
};

/// What the store knows about an actor when it acts.
struct Standing {
  ActorKind kind = ActorKind::person;
  Role role = Role::admin;
  std::vector<std::string> groups;
  /// Whether the store accepts the actor: a known person, the local user, or any name while the
  /// store has no people.
  bool is_known = true;
  /// Opened the store's file or holds its password. Such a user can change the store anyway, and
  /// always has `manage_people`: otherwise the last admin could be locked out.
  bool is_local = false;
  friend bool operator==(const Standing&, const Standing&) = default;
};

/// What follows from an actor and the person of that name, if there is one.
[[nodiscard]] Standing standing_of(const Actor& actor, const std::optional<Person>& person,
                                   bool store_has_people);

/// Whether an actor of this standing may do acts of this kind. Roles include each other; an agent
/// never decides, trusts or manages people, whatever its role; a worker only works.
[[nodiscard]] bool may(const Standing& standing, Right right);

/// The same as a status: `forbidden`, naming the actor, the right that is missing and the role
/// that has it. Nobody acts as the engine, as a group, or under a name longer than
/// `actor_name_max`.
[[nodiscard]] Status check_permission(const Actor& actor, const Standing& standing, Right right);

/// The longest name of an actor, in bytes. Local users and names given with `--as` are otherwise
/// free.
inline constexpr std::size_t actor_name_max = 256;

/// `invalid` for a name that a person, group or token may not have: 1 to 64 letters, digits,
/// '.', '-', '_', '@', not beginning with '-' or '.'; "overdue" is the engine's own.
[[nodiscard]] Status check_name(std::string_view what, std::string_view name);

}  // namespace pawl
