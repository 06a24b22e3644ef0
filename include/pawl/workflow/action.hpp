#pragma once

/// The action of a stage of a workflow file, as data. It is kept in the stage's `params`, so it is
/// part of the workflow's identity and pinned with it, and any process can run the stage from the
/// store alone. Values are kept as written in the file, including references (`${…}`), which are
/// resolved when an attempt starts.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pawl/core/field_type.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

enum class ActionKind : std::uint8_t {
  run,    ///< a command with arguments, never through a shell
  sh,     ///< a script for /bin/sh -c, without interpolation
  human,  ///< a person; the output of the stage is its `in`
};

/// Where the output is read from if the command wrote no result document.
enum class Capture : std::uint8_t {
  file,  ///< nowhere: a result document is required
  json,  ///< stdout is exactly one JSON value, the output
  text,  ///< stdout is out.text
};

struct OutField {
  std::string name;
  FieldType type = FieldType::string;
  friend bool operator==(const OutField&, const OutField&) = default;
};

struct GateSpec {
  enum class Kind : std::uint8_t {
    expect,  ///< `body`: {field: {equals|at_least|…: value}}
    run,     ///< `argv`; receives the envelope with "out" and answers with a verdict
    schema,  ///< `body`: a JSON Schema for the whole output
    types,   ///< the output must fit `out`; added by `refine`, which retries a mismatch
    all,     ///< every one of `parts` must accept
    any,     ///< at least `at_least` of `parts` must accept
  };
  std::string name;  ///< of a part: may be empty; its position is its name then
  Kind kind = Kind::expect;
  Json body;
  std::vector<std::string> argv;
  std::vector<GateSpec> parts = {};
  std::uint32_t at_least = 1;

  /// Whether the gate or one of its parts runs a command. Only such a gate can be uncertain.
  [[nodiscard]] bool runs_command() const;
  friend bool operator==(const GateSpec&, const GateSpec&) = default;
};

struct ActionSpec {
  ActionKind kind = ActionKind::run;
  std::vector<std::string> argv;  ///< for run
  std::string script;             ///< for sh
  std::vector<std::pair<std::string, Json>> in;
  std::vector<OutField> out;  ///< empty: out.text is stdout
  Capture capture = Capture::text;
  std::vector<std::pair<std::string, std::string>> env;
  std::string dir;  ///< relative to the workflow file; empty: its directory
  std::vector<std::string> secrets;
  std::vector<int> retryable_exits;
  std::vector<int> final_exits;
  Json when;         ///< null: always; a string: one reference; an object: {reference: expectation}
  std::string each;  ///< a reference to a list: one child for each element
  std::string each_id;  ///< the name of a child, with references to its element
  std::vector<GateSpec> gates;
  std::string instructions;  ///< for the reviewer
  Json show;                 ///< {"main": "out.x", "beside": "in.y"}
  std::string description;
  friend bool operator==(const ActionSpec&, const ActionSpec&) = default;
};

/// The handler name of every stage with a command. A human stage has no handler.
inline constexpr std::string_view command_handler = "command";

/// Contains only what differs from the defaults. The round trip is exact: `action_from(describe(a))
/// == a`.
[[nodiscard]] Json describe(const ActionSpec& action);
/// Strict: an unknown member is `invalid`.
[[nodiscard]] Result<ActionSpec> action_from(const Json& params);

}  // namespace pawl
