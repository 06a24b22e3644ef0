#include "codec/values.hpp"

#include <array>
#include <utility>

#include "codec/object_reader.hpp"
#include "codec/object_writer.hpp"

namespace pawl::codec {
namespace {

// Deeper than the limit of `parse_json` for outside values, because those are nested in stored
// ones.
constexpr JsonLimits stored_limits{.depth = 1'000, .bytes = static_cast<std::size_t>(-1)};
constexpr ErrorCode corrupt = ErrorCode::corrupt;
constexpr std::string_view gates_key = "gates";
constexpr std::string_view alternatives_key = "alternatives";
constexpr std::string_view action_key = "action";

Status read_value(const Json& json, Criterion& value) {
  return ObjectReader(json, "a stored criterion", corrupt)
      .need("name", value.name)
      .read("expected", value.expected)
      .read("actual", value.actual)
      .read("passed", value.passed)
      .finish();
}

Status read_value(const Json& json, Feedback& value) {
  return ObjectReader(json, "stored feedback", corrupt)
      .need("summary", value.summary)
      .read_list("criteria", value.criteria,
                 [](const Json& one, Criterion& criterion) { return read_value(one, criterion); })
      .read("guidance", value.guidance)
      .finish();
}

Status read_value(const Json& json, Assessment& value) {
  return ObjectReader(json, "a stored assessment", corrupt)
      .need("gate", value.gate)
      .need("verdict", value.verdict)
      .read("advisory", value.advisory)
      .read("summary", value.summary)
      .read_list("criteria", value.criteria,
                 [](const Json& one, Criterion& criterion) { return read_value(one, criterion); })
      .read_list("parts", value.parts,
                 [](const Json& one, Assessment& part) { return read_value(one, part); })
      .finish();
}

Status read_value(const Json& json, std::vector<Assessment>& value) {
  if (!is_array(json)) return fail(corrupt, "stored assessments must be a list");
  for (const Json& element : elements(json)) {
    if (Status read = read_value(element, value.emplace_back()); !read) return read;
  }
  return {};
}

Status read_alternatives(const Json& json, std::vector<Json>& value) {
  if (!is_array(json)) return fail(corrupt, "stored alternatives must be a list");
  value = elements(json);
  return {};
}

/// What is not the feedback's own stands beside its members.
Status read_value(const Json& json, Findings& value) {
  if (!is_object(json)) return fail(corrupt, "stored feedback must be an object");
  bool has_others = false;
  std::vector<std::pair<std::string, Json>> rest;
  for (auto& [key, member] : members(json)) {
    Status read;
    if (key == gates_key) {
      read = read_value(member, value.assessments);
    } else if (key == alternatives_key) {
      read = read_alternatives(member, value.alternatives);
    } else if (key == action_key) {
      value.action = member;
    } else {
      rest.emplace_back(key, member);
      continue;
    }
    if (!read) return read;
    has_others = true;
  }
  if (rest.empty() && has_others) return {};
  return read_value(Json::object(rest), value.feedback.emplace());
}

Status read_value(const Json& json, StageError& value) {
  return ObjectReader(json, "a stored stage error", corrupt)
      .need("class", value.error_class)
      .need("kind", value.kind)
      .read("code", value.code)
      .read("message", value.message)
      .read("retry_after_us", value.retry_after)
      .read("details", value.details)
      .read("classified_by", value.classified_by)
      .finish();
}

Status read_value(const Json& json, ArtifactRecord& value) {
  return ObjectReader(json, "a stored artifact", corrupt)
      .need("kind", value.kind)
      .read("name", value.name)
      .read("ref", value.reference)
      .read("sha256", value.sha256)
      .read("size", value.size)
      .read("summary", value.summary)
      .finish();
}

Status read_value(const Json& json, std::vector<ArtifactRecord>& value) {
  if (!is_array(json)) return fail(corrupt, "stored artifacts must be a list");
  for (const Json& element : elements(json)) {
    if (Status read = read_value(element, value.emplace_back()); !read) return read;
  }
  return {};
}

Status read_value(const Json& json, Usage& value) {
  return ObjectReader(json, "stored usage", corrupt)
      .read("cost_microusd", value.cost_microusd)
      .read("tokens", value.tokens)
      .finish();
}

Status read_value(const Json& json, Budget& value) {
  return ObjectReader(json, "a stored budget", corrupt)
      .read("max_total_attempts", value.max_total_attempts)
      .read("max_attempts_per_task", value.max_attempts_per_task)
      .read("deadline_us", value.deadline)
      .read("no_progress_us", value.no_progress)
      .read("no_progress_decisions", value.no_progress_decisions)
      .read("cost_microusd", value.cost_microusd)
      .read("tokens", value.tokens)
      .read("exhausted", value.exhausted)
      .finish();
}

Status read_value(const Json& json, Tolerance& value) {
  return ObjectReader(json, "a stored tolerance", corrupt)
      .read("count", value.count)
      .read("percent", value.percent)
      .finish();
}

Status read_value(const Json& json, Rate& value) {
  return ObjectReader(json, "a stored rate", corrupt)
      .need("count", value.count)
      .need("per_us", value.per)
      .finish();
}

Status read_value(const Json& json, Limits& value) {
  return ObjectReader(json, "stored limits", corrupt)
      .read("pool", value.pool)
      .read("parallel", value.parallel)
      .read_with("rate", [&](const Json& rate) { return read_value(rate, value.rate); })
      .finish();
}

Status read_value(const Json& json, Answer& value) {
  return ObjectReader(json, "a stored answer", corrupt)
      .need("outcome", value.outcome)
      .read("reviewer", value.reviewer)
      .read("note", value.note)
      .read("attempt", value.attempt)
      .read("edits", value.edits)
      .read("digest", value.digest)
      .read("effective_at", value.effective_at)
      .finish();
}

Status read_value(const Json& json, Counts& value) {
  const std::array<std::uint32_t*, 5> places{&value.failures, &value.rejections,
                                             &value.rate_limit_waits, &value.interruptions,
                                             &value.attempts};
  const std::vector<Json> numbers = elements(json);
  if (numbers.size() != places.size()) return fail(corrupt, "stored counts must be five numbers");
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (const Fit fit = decode(numbers[i], *places[i])) {
      return fail(corrupt, "a stored count " + fit->wanted);
    }
  }
  return {};
}

Status read_value(const Json& json, Decision& value) {
  return ObjectReader(json, "a stored decision", corrupt)
      .need("kind", value.kind)
      .need("rule", value.rule)
      .read("next_run_at", value.next_run_at)
      .read("next_cause", value.next_cause)
      .read("review_reason", value.review_reason)
      .read("fail_cause", value.fail_cause)
      .read("cancel_cause", value.cancel_cause)
      .read("new_round", value.new_round)
      .read_with("counts", [&](const Json& counts) { return read_value(counts, value.counts); })
      .read("reason", value.reason)
      .finish();
}

void append_json(std::string& out, const Criterion& value) {
  ObjectWriter object(out);
  object.write("name", value.name);
  object.write_unless("expected", value.expected, {});
  object.write_unless("actual", value.actual, {});
  object.write_unless("passed", value.passed, false);
}

void append_json(std::string& out, const ArtifactRecord& value) {
  ObjectWriter object(out);
  object.write("kind", value.kind);
  object.write_unless("name", value.name, {});
  object.write_unless("ref", value.reference, {});
  object.write_unless("sha256", value.sha256, {});
  object.write_unless<std::int64_t>("size", value.size, 0);
  object.write_unless("summary", value.summary, Json{});
}

void append_json(std::string& out, const Assessment& value);

template <class T>
void append_list(std::string& out, const std::vector<T>& values) {
  out += '[';
  for (const T& value : values) {
    if (&value != &values.front()) out += ',';
    append_json(out, value);
  }
  out += ']';
}

void append_json(std::string& out, const Assessment& value) {
  ObjectWriter object(out);
  object.write("gate", value.gate);
  object.write("verdict", value.verdict);
  object.write_unless("advisory", value.advisory, false);
  object.write_unless("summary", value.summary, {});
  if (!value.criteria.empty()) append_list(object.member("criteria"), value.criteria);
  if (!value.parts.empty()) append_list(object.member("parts"), value.parts);
}

void write_members(ObjectWriter& object, const Feedback& value) {
  object.write("summary", value.summary);
  if (!value.criteria.empty()) append_list(object.member("criteria"), value.criteria);
  object.write_unless("guidance", value.guidance, Json{});
}

}  // namespace

void append_json(std::string& out, const std::vector<Assessment>& value) {
  append_list(out, value);
}

void append_json(std::string& out, const Feedback& value) {
  ObjectWriter object(out);
  write_members(object, value);
}

void append_json(std::string& out, const Findings& value) {
  ObjectWriter object(out);
  if (value.feedback) write_members(object, *value.feedback);
  if (!value.assessments.empty()) append_list(object.member(gates_key), value.assessments);
  if (!value.alternatives.empty()) {
    object.write(alternatives_key, Json::array(value.alternatives));
  }
  object.write_unless(action_key, value.action, Json{});
}

void append_json(std::string& out, const StageError& value) {
  ObjectWriter object(out);
  object.write("class", value.error_class);
  object.write("kind", value.kind);
  object.write_unless("code", value.code, {});
  object.write_unless("message", value.message, {});
  object.write_if_set("retry_after_us", value.retry_after);
  object.write_unless("details", value.details, Json{});
  object.write_unless("classified_by", value.classified_by, {});
}

void append_json(std::string& out, const std::vector<ArtifactRecord>& value) {
  append_list(out, value);
}

void append_json(std::string& out, const Usage& value) {
  ObjectWriter object(out);
  object.write_unless<std::int64_t>("cost_microusd", value.cost_microusd, 0);
  object.write_unless<std::int64_t>("tokens", value.tokens, 0);
}

void append_json(std::string& out, const Budget& value) {
  ObjectWriter object(out);
  object.write_if_set("max_total_attempts", value.max_total_attempts);
  object.write_if_set("max_attempts_per_task", value.max_attempts_per_task);
  object.write_if_set("deadline_us", value.deadline);
  object.write_if_set("no_progress_us", value.no_progress);
  object.write_if_set("no_progress_decisions", value.no_progress_decisions);
  object.write_if_set("cost_microusd", value.cost_microusd);
  object.write_if_set("tokens", value.tokens);
  object.write_unless("exhausted", value.exhausted, OnBudgetEnd::pause);
}

void append_json(std::string& out, const Tolerance& value) {
  ObjectWriter object(out);
  object.write_if_set("count", value.count);
  object.write_if_set("percent", value.percent);
}

void append_json(std::string& out, const Limits& value) {
  ObjectWriter object(out);
  object.write_unless("pool", value.pool, {});
  object.write_unless<std::uint32_t>("parallel", value.parallel, 0);
  if (value.rate != Rate{}) {
    ObjectWriter rate(object.member("rate"));
    rate.write("count", value.rate.count);
    rate.write("per_us", value.rate.per);
  }
}

void append_json(std::string& out, const Answer& value) {
  ObjectWriter object(out);
  object.write("outcome", value.outcome);
  object.write_unless("reviewer", value.reviewer, {});
  object.write_unless("note", value.note, {});
  object.write_if_set("attempt", value.attempt);
  object.write_if_set("edits", value.edits);
  object.write_unless("digest", value.digest, {});
  object.write_unless("effective_at", value.effective_at, no_time);
}

void append_json(std::string& out, const Counts& value) {
  out += '[';
  for (const std::uint32_t count :
       {value.failures, value.rejections, value.rate_limit_waits, value.interruptions}) {
    append_value(out, count);
    out += ',';
  }
  append_value(out, value.attempts);
  out += ']';
}

void append_json(std::string& out, const Decision& value) {
  const Decision usual;
  ObjectWriter object(out);
  object.write("kind", value.kind);
  object.write("rule", value.rule);
  object.write_unless("next_run_at", value.next_run_at, no_time);
  object.write_unless("next_cause", value.next_cause, usual.next_cause);
  object.write_unless("review_reason", value.review_reason, usual.review_reason);
  object.write_unless("fail_cause", value.fail_cause, usual.fail_cause);
  object.write_unless("cancel_cause", value.cancel_cause, usual.cancel_cause);
  object.write_unless("new_round", value.new_round, false);
  if (value.counts != usual.counts) append_json(object.member("counts"), value.counts);
  object.write_unless("reason", value.reason, {});
}

template <class T>
Result<T> from_json_text(std::string_view text) {
  const Result<Json> json = parse_json(text, stored_limits);
  if (!json) return fail(corrupt, "stored JSON is damaged: " + json.error().message);
  T value;
  if (Status read = read_value(*json, value); !read) return std::unexpected(read.error());
  return value;
}

template Result<Feedback> from_json_text(std::string_view);
template Result<Findings> from_json_text(std::string_view);
template Result<std::vector<Assessment>> from_json_text(std::string_view);
template Result<StageError> from_json_text(std::string_view);
template Result<std::vector<ArtifactRecord>> from_json_text(std::string_view);
template Result<Usage> from_json_text(std::string_view);
template Result<Budget> from_json_text(std::string_view);
template Result<Tolerance> from_json_text(std::string_view);
template Result<Limits> from_json_text(std::string_view);
template Result<Answer> from_json_text(std::string_view);
template Result<Counts> from_json_text(std::string_view);
template Result<Decision> from_json_text(std::string_view);

}  // namespace pawl::codec
