#pragma once

/// Arbitrary workflows for property tests.

#include "codec/arbitrary.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::arbitrary {

inline rc::Gen<RetryPolicy> retry() {
  return rc::gen::exec([] {
    RetryPolicy policy;
    policy.max_attempts = *small();
    policy.retry_attempts = *maybe(small());
    policy.refine_attempts = *maybe(small());
    policy.backoff = Backoff{
        .initial = *duration(), .max = *duration(), .multiplier = *number(), .jitter = *number()};
    policy.refine_delay = *duration();
    policy.on_exhausted = *word<OnExhausted>();
    policy.attempt_timeout = *duration();
    policy.gate_timeout = *duration();
    policy.max_rate_limit_waits = *small();
    policy.max_retry_after = *duration();
    policy.max_interruptions = *small();
    return policy;
  });
}

inline rc::Gen<ReviewRules> review_rules() {
  return rc::gen::exec([] {
    return ReviewRules{.assign = *list(text()),
                       .approvals = *small(),
                       .self_approval = *boolean(),
                       .due = *duration(),
                       .overdue = *word<OnOverdue>(),
                       .escalate_to = *list(text()),
                       .bulk = *boolean(),
                       .show_main = *text(),
                       .show_beside = *list(text()),
                       .reasons = *list(text())};
  });
}

/// Not necessarily a valid one.
inline rc::Gen<StageDefinition> stage() {
  return rc::gen::exec([] {
    const auto gate = rc::gen::exec([] {
      return GateRef{.name = *text(),
                     .advisory = *boolean(),
                     .on_uncertain = *word<OnUncertain>(),
                     .timeout = *duration()};
    });
    StageDefinition one;
    one.name = *text();
    one.needs = *list(text());
    one.handler = *text();
    one.scope = *word<Scope>();
    one.gates = *list(gate);
    one.gate_mode = *word<GateMode>();
    if (*boolean()) one.retry = *retry();
    one.review = *word<ReviewPolicy>();
    if (*boolean()) one.review_rules = *review_rules();
    one.editable = *list(text());
    one.changes_rerun = *text();
    one.on_failure = *word<OnFailure>();
    one.limits = *limits();
    one.tolerate_failures = *tolerance();
    one.conditional = *boolean();
    one.joins = *boolean();
    one.decider = *text();
    one.params = *json();
    return one;
  });
}

inline rc::Gen<WorkflowDefinition> definition() {
  return rc::gen::exec(
      [] { return WorkflowDefinition{.name = *text(), .stages = *list(stage())}; });
}

}  // namespace pawl::arbitrary
