#include "pawl/codec/workflow.hpp"

#include <utility>

#include "codec/object_reader.hpp"
#include "codec/object_writer.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {

using namespace codec;

namespace {

void append_backoff(std::string& out, const Backoff& value) {
  const Backoff usual;
  ObjectWriter object(out);
  object.write_unless("initial_us", value.initial, usual.initial);
  object.write_unless("max_us", value.max, usual.max);
  object.write_unless("multiplier", value.multiplier, usual.multiplier);
  object.write_unless("jitter", value.jitter, usual.jitter);
}

void append_retry(std::string& out, const RetryPolicy& value) {
  const RetryPolicy usual;
  ObjectWriter object(out);
  object.write_unless("max_attempts", value.max_attempts, usual.max_attempts);
  object.write_if_set("retry_attempts", value.retry_attempts);
  object.write_if_set("refine_attempts", value.refine_attempts);
  if (value.backoff != usual.backoff) append_backoff(object.member("backoff"), value.backoff);
  object.write_unless("refine_delay_us", value.refine_delay, usual.refine_delay);
  object.write_unless("on_exhausted", value.on_exhausted, usual.on_exhausted);
  object.write_unless("attempt_timeout_us", value.attempt_timeout, usual.attempt_timeout);
  object.write_unless("gate_timeout_us", value.gate_timeout, usual.gate_timeout);
  object.write_unless("max_rate_limit_waits", value.max_rate_limit_waits,
                      usual.max_rate_limit_waits);
  object.write_unless("max_retry_after_us", value.max_retry_after, usual.max_retry_after);
  object.write_unless("max_interruptions", value.max_interruptions, usual.max_interruptions);
}

void append_gates(std::string& out, const std::vector<GateRef>& gates) {
  out += '[';
  for (const GateRef& gate : gates) {
    if (&gate != &gates.front()) out += ',';
    ObjectWriter object(out);
    object.write("name", gate.name);
    object.write_unless("advisory", gate.advisory, false);
    object.write_unless("on_uncertain", gate.on_uncertain, OnUncertain::review);
    object.write_unless("timeout_us", gate.timeout, Duration{0});
  }
  out += ']';
}

void append_review_rules(std::string& out, const ReviewRules& value) {
  const ReviewRules usual;
  ObjectWriter object(out);
  object.write_unless("assign", value.assign, usual.assign);
  object.write_unless("approvals", value.approvals, usual.approvals);
  object.write_unless("self_approval", value.self_approval, usual.self_approval);
  object.write_unless("due_us", value.due, usual.due);
  object.write_unless("overdue", value.overdue, usual.overdue);
  object.write_unless("escalate_to", value.escalate_to, usual.escalate_to);
  object.write_unless("bulk", value.bulk, usual.bulk);
  object.write_unless("show_main", value.show_main, usual.show_main);
  object.write_unless("show_beside", value.show_beside, usual.show_beside);
  object.write_unless("reasons", value.reasons, usual.reasons);
}

void append_limits(std::string& out, const Limits& value) {
  ObjectWriter object(out);
  object.write_unless("pool", value.pool, {});
  object.write_unless<std::uint32_t>("parallel", value.parallel, 0);
  if (value.rate != Rate{}) {
    ObjectWriter rate(object.member("rate"));
    rate.write("count", value.rate.count);
    rate.write("per_us", value.rate.per);
  }
}

void append_tolerance(std::string& out, const Tolerance& value) {
  ObjectWriter object(out);
  object.write_if_set("count", value.count);
  object.write_if_set("percent", value.percent);
}

void append_stage(std::string& out, const StageDefinition& stage) {
  const StageDefinition usual;
  ObjectWriter object(out);
  object.write("name", stage.name);
  object.write_unless("needs", stage.needs, usual.needs);
  object.write_unless("handler", stage.handler, usual.handler);
  object.write_unless("scope", stage.scope, usual.scope);
  if (!stage.gates.empty()) append_gates(object.member("gates"), stage.gates);
  object.write_unless("gate_mode", stage.gate_mode, usual.gate_mode);
  if (stage.retry != usual.retry) append_retry(object.member("retry"), stage.retry);
  object.write_unless("review", stage.review, usual.review);
  if (stage.review_rules != usual.review_rules) {
    append_review_rules(object.member("review_rules"), stage.review_rules);
  }
  object.write_unless("editable", stage.editable, usual.editable);
  object.write_unless("rejected", stage.rejected, usual.rejected);
  object.write_unless("changes_rerun", stage.changes_rerun, usual.changes_rerun);
  object.write_unless("on_failure", stage.on_failure, usual.on_failure);
  if (stage.limits != usual.limits) append_limits(object.member("limits"), stage.limits);
  if (stage.tolerate_failures != usual.tolerate_failures) {
    append_tolerance(object.member("tolerate_failures"), stage.tolerate_failures);
  }
  object.write_unless("conditional", stage.conditional, usual.conditional);
  object.write_unless("joins", stage.joins, usual.joins);
  object.write_unless("decider", stage.decider, usual.decider);
  object.write_unless("params", stage.params, usual.params);
}

/// Reads the parts of one stage.
class StageReader {
 public:
  explicit StageReader(const Json& json) : json_(json) {
    const auto text = field(json, "name").string();
    stage_ = text ? "stage '" + *text + "'" : "a stage without a name";
  }

  Status read(StageDefinition& stage) const {
    return reader(json_, {})
        .need("name", stage.name)
        .read("needs", stage.needs)
        .read("handler", stage.handler)
        .read("scope", stage.scope)
        .read_list("gates", stage.gates,
                   [&](const Json& json, GateRef& gate) { return read_gate(json, gate); })
        .read("gate_mode", stage.gate_mode)
        .read_with("retry", [&](const Json& json) { return read_retry(json, stage.retry); })
        .read("review", stage.review)
        .read_with("review_rules",
                   [&](const Json& json) { return read_review_rules(json, stage.review_rules); })
        .read("editable", stage.editable)
        .read("rejected", stage.rejected)
        .read("changes_rerun", stage.changes_rerun)
        .read("on_failure", stage.on_failure)
        .read_with("limits", [&](const Json& json) { return read_limits(json, stage.limits); })
        .read_with("tolerate_failures",
                   [&](const Json& json) { return read_tolerance(json, stage.tolerate_failures); })
        .read("conditional", stage.conditional)
        .read("joins", stage.joins)
        .read("decider", stage.decider)
        .read("params", stage.params)
        .finish();
  }

 private:
  [[nodiscard]] ObjectReader reader(const Json& json, const std::string& part) const {
    return ObjectReader(json, part.empty() ? stage_ : part + " of " + stage_, ErrorCode::invalid);
  }

  Status read_gate(const Json& json, GateRef& gate) const {
    return reader(json, "a gate")
        .need("name", gate.name)
        .read("advisory", gate.advisory)
        .read("on_uncertain", gate.on_uncertain)
        .read("timeout_us", gate.timeout)
        .finish();
  }

  Status read_backoff(const Json& json, Backoff& backoff) const {
    return reader(json, "backoff")
        .read("initial_us", backoff.initial)
        .read("max_us", backoff.max)
        .read("multiplier", backoff.multiplier)
        .read("jitter", backoff.jitter)
        .finish();
  }

  Status read_retry(const Json& json, RetryPolicy& retry) const {
    return reader(json, "retry")
        .read("max_attempts", retry.max_attempts)
        .read("retry_attempts", retry.retry_attempts)
        .read("refine_attempts", retry.refine_attempts)
        .read_with("backoff", [&](const Json& part) { return read_backoff(part, retry.backoff); })
        .read("refine_delay_us", retry.refine_delay)
        .read("on_exhausted", retry.on_exhausted)
        .read("attempt_timeout_us", retry.attempt_timeout)
        .read("gate_timeout_us", retry.gate_timeout)
        .read("max_rate_limit_waits", retry.max_rate_limit_waits)
        .read("max_retry_after_us", retry.max_retry_after)
        .read("max_interruptions", retry.max_interruptions)
        .finish();
  }

  Status read_review_rules(const Json& json, ReviewRules& rules) const {
    return reader(json, "review_rules")
        .read("assign", rules.assign)
        .read("approvals", rules.approvals)
        .read("self_approval", rules.self_approval)
        .read("due_us", rules.due)
        .read("overdue", rules.overdue)
        .read("escalate_to", rules.escalate_to)
        .read("bulk", rules.bulk)
        .read("show_main", rules.show_main)
        .read("show_beside", rules.show_beside)
        .read("reasons", rules.reasons)
        .finish();
  }

  Status read_rate(const Json& json, Rate& rate) const {
    return reader(json, "rate").need("count", rate.count).need("per_us", rate.per).finish();
  }

  Status read_limits(const Json& json, Limits& limits) const {
    return reader(json, "limits")
        .read("pool", limits.pool)
        .read("parallel", limits.parallel)
        .read_with("rate", [&](const Json& part) { return read_rate(part, limits.rate); })
        .finish();
  }

  Status read_tolerance(const Json& json, Tolerance& tolerance) const {
    return reader(json, "tolerate_failures")
        .read("count", tolerance.count)
        .read("percent", tolerance.percent)
        .finish();
  }

  const Json& json_;
  std::string stage_;
};

}  // namespace

Json describe(const WorkflowDefinition& definition) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("workflow", definition.name);
    object.member("stages") += '[';
    for (const StageDefinition& stage : definition.stages) {
      if (&stage != &definition.stages.front()) out += ',';
      append_stage(out, stage);
    }
    out += ']';
  }
  return Json::trusted(std::move(out));
}

Result<WorkflowDefinition> definition_from(const Json& description) {
  WorkflowDefinition definition;
  ObjectReader reader(description, "the workflow", ErrorCode::invalid);
  reader.need("workflow", definition.name)
      .read_list("stages", definition.stages, [](const Json& json, StageDefinition& stage) {
        return StageReader(json).read(stage);
      });
  if (Status read = reader.finish(); !read) return std::unexpected(read.error());
  return definition;
}

std::expected<Workflow, std::vector<Error>> compile(WorkflowDefinition definition) {
  std::vector<Error> faults = faults_of(definition);
  if (!faults.empty()) return std::unexpected(std::move(faults));
  std::string hash = sha256_hex(canonical(describe(definition)).text());
  return Workflow::from_checked(std::move(definition), std::move(hash));
}

Result<Workflow> workflow_from(const Json& description) {
  Result<WorkflowDefinition> definition = definition_from(description);
  if (!definition) return std::unexpected(definition.error());
  auto workflow = compile(std::move(*definition));
  if (workflow) return std::move(*workflow);
  Error first = workflow.error().front();
  if (const std::size_t more = workflow.error().size() - 1; more > 0) {
    first.message += " (and " + std::to_string(more) + " more)";
  }
  return std::unexpected(std::move(first));
}

}  // namespace pawl
