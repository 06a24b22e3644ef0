#include "workflow/check_references.hpp"

#include <algorithm>
#include <vector>

#include "workflow/known_types.hpp"
#include "workflow/upstream.hpp"

namespace pawl::workflow {
namespace {

using Root = Reference::Root;

bool is_gate(Spot spot) { return spot == Spot::gate_argument || spot == Spot::gate_value; }
bool is_of_items(Spot spot) { return spot == Spot::item_source || spot == Spot::item_key; }

/// For a place where a value must be plain text, the message that says so; empty if it keeps its
/// type.
std::string_view text_place(const ReferenceUse& use) {
  switch (use.spot) {
    case Spot::argument:
    case Spot::gate_argument:
      return "a command-line argument must be text";
    case Spot::variable:
      return "an environment variable must be text";
    case Spot::item_source:
    case Spot::item_key:
    case Spot::child_id:
      return "this must be text";
    case Spot::input:
    case Spot::condition:
    case Spot::fan_out:
    case Spot::gate_value:
      break;
  }
  return use.is_whole ? std::string_view{} : "inside a longer text it must be text";
}

/// Checks one reference of a stage or of the items. Each check adds at most one fault and returns
/// whether the next check makes sense.
class UseCheck {
 public:
  UseCheck(Faults& faults, const FileDraft& file, const KnownTypes& types, Upstream& upstream,
           const StageDraft& stage, const ReferenceUse& use)
      : faults_(faults),
        file_(file),
        types_(types),
        upstream_(upstream),
        stage_(stage),
        use_(use) {}

  void run() {
    if (may_stand_here() && exists()) check_type();
  }

 private:
  bool add(std::string_view code, const std::string& message, std::string help = {}) {
    faults_.add(code, use_.place, message, std::move(help));
    return false;
  }
  [[nodiscard]] std::string name() const { return in_quotes(use_.reference.text()); }
  [[nodiscard]] bool is_job_wide() const { return stage_.definition.scope == Scope::all; }

  bool may_stand_here() {
    if (is_of_items(use_.spot)) return may_stand_in_items();
    switch (use_.reference.root) {
      case Root::item:
        if (!is_job_wide()) return true;
        return add("E033",
                   name() + " names one item, but stage " + in_quotes(stage_.name) +
                       " runs once for all items",
                   "the command reads every item from the file \"items_file\" of its envelope");
      case Root::params:
        return true;
      case Root::in:
        return in_may_stand_here();
      case Root::out:
        if (is_gate(use_.spot)) return true;
        return add("E033",
                   name() + " is not known before stage " + in_quotes(stage_.name) + " has run",
                   "`out` is the stage's own output, for its gates only; another stage's output "
                   "is ${stages.NAME.out.FIELD}");
      case Root::stage:
        return true;
      case Root::each:
        return each_may_stand_here();
    }
    return true;
  }

  bool may_stand_in_items() {
    const Root root = use_.reference.root;
    if (root == Root::params) return true;
    if (root == Root::item && use_.spot == Spot::item_key) return true;
    if (root == Root::item) {
      return add("E033", name() + " is not known before the items are read",
                 "the source of the items can only use params");
    }
    return add(
        "E033", name() + " is not available in `items`",
        use_.spot == Spot::item_key ? "use ${item…} and ${params…} here" : "use ${params…} here");
  }

  bool in_may_stand_here() {
    if (use_.spot == Spot::input) {
      return add("E033", name() + " cannot be used inside `in`",
                 "refer to the source of the value: item, params or stages.NAME.out.FIELD");
    }
    if (is_before_fan_out()) {
      return add("E033", name() + " is not available in `when` and `each`",
                 "refer to the source of the value: item, params or stages.NAME.out.FIELD");
    }
    const bool judges_children = is_gate(use_.spot) && stage_.definition.joins;
    if (judges_children && comes_from_each(use_.reference.field())) {
      return add("E033",
                 name() + " is different for each child; a gate judges all children together",
                 "make the command write what the gate needs to its output");
    }
    return true;
  }

  /// `when` and `each` are read before the inputs of a child are known.
  [[nodiscard]] bool is_before_fan_out() const {
    return use_.spot == Spot::condition || use_.spot == Spot::fan_out ||
           use_.spot == Spot::child_id;
  }

  [[nodiscard]] bool comes_from_each(std::string_view input) const {
    return std::ranges::any_of(stage_.action.in, [&](const auto& one) {
      const std::string& text = one.second.text();
      return one.first == input && (text.find("${each}") != std::string::npos ||
                                    text.find("${each.") != std::string::npos ||
                                    text.find("${each[") != std::string::npos);
    });
  }

  bool each_may_stand_here() {
    if (stage_.action.each.empty()) {
      if (stage_.definition.joins) return false;
      return add("E033", name() + " is only available in a stage with `each`",
                 "add each: \"${stages.NAME.out.FIELD}\", a list; the stage then runs once for "
                 "each element");
    }
    if (is_gate(use_.spot)) {
      return add("E033", name() + " is not available in a gate, which judges all children together",
                 "make the command write what the gate needs to its output");
    }
    if (use_.spot == Spot::condition || use_.spot == Spot::fan_out) {
      return add("E033", name() + " is not known before the stage has fanned out",
                 "refer to the item, a param or the output of another stage");
    }
    return true;
  }

  bool exists() {
    switch (use_.reference.root) {
      case Root::item:
      case Root::each:
        return false;  // The content of an item is known only at run time.
      case Root::params:
        return param_exists();
      case Root::in:
        return input_exists();
      case Root::out:
        return field_exists(stage_);
      case Root::stage:
        return stage_can_be_read();
    }
    return false;
  }

  bool param_exists() {
    const std::string wanted = use_.reference.field();
    if (std::ranges::find(file_.params, wanted, &ParamSpec::name) != file_.params.end()) {
      return true;
    }
    const bool is_broken =
        !file_.are_params_known ||
        std::ranges::find(file_.broken_params, wanted) != file_.broken_params.end();
    if (is_broken) return false;
    std::vector<std::string> names;
    for (const ParamSpec& param : file_.params) names.push_back(param.name);
    faults_.add_misspelt("E032", use_.place, "the workflow has no param " + in_quotes(wanted),
                         wanted, names, "declare it: params: { " + wanted + ": { type: string } }");
    return false;
  }

  bool input_exists() {
    const std::string wanted = use_.reference.field();
    if (stage_.find_input(wanted) != nullptr) return true;
    if (!stage_.is_in_known) return false;
    std::vector<std::string> names;
    for (const auto& one : stage_.in) names.push_back(one.first);
    faults_.add_misspelt("E032", use_.place,
                         "stage " + in_quotes(stage_.name) + " has no input " + in_quotes(wanted),
                         wanted, names, "add it: in: { " + wanted + ": … }");
    return false;
  }

  bool stage_can_be_read() {
    const std::string& wanted = use_.reference.stage;
    const StageDraft* const other = file_.find_stage(wanted);
    if (other == nullptr) {
      faults_.add_misspelt("E012", use_.place, "no stage " + in_quotes(wanted), wanted,
                           file_.stage_names(), "the stages are: " + listed(file_.stage_names()));
      return false;
    }
    if (other == &stage_) {
      return add("E033", "stage " + in_quotes(stage_.name) + " cannot read its own output",
                 "in its gates write ${out." + use_.reference.path + "}");
    }
    if (!upstream_.needs(stage_, *other)) {
      return add("E013",
                 in_quotes(stage_.name) + " reads " + in_quotes(wanted) + " but does not need it",
                 "add " + in_quotes(wanted) + " to `needs:` of " + in_quotes(stage_.name));
    }
    if (is_job_wide() && other->definition.scope == Scope::item) {
      return add("E033",
                 "stage " + in_quotes(stage_.name) + " runs once for all items; " +
                     in_quotes(wanted) + " has an output for each of them",
                 "the command reads them from the file \"items_file\" of its envelope");
    }
    return field_exists(*other);
  }

  bool field_exists(const StageDraft& stage) {
    const KnownFields& fields = types_.fields_of(stage);
    if (!fields) return false;
    const std::string wanted = use_.reference.field();
    if (find_field(fields, wanted) != nullptr) return true;
    const std::vector<std::string> names = names_of(fields);
    faults_.add_misspelt(
        "E032", use_.place,
        "stage " + in_quotes(stage.name) + " declares no output " + in_quotes(wanted), wanted,
        names,
        stage.action.out.empty() && !stage.is_human()
            ? "add it: out: { " + wanted + ": string }; without `out` there is only text"
            : "its outputs are: " + listed(names));
    return false;
  }

  void check_type() {
    const KnownType whole = type_of_field();
    if (!whole) return;
    const std::string type(name_of(*whole));
    if (!use_.reference.beyond_field().empty()) {
      if (*whole == FieldType::json) return;
      add("E035",
          name() + " reads a part of " + in_quotes(use_.reference.field()) + ", which is " + type,
          "only json values have parts");
      return;
    }
    const std::string_view text = text_place(use_);
    if (*whole == FieldType::json && !text.empty()) {
      add("E034", name() + " is json; " + std::string(text),
          "put it under `in:`; the command reads it from stdin");
      return;
    }
    if (use_.spot == Spot::fan_out && *whole != FieldType::json) {
      add("E036", name() + " is " + type + "; `each` needs a list",
          "declare the field as json, and make the stage output a list");
    }
    const bool is_bare_condition = use_.spot == Spot::condition && is_condition_itself();
    if (is_bare_condition && *whole != FieldType::boolean && *whole != FieldType::json) {
      add("E036", name() + " is " + type + "; `when` needs true or false",
          "compare it with a value: when: { " + name() + ": { equals: … } }");
    }
  }

  /// `when: REFERENCE`, not a part of an expectation.
  [[nodiscard]] bool is_condition_itself() const {
    return stage_.action.when == Json(use_.reference.text());
  }

  [[nodiscard]] KnownType type_of_field() const {
    Reference whole = use_.reference;
    whole.path = whole.field();
    return types_.type_of(stage_, whole);
  }

  Faults& faults_;
  const FileDraft& file_;
  const KnownTypes& types_;
  Upstream& upstream_;
  const StageDraft& stage_;
  const ReferenceUse& use_;
};

}  // namespace

void check_references(Faults& faults, const FileDraft& file) {
  const KnownTypes types(file);
  Upstream upstream(file);
  const StageDraft nobody;
  for (const ReferenceUse& use : file.uses)
    UseCheck(faults, file, types, upstream, nobody, use).run();
  for (const StageDraft& stage : file.stages) {
    for (const ReferenceUse& use : stage.uses)
      UseCheck(faults, file, types, upstream, stage, use).run();
  }
}

}  // namespace pawl::workflow
