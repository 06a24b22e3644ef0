#include "actions/gates.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "actions/attempt_records.hpp"
#include "actions/command_ending.hpp"
#include "actions/envelope.hpp"
#include "actions/expect.hpp"
#include "actions/judgements.hpp"
#include "actions/log_text.hpp"
#include "workflow/json_schema.hpp"

namespace pawl::actions {

using workflow::JsonSchema;

namespace {

[[noreturn]] void cannot_judge(const std::string& why) { throw std::runtime_error(why); }

template <class T>
T value_or_throw(Result<T> result) {
  if (!result) cannot_judge(result.error().text());
  return std::move(*result);
}

/// How the references of a gate are resolved.
Lookup lookup_for(const ActionSpec& action, const GateContext& context) {
  const Json in = value_or_throw(resolve_fields(action.in, lookup_in(context.task)));
  return lookup_in(context.task, in, context.output.json);
}

GateFunction expectation_gate(std::shared_ptr<const ActionSpec> action, Json body) {
  return [action = std::move(action), body = std::move(body)](const GateContext& context,
                                                              const std::stop_token&) {
    return value_or_throw(
        judge_expectations(body, context.output.json, lookup_for(*action, context)));
  };
}

GateFunction schema_gate(JsonSchema schema) {
  return [schema = std::move(schema)](const GateContext& context, const std::stop_token&) {
    return judge_schema(schema, context.output.json);
  };
}

GateFunction types_gate(std::shared_ptr<const ActionSpec> action) {
  return [action = std::move(action)](const GateContext& context, const std::stop_token&) {
    return judge_types(*action, context.output.json);
  };
}

/// What the command reported, in its result document or else on stdout.
std::string verdict_text(const ProcessEnd& end, Workspace& place) {
  if (end.stopped) cannot_judge("it was stopped before it gave a verdict");
  if (end.how == ProcessEnd::How::not_started) cannot_judge(end.fault_text);
  if (end.how != ProcessEnd::How::exited || end.number != 0) {
    const std::string how = end.how == ProcessEnd::How::exited
                                ? "exit " + std::to_string(end.number)
                                : "ended by " + signal_name(end.number);
    const std::string last = last_line(end.err);
    cannot_judge(last.empty() ? how : how + ": " + last);
  }
  auto written = value_or_throw(read_small_file(place.result(), result_bytes_max));
  if (written) return std::move(*written);
  if (!end.captured_all) cannot_judge("its stdout is longer than 16 MiB");
  if (last_line(end.captured).empty()) {
    cannot_judge("it gave no verdict; write one to $PAWL_RESULT or print it");
  }
  return end.captured;
}

Judgement judgement_from(VerdictDocument said) {
  Judgement judgement{.verdict = said.verdict,
                      .feedback = std::move(said.feedback),
                      .reason = {},
                      .usage = said.usage};
  std::string& summary = judgement.feedback.summary;
  if (said.verdict == Verdict::uncertain) {
    judgement.reason = summary.empty() ? "the gate gave no reason" : summary;
  } else if (summary.empty() &&
             (said.verdict == Verdict::rejected || !judgement.feedback.criteria.empty())) {
    summary = summary_of(judgement.feedback.criteria);
  }
  return judgement;
}

void mask_criteria(std::vector<Criterion>& criteria, const Mask& mask) {
  for (Criterion& criterion : criteria) {
    criterion.name = mask.whole(criterion.name);
    criterion.expected = mask.whole(criterion.expected);
    criterion.actual = mask.whole(criterion.actual);
  }
}

void mask_assessment(Assessment& assessment, const Mask& mask) {
  assessment.summary = mask.whole(assessment.summary);
  mask_criteria(assessment.criteria, mask);
  for (Assessment& part : assessment.parts) mask_assessment(part, mask);
}

/// The same gate with the stage's secrets masked in its verdicts and errors, because gates quote
/// what they judge.
GateFunction masked_gate(std::shared_ptr<const ActionServices> services,
                         std::shared_ptr<const ActionSpec> action, GateFunction gate) {
  if (action->secrets.empty()) return gate;
  return [services = std::move(services), action = std::move(action), gate = std::move(gate)](
             const GateContext& context, std::stop_token stop) {
    std::vector<std::string> secrets;
    for (const std::string& name : action->secrets) {
      secrets.push_back(services->variable(name).value_or(""));
    }
    const Mask mask(std::move(secrets));
    try {
      Judgement judgement = gate(context, std::move(stop));
      judgement.reason = mask.whole(judgement.reason);
      Feedback& feedback = judgement.feedback;
      feedback.summary = mask.whole(feedback.summary);
      feedback.guidance = masked(feedback.guidance, mask);
      mask_criteria(feedback.criteria, mask);
      for (Assessment& part : judgement.parts) mask_assessment(part, mask);
      return judgement;
    } catch (const std::exception& error) {
      cannot_judge(mask.whole(error.what()));
    }
  };
}

GateFunction command_gate(std::shared_ptr<const ActionServices> services,
                          std::shared_ptr<const ActionSpec> action,
                          std::vector<std::string> command_line, std::string name) {
  return [services = std::move(services), action = std::move(action),
          command_line = std::move(command_line),
          name = std::move(name)](const GateContext& context, std::stop_token stop) {
    Context& task = context.task;
    Workspace place = value_or_throw(Workspace::make(*services->store, services->options,
                                                     *services->run, task, "-gate-" + name));
    const Json in = value_or_throw(resolve_fields(action->in, lookup_in(task), &place.links()));
    const Lookup lookup = lookup_in(task, in, context.output.json);
    const auto argv = value_or_throw(resolve_command(command_line, lookup, &place.links()));
    auto command = prepare_command(*services, *action, argv, task, lookup, place);
    if (!command) cannot_judge(command.error().message);
    const Json input =
        value_or_throw(envelope(task, *services->store, place, in, context.output.json));
    const ProcessEnd end = run_command(*services, *command, input.text() + "\n", place,
                                       std::move(stop), result_bytes_max);
    Result<VerdictDocument> said = parse_verdict_document(verdict_text(end, place));
    if (!said) cannot_judge("its verdict cannot be read: " + said.error().text());
    return judgement_from(std::move(*said));
  };
}

/// `name` is unique within the stage: it becomes part of the name of a scratch directory.
Result<GateFunction> plain_gate(const std::shared_ptr<const ActionServices>& services,
                                const std::shared_ptr<const ActionSpec>& action,
                                const GateSpec& gate, const std::string& name);

Result<GateFunction> composed_gate(const std::shared_ptr<const ActionServices>& services,
                                   const std::shared_ptr<const ActionSpec>& action,
                                   const GateSpec& gate, const std::string& name) {
  std::vector<NamedGate> parts;
  for (const GateSpec& part : gate.parts) {
    std::string own = part.name.empty() ? std::to_string(parts.size() + 1) : part.name;
    Result<GateFunction> judge = plain_gate(services, action, part, name + "-" + own);
    if (!judge) return judge;
    parts.push_back({.name = std::move(own), .judge = std::move(*judge)});
  }
  const std::size_t needed =
      gate.kind == GateSpec::Kind::all ? parts.size() : std::size_t{gate.at_least};
  if (needed == 0 || needed > parts.size()) {
    return fail(ErrorCode::invalid, "the gate '" + name + "' asks for " + std::to_string(needed) +
                                        " of " + std::to_string(parts.size()) + " gates");
  }
  return at_least(needed, std::move(parts));
}

Result<GateFunction> plain_gate(const std::shared_ptr<const ActionServices>& services,
                                const std::shared_ptr<const ActionSpec>& action,
                                const GateSpec& gate, const std::string& name) {
  switch (gate.kind) {
    case GateSpec::Kind::expect:
      return expectation_gate(action, gate.body);
    case GateSpec::Kind::schema: {
      Result<JsonSchema> schema = JsonSchema::compile(gate.body);
      if (!schema) return std::unexpected(schema.error());
      return schema_gate(std::move(*schema));
    }
    case GateSpec::Kind::types:
      return types_gate(action);
    case GateSpec::Kind::run:
      return command_gate(services, action, gate.argv, name);
    case GateSpec::Kind::all:
    case GateSpec::Kind::any:
      return composed_gate(services, action, gate, name);
  }
  return fail(ErrorCode::invalid, "a gate of an unknown kind");
}

}  // namespace

Result<GateFunction> make_gate(const std::shared_ptr<const ActionServices>& services,
                               const std::shared_ptr<const ActionSpec>& action,
                               const GateSpec& gate) {
  Result<GateFunction> plain = plain_gate(services, action, gate, gate.name);
  if (!plain) return plain;
  return masked_gate(services, action, std::move(*plain));
}

}  // namespace pawl::actions
