#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actions/command_ending.hpp"
#include "actions/command_stage.hpp"
#include "actions/expect.hpp"
#include "actions/gates.hpp"
#include "actions/missing_needs.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/codec/item_key.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl {

using namespace actions;

namespace {

using Services = std::shared_ptr<const ActionServices>;
using Action = std::shared_ptr<const ActionSpec>;

constexpr std::size_t children_max = 100'000;

/// A human stage: its input becomes its output.
Outcome hand_on(const ActionSpec& action, Context& context) {
  const Result<Json> in = resolve_fields(action.in, lookup_in(context));
  if (!in) return Failure{.error = error_before_start(in.error())};
  return Output{.json = *in};
}

/// What a child is called: by the `id` of `each`, else by its element, else by its position. A
/// reference without a value gives no name.
Result<std::string> name_of_child(const ActionSpec& action, Context& context, const Json& element,
                                  std::size_t position) {
  std::string name;
  if (action.each_id.empty()) {
    name = own_key(element);
  } else {
    const Lookup others = lookup_in(context);
    const Result<std::optional<std::string>> id = resolve_argument(
        action.each_id,
        [&](const workflow::Reference& reference) -> Result<Json> {
          const bool is_element = reference.root == workflow::Reference::Root::each;
          return is_element ? Result<Json>(value_at(element, reference.path)) : others(reference);
        },
        nullptr, "`id` of `each`");
    if (!id) return std::unexpected(id.error());
    name = id->value_or("");
  }
  return name.empty() ? std::to_string(position) : name;
}

/// Creates one child for each element of the list.
Outcome split(const ActionSpec& action, Context& context) {
  const Result<Json> in = resolve_fields(action.in, lookup_in(context));
  if (!in) return Failure{.error = error_before_start(in.error())};
  const Result<Json> list = resolve_text(action.each, lookup_in(context, *in));
  if (!list) return Failure{.error = error_before_start(list.error())};
  if (!is_array(*list)) {
    return Failure{
        .error = error_before_start(Error{
            ErrorCode::invalid, "`each` names " + action.each + ", which is not a list", {}})};
  }
  FanOut fan_out;
  std::set<std::string> taken;
  std::map<std::string, int> twins;
  for (Json& element : elements(*list)) {
    const Result<std::string> name =
        name_of_child(action, context, element, fan_out.children.size() + 1);
    if (!name) return Failure{.error = error_before_start(name.error())};
    std::string key = *name;
    while (!taken.insert(key).second) key = *name + "#" + std::to_string(++twins[*name] + 1);
    fan_out.children.push_back({.key = std::move(key), .data = std::move(element)});
  }
  if (fan_out.children.size() > children_max) {
    return Failure{.error = protocol_error("`each` would make " +
                                           std::to_string(fan_out.children.size()) +
                                           " children, but at most 100,000 are allowed")};
  }
  fan_out.summary = std::to_string(fan_out.children.size()) + " children";
  return fan_out;
}

/// Each declared field as the list of the children's values, in their order.
Outcome gather(const ActionSpec& action, Context& context) {
  std::vector<std::pair<std::string, std::vector<Json>>> fields;
  for (const OutField& field : action.out) fields.emplace_back(field.name, std::vector<Json>{});
  if (fields.empty()) fields.emplace_back("text", std::vector<Json>{});
  const Status read = context.for_each_child([&](const EndedChild& child) {
    for (auto& [name, values] : fields) values.push_back(value_at(child.output, name));
    return true;
  });
  if (!read) return Failure{.error = error_before_start(read.error())};
  std::vector<std::pair<std::string, Json>> output;
  for (const auto& [name, values] : fields) output.emplace_back(name, Json::array(values));
  return Output{.json = Json::object(output)};
}

Condition condition_of(const Action& action) {
  return [action](Context& context) {
    const Result<Json> in = resolve_fields(action->in, lookup_in(context));
    if (!in) throw std::runtime_error(in.error().text());
    const Result<bool> answer = holds(action->when, lookup_in(context, *in));
    if (!answer) throw std::runtime_error(answer.error().text());
    return *answer;
  };
}

/// A gate that cannot be created reports its error whenever it is asked.
GateFunction gate_of(const Services& services, const Action& action, const GateSpec& gate) {
  Result<GateFunction> made = make_gate(services, action, gate);
  if (made) return std::move(*made);
  return [why = made.error().text()](const GateContext&, const std::stop_token&) -> Judgement {
    throw std::runtime_error(why);
  };
}

std::shared_ptr<StageCode> code_of(const Services& services, const Action& action) {
  auto code = std::make_shared<StageCode>();
  if (!action->when.is_null()) code->when = condition_of(action);
  for (const GateSpec& gate : action->gates) {
    code->gates.emplace(gate.name, gate_of(services, action, gate));
  }
  if (action->kind == ActionKind::human) {
    if (!action->in.empty()) {
      code->work = [action](Context& context, const std::stop_token&) {
        return hand_on(*action, context);
      };
    }
    return code;
  }
  const StageFunction run = [services, action](Context& context, std::stop_token stop) {
    return run_command_stage(*services, *action, context, std::move(stop));
  };
  if (action->each.empty()) {
    code->work = run;
    return code;
  }
  code->work = [action](Context& context, const std::stop_token&) {
    return split(*action, context);
  };
  code->each = run;
  code->join = [action](Context& context, const std::stop_token&) {
    return gather(*action, context);
  };
  return code;
}

bool has_secrets(const ActionServices& services, const ActionSpec& action) {
  return std::ranges::all_of(action.secrets, [&](const std::string& name) {
    return !services.variable(name).value_or("").empty();
  });
}

}  // namespace

CodeSource file_actions(std::shared_ptr<Store> store, ActionOptions options) {
  options.run_directory = std::filesystem::absolute(options.run_directory);
  const auto run = std::make_shared<RunDirectory>(options.run_directory, options.trust_owner);
  const Services services =
      std::make_shared<const ActionServices>(ActionServices{std::move(store), options, run});
  return [services](const Workflow&,
                    const StageDefinition& stage) -> std::shared_ptr<const StageCode> {
    if (stage.handler != command_handler && !stage.is_human()) return nullptr;
    if (stage.is_human() && stage.params.is_null()) return nullptr;
    Result<ActionSpec> action = action_from(stage.params);
    if (!action || (action->kind == ActionKind::human) != stage.is_human()) return nullptr;
    if (!has_secrets(*services, *action)) return nullptr;
    const auto code = code_of(services, std::make_shared<const ActionSpec>(std::move(*action)));
    code->is_available = check_of_scripts(stage);
    return code;
  };
}

}  // namespace pawl
