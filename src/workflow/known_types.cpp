#include "workflow/known_types.hpp"

#include <algorithm>

namespace pawl::workflow {
namespace {

/// The type of a field can be passed on through a chain of stages for people. Beyond this length
/// the type counts as unknown, which is always safe.
constexpr std::size_t depth_max = 100;

KnownType type_in(const KnownFields& fields, std::string_view name) {
  const KnownField* const field = find_field(fields, name);
  return field == nullptr ? std::nullopt : field->type;
}

}  // namespace

const KnownFields& KnownTypes::fields_of(const StageDraft& stage) const {
  const auto [known, is_new] = fields_.try_emplace(&stage);
  if (is_new && depth_ < depth_max) {
    ++depth_;
    known->second = work_out(stage);
    --depth_;
  }
  return known->second;
}

KnownFields KnownTypes::work_out(const StageDraft& stage) const {
  if (!stage.is_out_known) return std::nullopt;
  std::vector<KnownField> fields;
  if (stage.is_human()) {
    if (!stage.is_in_known) return std::nullopt;
    if (stage.in.empty()) return fields_handed_on(stage);
    for (const auto& [name, value] : stage.in) fields.push_back({name, type_of(stage, *value)});
    return fields;
  }
  for (const OutField& field : stage.action.out) fields.push_back({field.name, field.type});
  if (fields.empty()) {
    if (!stage.is_action_known) return std::nullopt;
    fields.push_back({"text", FieldType::string});
  }
  if (stage.definition.joins) {
    for (KnownField& field : fields) field.type = FieldType::json;
  }
  return fields;
}

/// The output of a stage for people without `in` is its input: the output of the one stage that it
/// needs, or the outputs of several stages by name.
KnownFields KnownTypes::fields_handed_on(const StageDraft& stage) const {
  const bool is_open = stage.needs.empty() || !stage.are_needs_known;
  if (is_open || stage.definition.scope == Scope::all) return std::nullopt;
  if (stage.definition.needs.size() == 1) {
    const StageDraft* const need = file_.find_stage(stage.definition.needs.front());
    return need == nullptr ? std::nullopt : fields_of(*need);
  }
  std::vector<KnownField> fields;
  for (const std::string& need : stage.definition.needs) fields.push_back({need, FieldType::json});
  return fields;
}

KnownType KnownTypes::type_of(const StageDraft& stage, const Reference& reference) const {
  if (!reference.beyond_field().empty()) return std::nullopt;
  switch (reference.root) {
    case Reference::Root::item:
    case Reference::Root::each:
      return std::nullopt;
    case Reference::Root::params: {
      const auto param = std::ranges::find(file_.params, reference.field(), &ParamSpec::name);
      return param == file_.params.end() ? std::nullopt : KnownType(param->type);
    }
    case Reference::Root::in: {
      const YamlNode* const value = stage.find_input(reference.field());
      // An input that refers to inputs is a fault of its own, and may refer to itself.
      const bool is_sound = value != nullptr && value->text.find("${in") == std::string::npos;
      return is_sound ? type_of(stage, *value) : std::nullopt;
    }
    case Reference::Root::out:
      return type_in(fields_of(stage), reference.field());
    case Reference::Root::stage: {
      const StageDraft* const other = file_.find_stage(reference.stage);
      return other == nullptr ? std::nullopt : type_in(fields_of(*other), reference.field());
    }
  }
  return std::nullopt;
}

KnownType KnownTypes::type_of(const StageDraft& stage, const YamlNode& value) const {
  switch (value.kind) {
    case YamlNode::Kind::boolean:
      return FieldType::boolean;
    case YamlNode::Kind::integer:
      return FieldType::integer;
    case YamlNode::Kind::number:
      return FieldType::number;
    case YamlNode::Kind::string: {
      const auto text = Template::parse(value.text);
      if (!text) return std::nullopt;
      if (const Reference* const one = text->single()) return type_of(stage, *one);
      return FieldType::string;
    }
    case YamlNode::Kind::null:
    case YamlNode::Kind::list:
    case YamlNode::Kind::map:
      return FieldType::json;
  }
  return std::nullopt;
}

const KnownField* find_field(const KnownFields& fields, std::string_view name) {
  if (!fields) return nullptr;
  const auto found = std::ranges::find(*fields, name, &KnownField::name);
  return found == fields->end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const KnownFields& fields) {
  std::vector<std::string> names;
  if (fields) {
    for (const KnownField& field : *fields) names.push_back(field.name);
  }
  return names;
}

}  // namespace pawl::workflow
