#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "pawl/codec/json.hpp"
#include "pawl/core/workflow.hpp"
#include "workflow/schema_rules.hpp"

namespace pawl::workflow {

namespace {

using Kind = JsonTree::Kind;

constexpr std::size_t subschemas_max = 20'000;
constexpr std::size_t depth_max = 200;

constexpr std::array<std::pair<std::string_view, SchemaType>, 7> type_names{{
    {"null", SchemaType::null},
    {"boolean", SchemaType::boolean},
    {"integer", SchemaType::integer},
    {"number", SchemaType::number},
    {"string", SchemaType::string},
    {"array", SchemaType::array},
    {"object", SchemaType::object},
}};

/// These keywords restrict values, so ignoring them would let wrong values pass.
constexpr std::array<std::string_view, 4> not_supported{"unevaluatedItems", "unevaluatedProperties",
                                                        "$dynamicRef", "$recursiveRef"};

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Decodes "%25" to "%", as in every URI fragment.
std::string without_percent_signs(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? digit_of(text[i + 1]) : -1;
    const int low = high >= 0 ? digit_of(text[i + 2]) : -1;
    if (low < 0) {
      plain += text[i];
      continue;
    }
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

/// Decodes "~1" to "/" and "~0" to "~", as in every JSON pointer.
std::string without_tildes(std::string_view token) {
  std::string plain;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool is_escape = token[i] == '~' && i + 1 < token.size();
    if (is_escape && token[i + 1] == '1') {
      plain += '/';
      ++i;
    } else if (is_escape && token[i + 1] == '0') {
      plain += '~';
      ++i;
    } else {
      plain += token[i];
    }
  }
  return plain;
}

/// Patterns are written for JavaScript: \u00e9 there is \x{00e9} in RE2.
std::string in_re2(std::string_view pattern) {
  std::string ours;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '\\' || i + 1 >= pattern.size()) {
      ours += pattern[i];
      continue;
    }
    const std::string_view hex = pattern.substr(std::min(i + 2, pattern.size()), 4);
    const bool is_code = pattern[i + 1] == 'u' && hex.size() == 4 &&
                         hex.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (is_code) {
      ((ours += "\\x{") += hex) += '}';
      i += 5;
    } else {
      (ours += pattern[i]) += pattern[i + 1];
      ++i;
    }
  }
  return ours;
}

class Compiler {
 public:
  explicit Compiler(const JsonTree& root) : root_(root) {
    if (const JsonTree* const id = root.find("$id")) id_ = id->text.substr(0, id->text.find('#'));
    if (const JsonTree* const draft = root.find("$schema")) {
      for (const std::string_view old : {"draft-04", "draft-06", "draft-07"}) {
        ignores_beside_reference_ |= draft->text.find(old) != std::string::npos;
      }
    }
    collect_anchors(root, 0);
  }

  Result<SchemaRules> compile() && {
    rules_.root = rule(root_, "#");
    if (fault_) return std::unexpected(*std::move(fault_));
    return std::move(rules_);
  }

 private:
  void refuse(const std::string& at, std::string_view what, std::string help = {}) {
    if (fault_) return;
    fault_ =
        Error{ErrorCode::invalid, "JSON Schema, " + at + ": " + std::string(what), std::move(help)};
  }

  void collect_anchors(const JsonTree& schema, std::size_t depth) {
    if (depth > depth_max) return;
    for (const auto& [key, value] : schema.members) {
      if (key == "$anchor" && value.kind == Kind::string) anchors_.emplace(value.text, &schema);
      const bool is_local_id = key == "$id" && value.text.starts_with('#');
      if (is_local_id) anchors_.emplace(value.text.substr(1), &schema);
      // The values of enum and const are not schemas.
      if (key != "enum" && key != "const") collect_anchors(value, depth + 1);
    }
    for (const JsonTree& element : schema.elements) collect_anchors(element, depth + 1);
  }

  const JsonTree* target_of(std::string_view reference) const {
    if (!id_.empty() && reference.starts_with(id_)) reference.remove_prefix(id_.size());
    if (reference.empty() || reference == "#") return &root_;
    if (!reference.starts_with('#')) return nullptr;
    const std::string pointer = without_percent_signs(reference.substr(1));
    if (!pointer.starts_with('/')) {
      const auto anchor = anchors_.find(pointer);
      return anchor == anchors_.end() ? nullptr : anchor->second;
    }
    const JsonTree* here = &root_;
    std::string_view rest = std::string_view(pointer).substr(1);
    while (here != nullptr) {
      const std::size_t slash = rest.find('/');
      here = child_of(*here, without_tildes(rest.substr(0, slash)));
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
    return here;
  }

  static const JsonTree* child_of(const JsonTree& tree, const std::string& token) {
    if (tree.kind == Kind::object) return tree.find(token);
    const bool is_index = !token.empty() && token.size() < 9 &&
                          token.find_first_not_of("0123456789") == std::string::npos;
    if (tree.kind != Kind::array || !is_index) return nullptr;
    const std::size_t index = std::stoul(token);
    return index < tree.elements.size() ? &tree.elements[index] : nullptr;
  }

  const SchemaRule* rule(const JsonTree& schema, const std::string& at) {
    if (const auto known = known_.find(&schema); known != known_.end()) return known->second;
    if (rules_.rules.size() >= subschemas_max || depth_ >= depth_max) {
      refuse(at, "the schema is too large or too deep");
    }
    if (fault_) return nullptr;
    SchemaRule& made = rules_.rules.emplace_back();
    // Registered before it is read, because it may refer to itself.
    known_.emplace(&schema, &made);
    if (schema.kind == Kind::boolean) {
      made.is_never = !schema.boolean;
    } else if (schema.kind == Kind::object) {
      ++depth_;
      read(schema, at, made);
      --depth_;
    } else {
      refuse(at, "a schema must be an object, true or false");
    }
    return &made;
  }

  const SchemaRule* rule_in(const JsonTree& schema, std::string_view key, const std::string& at) {
    const JsonTree* const value = schema.find(key);
    return value == nullptr ? nullptr : rule(*value, at + "/" + std::string(key));
  }

  std::vector<const SchemaRule*> rules_in(const JsonTree& schema, std::string_view key,
                                          const std::string& at) {
    std::vector<const SchemaRule*> made;
    const JsonTree* const list = schema.find(key);
    if (list == nullptr) return made;
    const std::string here = at + "/" + std::string(key);
    if (list->kind != Kind::array) refuse(here, "must be a list of schemas");
    for (const JsonTree& each : list->elements) {
      made.push_back(rule(each, here + "/" + std::to_string(made.size())));
    }
    return made;
  }

  std::optional<long double> number_in(const JsonTree& schema, std::string_view key,
                                       const std::string& at) {
    const JsonTree* const value = schema.find(key);
    if (value == nullptr) return std::nullopt;
    if (value->kind != Kind::number) {
      refuse(at + "/" + std::string(key), "must be a number");
      return std::nullopt;
    }
    return value->number;
  }

  std::optional<long double> count_in(const JsonTree& schema, std::string_view key,
                                      const std::string& at) {
    const auto count = number_in(schema, key, at);
    if (count && (std::floor(*count) != *count || *count < 0)) {
      refuse(at + "/" + std::string(key), "must be a whole number, zero or more");
    }
    return count;
  }

  std::vector<std::string> texts_of(const JsonTree& list, const std::string& at) {
    std::vector<std::string> texts;
    if (list.kind != Kind::array) refuse(at, "must be a list of names");
    for (const JsonTree& each : list.elements) {
      if (each.kind != Kind::string) refuse(at, "must be a list of names");
      texts.push_back(each.text);
    }
    return texts;
  }

  const JsonTree* object_in(const JsonTree& schema, std::string_view key, const std::string& at) {
    const JsonTree* const value = schema.find(key);
    if (value != nullptr && value->kind != Kind::object) {
      refuse(at + "/" + std::string(key), "must be an object");
      return nullptr;
    }
    return value;
  }

  SchemaRule::Pattern pattern_of(const std::string& pattern, const std::string& at) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    auto compiled = std::make_shared<const re2::RE2>(in_re2(pattern), options);
    if (!compiled->ok()) {
      refuse(at, "the pattern " + Json(pattern).text() + " is not valid: " + compiled->error(),
             "patterns use RE2 syntax, without lookahead and backreferences");
      return nullptr;
    }
    return compiled;
  }

  void read(const JsonTree& schema, const std::string& at, SchemaRule& made) {
    for (const std::string_view keyword : not_supported) {
      if (schema.find(keyword) != nullptr) {
        refuse(at + "/" + std::string(keyword), "this keyword is not supported");
      }
    }
    if (const JsonTree* const reference = schema.find("$ref")) {
      read_reference(*reference, at + "/$ref", made);
      if (ignores_beside_reference_) return;
    }
    read_values(schema, at, made);
    read_arrays(schema, at, made);
    read_objects(schema, at, made);
    made.all_of = rules_in(schema, "allOf", at);
    made.any_of = rules_in(schema, "anyOf", at);
    made.one_of = rules_in(schema, "oneOf", at);
    made.negated = rule_in(schema, "not", at);
    made.condition = rule_in(schema, "if", at);
    made.then_rule = rule_in(schema, "then", at);
    made.else_rule = rule_in(schema, "else", at);
  }

  void read_reference(const JsonTree& reference, const std::string& at, SchemaRule& made) {
    const JsonTree* const target =
        reference.kind == Kind::string ? target_of(reference.text) : nullptr;
    if (target == nullptr) {
      refuse(at, "there is no schema at " + reference.json.text(),
             "a schema can refer only to itself: \"#/$defs/NAME\"");
      return;
    }
    made.reference = rule(*target, reference.text);
  }

  void read_types(const JsonTree& type, const std::string& at, SchemaRule& made) {
    std::vector<std::string> names;
    if (type.kind == Kind::string) {
      names.push_back(type.text);
    } else {
      names = texts_of(type, at);
    }
    std::vector<std::string> known_names;
    for (const auto& [name, value] : type_names) known_names.emplace_back(name);
    for (const std::string& name : names) {
      const auto* const known =
          std::ranges::find(type_names, name, &decltype(type_names)::value_type::first);
      if (known == type_names.end()) {
        const std::string near = nearest_name(name, known_names);
        refuse(at, "unknown type " + Json(name).text(),
               near.empty() ? "" : "did you mean \"" + near + "\"?");
        return;
      }
      made.types.push_back(known->second);
    }
  }

  void read_values(const JsonTree& schema, const std::string& at, SchemaRule& made) {
    if (const JsonTree* const type = schema.find("type")) read_types(*type, at + "/type", made);
    const auto choice_of = [](const JsonTree& value) {
      return SchemaRule::Choice{canonical(value.json).text(), value.json.text()};
    };
    if (const JsonTree* const choices = schema.find("enum")) {
      if (choices->kind != Kind::array) refuse(at + "/enum", "must be a list of values");
      made.choices.emplace();
      for (const JsonTree& value : choices->elements) made.choices->push_back(choice_of(value));
    }
    if (const JsonTree* const only = schema.find("const")) {
      const SchemaRule::Choice choice = choice_of(*only);
      const bool is_possible =
          !made.choices || std::ranges::find(*made.choices, choice.canonical,
                                             &SchemaRule::Choice::canonical) != made.choices->end();
      made.choices.emplace();
      if (is_possible) made.choices->push_back(choice);
    }
    made.number = {number_in(schema, "minimum", at), number_in(schema, "maximum", at)};
    made.beyond = {number_in(schema, "exclusiveMinimum", at),
                   number_in(schema, "exclusiveMaximum", at)};
    made.multiple_of = number_in(schema, "multipleOf", at);
    if (made.multiple_of && *made.multiple_of <= 0) {
      refuse(at + "/multipleOf", "must be more than zero");
    }
    made.length = {count_in(schema, "minLength", at), count_in(schema, "maxLength", at)};
    if (const JsonTree* const pattern = schema.find("pattern")) {
      if (pattern->kind != Kind::string) refuse(at + "/pattern", "must be text");
      made.pattern = pattern_of(pattern->text, at + "/pattern");
    }
  }

  void read_arrays(const JsonTree& schema, const std::string& at, SchemaRule& made) {
    made.element_count = {count_in(schema, "minItems", at), count_in(schema, "maxItems", at)};
    const JsonTree* const unique = schema.find("uniqueItems");
    made.are_elements_unique = unique != nullptr && unique->boolean;

    // Draft 7 writes the first elements as a list under `items`, and the rest under
    // `additionalItems`.
    const JsonTree* const items = schema.find("items");
    const bool is_draft_7 = items != nullptr && items->kind == Kind::array;
    made.first_elements = rules_in(schema, is_draft_7 ? "items" : "prefixItems", at);
    made.elements = rule_in(schema, is_draft_7 ? "additionalItems" : "items", at);

    made.contains = rule_in(schema, "contains", at);
    made.contains_count = {count_in(schema, "minContains", at),
                           count_in(schema, "maxContains", at)};
  }

  void read_objects(const JsonTree& schema, const std::string& at, SchemaRule& made) {
    made.member_count = {count_in(schema, "minProperties", at),
                         count_in(schema, "maxProperties", at)};
    if (const JsonTree* const required = schema.find("required")) {
      made.required = texts_of(*required, at + "/required");
    }
    if (const JsonTree* const members = object_in(schema, "properties", at)) {
      for (const auto& [key, value] : members->members) {
        made.members.emplace_back(key, rule(value, at + "/properties/" + key));
      }
    }
    if (const JsonTree* const patterns = object_in(schema, "patternProperties", at)) {
      for (const auto& [key, value] : patterns->members) {
        const std::string here = at + "/patternProperties/" + key;
        auto pattern = pattern_of(key, here);
        made.members_by_pattern.emplace_back(std::move(pattern), rule(value, here));
      }
    }
    made.other_members = rule_in(schema, "additionalProperties", at);
    made.member_names = rule_in(schema, "propertyNames", at);
    for (const std::string_view keyword :
         {"dependencies", "dependentRequired", "dependentSchemas"}) {
      const JsonTree* const dependencies = object_in(schema, keyword, at);
      if (dependencies == nullptr) continue;
      for (const auto& [key, value] : dependencies->members) {
        const std::string here = at + "/" + std::string(keyword) + "/" + key;
        SchemaRule::Dependency dependency{.key = key};
        if (value.kind == Kind::array) {
          dependency.required = texts_of(value, here);
        } else {
          dependency.rule = rule(value, here);
        }
        made.dependencies.push_back(std::move(dependency));
      }
    }
  }

  const JsonTree& root_;
  std::string id_;
  bool ignores_beside_reference_ = false;  ///< up to draft 7, keywords beside `$ref` are ignored
  std::map<std::string, const JsonTree*> anchors_;
  std::unordered_map<const JsonTree*, const SchemaRule*> known_;
  SchemaRules rules_;
  std::size_t depth_ = 0;
  std::optional<Error> fault_;
};

}  // namespace

Result<SchemaRules> compile_rules(const Json& schema) {
  const JsonTree tree = tree_of(schema);
  return Compiler(tree).compile();
}

}  // namespace pawl::workflow
