#include "actions/judgements.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "actions/expect.hpp"
#include "actions/log_text.hpp"
#include "actions/output_types.hpp"
#include "runtime/judge.hpp"

namespace pawl::actions {

using workflow::JsonSchema;
using workflow::SchemaFinding;

namespace {

Judgement judgement_of(std::vector<Criterion> criteria, std::string summary) {
  const bool all_met = std::ranges::all_of(criteria, &Criterion::passed);
  Feedback findings{.summary = std::move(summary), .criteria = std::move(criteria), .guidance = {}};
  return all_met ? accepted(std::move(findings)) : rejected(std::move(findings));
}

std::string not_met(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " criterion" : " criteria") + " not met";
}

/// Asks a gate that runs no command.
Result<Judgement> judge(const ActionSpec& action, const GateSpec& gate, const Json& output,
                        const Lookup& lookup) {
  switch (gate.kind) {
    case GateSpec::Kind::expect:
      return judge_expectations(gate.body, output, lookup);
    case GateSpec::Kind::schema: {
      const Result<JsonSchema> schema = JsonSchema::compile(gate.body);
      if (!schema) return std::unexpected(schema.error());
      return judge_schema(*schema, output);
    }
    case GateSpec::Kind::types:
      return judge_types(action, output);
    case GateSpec::Kind::all:
    case GateSpec::Kind::any:
      break;
    case GateSpec::Kind::run:
      return fail(ErrorCode::refused, "it runs a command");
  }
  std::vector<runtime::GateSay> says;
  for (const GateSpec& part : gate.parts) {
    Result<Judgement> said = judge(action, part, output, lookup);
    if (!said) return said;
    says.push_back({.gate = part.name.empty() ? std::to_string(says.size() + 1) : part.name,
                    .judgement = std::move(*said)});
  }
  const std::size_t needed =
      gate.kind == GateSpec::Kind::all ? says.size() : std::size_t{gate.at_least};
  return runtime::combine(needed, says);
}

}  // namespace

Result<Judgement> judge_expectations(const Json& body, const Json& output, const Lookup& lookup) {
  Result<std::vector<Criterion>> criteria = expect(body, output, lookup);
  if (!criteria) return std::unexpected(criteria.error());
  std::string summary = summary_of(*criteria);
  return judgement_of(std::move(*criteria), std::move(summary));
}

Judgement judge_schema(const JsonSchema& schema, const Json& output) {
  std::vector<Criterion> criteria;
  for (const SchemaFinding& finding : schema.check(output)) {
    criteria.push_back({.name = finding.path.empty() ? "output" : finding.path,
                        .expected = finding.expected,
                        .actual = finding.actual,
                        .passed = false});
  }
  if (criteria.empty()) {
    criteria.push_back(
        {.name = "output", .expected = "fits the schema", .actual = "fits", .passed = true});
    return judgement_of(std::move(criteria), "the output fits the schema");
  }
  const std::string summary = not_met(criteria.size());
  return judgement_of(std::move(criteria), summary);
}

Judgement judge_types(const ActionSpec& action, const Json& output) {
  std::vector<Criterion> criteria;
  for (FieldMisfit& misfit : misfits(action.out, output, !action.each.empty())) {
    criteria.push_back({.name = std::move(misfit.field),
                        .expected = std::move(misfit.expected),
                        .actual = std::move(misfit.actual),
                        .passed = false});
  }
  if (criteria.empty()) {
    for (const OutField& field : action.out) {
      criteria.push_back({.name = field.name,
                          .expected = expected_type(field, !action.each.empty()),
                          .actual = shown(value_at(output, field.name)),
                          .passed = true});
    }
    return judgement_of(std::move(criteria), {});
  }
  const std::string summary = not_met(criteria.size());
  return judgement_of(std::move(criteria), summary);
}

std::vector<GateCheck> check_gates(const StageDefinition& stage, const Json& output,
                                   const Lookup& lookup) {
  const Result<ActionSpec> action = action_from(stage.params);
  std::vector<GateCheck> checks;
  for (const GateRef& gate : stage.gates) {
    GateCheck& check = checks.emplace_back();
    check.gate = gate.name;
    check.advisory = gate.advisory;
    const GateSpec* spec = nullptr;
    if (action) {
      const auto found = std::ranges::find(action->gates, gate.name, &GateSpec::name);
      if (found != action->gates.end()) spec = &*found;
    }
    if (spec == nullptr || spec->runs_command()) {
      check.why_not =
          spec == nullptr ? "it is code of the program that runs the stage" : "it runs a command";
      continue;
    }
    Result<Judgement> said = judge(*action, *spec, output, lookup);
    if (!said) {
      check.why_not = said.error().text();
      continue;
    }
    check.assessment = assessment_of(gate.name, std::move(*said));
    check.assessment->advisory = gate.advisory;
  }
  return checks;
}

}  // namespace pawl::actions
