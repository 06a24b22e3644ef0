#pragma once

/// Who does something to the record: a person, a worker, an agent or the engine itself.

#include <cstdint>
#include <optional>
#include <string>

namespace pawl {

// Stored numbers: never change them; add at the end.

enum class ActorKind : std::uint8_t {
  person = 1,
  worker = 2,
  agent = 3,
  engine = 4,  ///< a sweep that carries out a rule of the workflow, such as `overdue: reject`
};

/// How the name of an actor is known.
enum class ActorMethod : std::uint8_t {
  local = 1,  ///< the user of the system that runs the program: whoever opens the store is trusted
  claimed = 2,  ///< a name that was given with `--as`
  token = 3,
  session = 4,
  proxy = 5,  ///< a reverse proxy vouches for it
};

/// What a person may do. Each role includes those before it.
enum class Role : std::uint8_t { viewer = 1, reviewer = 2, operate = 3, admin = 4 };

struct Actor {
  std::string name;  ///< empty: not known
  ActorKind kind = ActorKind::person;
  ActorMethod method = ActorMethod::local;
  std::string address;          ///< where the request came from; empty: this machine
  std::optional<Role> at_most;  ///< the role of the token; none: not limited
  friend bool operator==(const Actor&, const Actor&) = default;
};

}  // namespace pawl
