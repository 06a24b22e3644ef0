#pragma once

/// A workflow file while it is being checked: the values as far as they could be read, and where
/// everything stands that can only be judged with the whole file in view.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/workflow/file.hpp"
#include "workflow/reference.hpp"
#include "workflow/value_reader.hpp"

namespace pawl::workflow {

/// Where a reference stands, which decides what it may name.
enum class Spot : std::uint8_t {
  argument,       ///< an element of `run`
  input,          ///< inside `in`
  variable,       ///< a value of `env`
  condition,      ///< `when`
  fan_out,        ///< `each`
  gate_argument,  ///< an element of a gate's `run`
  gate_value,     ///< a value of `expect`
  item_source,    ///< `items`: glob, file, run
  item_key,       ///< `items`: id, category
};

struct ReferenceUse {
  Spot spot = Spot::argument;
  Place place;
  Reference reference;
  bool is_whole = true;  ///< nothing stands around it, so it keeps its type
};

/// One operator of an expectation: what it is about, and what it asks.
struct Expectation {
  std::optional<PlacedText> field;     ///< in a gate: a field of the stage's output
  std::optional<Reference> reference;  ///< in `when`
  std::string operation;
  Place operation_place;
  const YamlNode* value = nullptr;
};

struct StageDraft {
  std::string name;
  Place place;
  StageDefinition definition;
  ActionSpec action;
  bool is_action_known = true;  ///< false: it has none, several, or one that this version refuses
  bool is_out_known = true;     ///< false: `out` could not be read
  bool is_in_known = true;      ///< the same for `in`
  bool are_needs_known = true;  ///< the same for `needs`

  std::vector<PlacedText> needs;
  std::vector<std::pair<std::string, const YamlNode*>> in;
  std::map<std::string, const YamlNode*, std::less<>> inputs;  ///< the same, by name
  std::vector<ReferenceUse> uses;
  std::vector<Expectation> expectations;
  std::vector<PlacedText> editable;
  std::vector<PlacedText> shown;  ///< "out.markdown", "in.pdf"
  std::optional<PlacedText> changes_rerun;
  Place on_failure_place;
  Place parallel_place;
  Place rate_place;

  [[nodiscard]] bool is_human() const { return action.kind == ActionKind::human; }
  /// What stands under `in`; null when there is no such input.
  [[nodiscard]] const YamlNode* find_input(std::string_view input) const;
};

struct FileDraft {
  std::string name;
  std::string description;
  std::vector<ParamSpec> params;
  bool are_params_known = true;            ///< false: `params` could not be read
  std::vector<std::string> broken_params;  ///< declared, but of a type that could not be read
  ItemsSpec items;
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;
  Place stages_place;
  std::vector<StageDraft> stages;
  std::map<std::string, std::size_t, std::less<>> places;  ///< of the stages, by name
  std::vector<ReferenceUse> uses;                          ///< of the items

  [[nodiscard]] std::vector<std::string> stage_names() const;
  /// Null when there is no such stage.
  [[nodiscard]] const StageDraft* find_stage(std::string_view name) const;
};

}  // namespace pawl::workflow
