#include "workflow/read_policies.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "workflow/read_review.hpp"

namespace pawl::workflow {
namespace {

using namespace std::chrono_literals;

constexpr Duration usual_timeout = 1h;
/// The backoff of a file whose `retry` does not set one.
constexpr Backoff usual_backoff{.initial = 1s, .max = 1min, .multiplier = 2.0, .jitter = 0.1};
constexpr double factor_max = 1000.0;

Backoff read_backoff(Faults& faults, const Value& value) {
  Backoff backoff = usual_backoff;
  if (!expect_map(faults, value)) return backoff;
  const MapReader reader(faults, value.node, KeyPlace::backoff, value.what);
  if (const auto from = reader.with("from", read_duration, Zero::allowed)) backoff.initial = *from;
  backoff.max = std::max(backoff.max, backoff.initial);
  if (const auto to = reader.with("to", read_duration, Zero::refused)) {
    backoff.max = *to;
    if (*to < backoff.initial) {
      const Value written = *reader.find("to");
      faults.add("E023", written.node.place, written.what + " is shorter than `from`",
                 "delays grow from `from` to `to`");
    }
  }
  if (const auto factor = reader.with("factor", read_number, 1.0, factor_max)) {
    backoff.multiplier = *factor;
  }
  if (const auto jitter = reader.with("jitter", read_number, 0.0, 1.0)) backoff.jitter = *jitter;
  return backoff;
}

/// The retry policies that a file can name.
const std::map<std::string, RetryPolicy>& retry_presets() {
  static const std::map<std::string, RetryPolicy> presets{{"none", RetryPolicy::none()},
                                                          {"service", RetryPolicy::service()},
                                                          {"task", RetryPolicy::task()},
                                                          {"batch", RetryPolicy::batch()}};
  return presets;
}

std::optional<Retrying> read_preset(Faults& faults, const Value& value) {
  std::vector<std::string> names;
  for (const auto& [name, policy] : retry_presets()) names.push_back(name);
  const auto name = read_word(faults, value, names);
  if (!name) return Retrying{};
  const RetryPolicy& preset = retry_presets().at(*name);
  return Retrying{.attempts = preset.max_attempts, .backoff = preset.backoff};
}

std::optional<Retrying> read_retry(Faults& faults, const Value& value) {
  Retrying retry;
  if (value.node.kind == YamlNode::Kind::string) return read_preset(faults, value);
  const std::string meant = value.node.kind == YamlNode::Kind::integer ? value.node.text : "3";
  if (!expect_map(faults, value, "write retry: { attempts: " + meant + " }")) return retry;
  const MapReader reader(faults, value.node, KeyPlace::retry, value.what);
  if (const auto attempts = reader.with("attempts", read_count)) retry.attempts = *attempts;
  if (const auto backoff = reader.find("backoff")) {
    retry.backoff = read_backoff(faults, *backoff);
  } else if (retry.attempts > 1) {
    retry.backoff = usual_backoff;
  }
  return retry;
}

void read_limits(Faults& faults, const Value& value, StageDraft& draft) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, KeyPlace::limits, value.what);
  Limits& limits = draft.definition.limits;
  if (const auto pool = reader.find("pool")) {
    limits.pool = read_text(faults, *pool).value_or("");
    if (!limits.pool.empty()) check_name(faults, pool->node.place, "a pool", limits.pool);
  }
  if (const auto parallel = reader.find("parallel")) {
    draft.parallel_place = parallel->node.place;
    limits.parallel = read_count(faults, *parallel).value_or(0);
  }
  if (const auto rate = reader.find("rate")) {
    draft.rate_place = rate->node.place;
    limits.rate = read_rate(faults, *rate).value_or(Rate{});
  }
}

/// The value of `refine.exhausted`, with its place.
struct Exhausted {
  bool asks_people = false;
  Place place;
};

std::optional<Exhausted> read_refine(Faults& faults, const Value& value, StageDraft& draft) {
  if (!expect_map(faults, value)) return std::nullopt;
  const MapReader reader(faults, value.node, KeyPlace::refine, value.what);
  RetryPolicy& retry = draft.definition.retry;
  if (const auto attempts = reader.with("attempts", read_count)) retry.refine_attempts = *attempts;
  if (const auto delay = reader.with("delay", read_duration, Zero::allowed)) {
    retry.refine_delay = *delay;
  }
  const auto exhausted = reader.find("exhausted");
  if (!exhausted) return std::nullopt;
  const auto word = read_word(faults, *exhausted, {"fail", "review"});
  if (!word) return std::nullopt;
  return Exhausted{.asks_people = *word == "review", .place = exhausted->node.place};
}

void check_exhausted(Faults& faults, const Exhausted& exhausted, ReviewPolicy policy,
                     StageDraft& draft) {
  const bool covers = reviews_on_escalation(policy);
  if (exhausted.asks_people && !covers) {
    faults.add("E046", exhausted.place,
               "stage " + in_quotes(draft.name) +
                   " asks a person when refining is exhausted, but its "
                   "review does not cover that",
               "add review: { when: on_escalation }");
  }
  if (!exhausted.asks_people && covers) {
    faults.add("E046", exhausted.place,
               "stage " + in_quotes(draft.name) +
                   " fails when refining is exhausted, but its review asks a person then",
               "use exhausted: review, or a `when` that does not cover escalation");
  }
  draft.definition.retry.on_exhausted =
      exhausted.asks_people ? OnExhausted::escalate : OnExhausted::fail;
}

}  // namespace

Defaults read_defaults(Faults& faults, const Value& value) {
  Defaults defaults;
  if (!expect_map(faults, value)) return defaults;
  const MapReader reader(faults, value.node, KeyPlace::defaults, value.what);
  defaults.timeout = reader.with("timeout", read_duration, Zero::refused);
  defaults.retry = reader.with("retry", read_retry);
  if (const auto on_failure = reader.find("on_failure")) {
    defaults.on_failure = read_enum<OnFailure>(faults, *on_failure);
    defaults.on_failure_place = on_failure->node.place;
  }
  return defaults;
}

void read_attempt_policies(const MapReader& stage, const Defaults& defaults, StageDraft& draft) {
  Faults& faults = stage.faults();
  RetryPolicy& retry = draft.definition.retry;
  // A workflow file always uses separate caps.
  retry.retry_attempts = 1;
  retry.refine_attempts = 1;
  const auto own_timeout = stage.with("timeout", read_duration, Zero::refused);
  const auto own_retry = stage.with("retry", read_retry);
  if (!draft.is_human()) {
    retry.attempt_timeout = own_timeout.value_or(defaults.timeout.value_or(usual_timeout));
    const Retrying retrying = own_retry.value_or(defaults.retry.value_or(Retrying{}));
    retry.retry_attempts = retrying.attempts;
    retry.backoff = retrying.backoff;
  }
  if (const auto on_failure = stage.find("on_failure")) {
    draft.definition.on_failure =
        read_enum<OnFailure>(faults, *on_failure).value_or(OnFailure::dead_letter);
    draft.on_failure_place = on_failure->node.place;
  } else if (defaults.on_failure) {
    draft.definition.on_failure = *defaults.on_failure;
    draft.on_failure_place = defaults.on_failure_place;
  }
  if (const auto limits = stage.find("limits")) read_limits(faults, *limits, draft);
}

void read_review_policies(const MapReader& stage, StageDraft& draft) {
  Faults& faults = stage.faults();
  std::optional<Exhausted> exhausted;
  if (const auto refine = stage.find("refine")) {
    exhausted = read_refine(faults, *refine, draft);
    if (!stage.has("gates") && !draft.is_human()) {
      faults.add("E045", stage.member("refine")->key_place,
                 "stage " + in_quotes(draft.name) + " has refine, but no gates",
                 "`refine` runs a stage again when a gate rejects its output; add gates:, or use "
                 "retry: for failures");
    }
  }
  std::optional<ReviewPolicy> policy = ReviewPolicy::never;
  if (const auto review = stage.find("review")) policy = read_review(faults, *review, draft);
  if (exhausted && policy) check_exhausted(faults, *exhausted, *policy, draft);
}

}  // namespace pawl::workflow
