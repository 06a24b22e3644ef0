#include "workflow/check_expectations.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <re2/re2.h>

#include "workflow/keys.hpp"
#include "workflow/known_types.hpp"

namespace pawl::workflow {
namespace {

using Kind = YamlNode::Kind;

bool is_numeric(FieldType type) { return type == FieldType::integer || type == FieldType::number; }

/// Whether an operator applies to values of the type.
bool fits_subject(std::string_view operation, FieldType type) {
  if (operation == "present" || type == FieldType::json) return true;
  if (type == FieldType::file) return false;
  if (operation == "at_least" || operation == "at_most") return is_numeric(type);
  if (operation == "matches" || operation == "min_length" || operation == "max_length") {
    return type == FieldType::string;
  }
  return true;  // equals, not_equals, one_of
}

/// Whether values of the two types can ever be equal.
bool can_be_equal(FieldType a, FieldType b) {
  if (a == FieldType::json || b == FieldType::json) return true;
  return a == b || (is_numeric(a) && is_numeric(b));
}

std::string in_plain_words(FieldType type) {
  switch (type) {
    case FieldType::string:
      return "text";
    case FieldType::integer:
      return "a whole number";
    case FieldType::number:
      return "a number";
    case FieldType::boolean:
      return "true or false";
    case FieldType::json:
      return "json";
    case FieldType::file:
      return "a file";
  }
  return {};
}

class ExpectationCheck {
 public:
  ExpectationCheck(Faults& faults, const KnownTypes& types, const StageDraft& stage,
                   const Expectation& expectation)
      : faults_(faults), types_(types), stage_(stage), expectation_(expectation) {}

  void run(KnownType subject) {
    if (subject && !fits_subject(expectation_.operation, *subject)) {
      faults_.add("E040", expectation_.operation_place,
                  in_quotes(expectation_.operation) + " does not apply to " +
                      std::string(name_of(*subject)),
                  way_out(*subject));
      return;
    }
    check_value(subject);
  }

 private:
  static std::string way_out(FieldType type) {
    std::string fitting;
    for (const std::string& operation : honoured_keys(KeyPlace::expectation)) {
      if (fits_subject(operation, type)) fitting += (fitting.empty() ? "" : ", ") + operation;
    }
    return "the operators for " + std::string(name_of(type)) + " are: " + fitting;
  }

  void misfit(const YamlNode& value, const std::string& wanted) {
    faults_.add(
        "E041", value.place,
        in_quotes(expectation_.operation) + " needs " + wanted + ", not " + in_words(value));
  }

  void check_value(KnownType subject) {
    const YamlNode& value = *expectation_.value;
    const std::string& operation = expectation_.operation;
    const KnownType type = types_.type_of(stage_, value);
    if (operation == "present") {
      if (value.kind != Kind::boolean) misfit(value, "true or false");
    } else if (operation == "at_least" || operation == "at_most") {
      if (type && !is_numeric(*type)) misfit(value, "a number");
    } else if (operation == "min_length" || operation == "max_length") {
      const bool is_negative = value.kind == Kind::integer && value.text.starts_with('-');
      if ((type && *type != FieldType::integer) || is_negative) {
        misfit(value, "a whole number, at least 0");
      }
    } else if (operation == "matches") {
      check_pattern(value, type);
    } else if (operation == "one_of") {
      check_choices(value, subject);
    } else if (subject && type && !can_be_equal(*subject, *type)) {
      misfit(value, in_plain_words(*subject));
    }
  }

  void check_pattern(const YamlNode& value, KnownType type) {
    if (type && *type != FieldType::string) return misfit(value, "a regular expression");
    const auto text = Template::parse(value.text);
    if (value.kind != Kind::string || !text || text->has_references()) return;
    const re2::RE2 pattern(value.text, re2::RE2::Quiet);
    if (pattern.ok()) return;
    faults_.add("E042", value.place,
                in_quotes(value.text) + " is not a valid regular expression: " + pattern.error(),
                "use RE2 syntax, and put a pattern with backslashes in single quotes");
  }

  void check_choices(const YamlNode& value, KnownType subject) {
    if (value.kind == Kind::string) {
      const KnownType type = types_.type_of(stage_, value);
      if (type && *type != FieldType::json) misfit(value, "a list");
      return;
    }
    if (value.kind != Kind::list || value.list.empty()) return misfit(value, "a list of values");
    for (const YamlNode& choice : value.list) {
      const KnownType type = types_.type_of(stage_, choice);
      if (subject && type && !can_be_equal(*subject, *type)) {
        misfit(choice, in_plain_words(*subject));
      }
    }
  }

  Faults& faults_;
  const KnownTypes& types_;
  const StageDraft& stage_;
  const Expectation& expectation_;
};

}  // namespace

void check_expectations(Faults& faults, const FileDraft& file) {
  const KnownTypes types(file);
  for (const StageDraft& stage : file.stages) {
    const KnownFields& fields = types.fields_of(stage);
    std::set<std::pair<std::uint32_t, std::uint32_t>> told;
    for (const Expectation& one : stage.expectations) {
      KnownType subject;
      if (one.reference) {
        subject = types.type_of(stage, *one.reference);
      } else if (fields) {
        const KnownField* const field = find_field(fields, one.field->text);
        if (field == nullptr) {
          // A field can have several operators; its fault is reported once.
          if (!told.emplace(one.field->place.line, one.field->place.column).second) continue;
          faults.add_misspelt("E032", one.field->place,
                              "stage " + in_quotes(stage.name) + " declares no output " +
                                  in_quotes(one.field->text),
                              one.field->text, names_of(fields),
                              "its outputs are: " + listed(names_of(fields)));
          continue;
        }
        subject = field->type;
      }
      ExpectationCheck(faults, types, stage, one).run(subject);
    }
  }
}

}  // namespace pawl::workflow
