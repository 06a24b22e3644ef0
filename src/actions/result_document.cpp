#include "actions/result_document.hpp"

#include <cmath>

#include "codec/object_reader.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::actions {

using codec::ObjectReader;

namespace {

constexpr JsonLimits limits{.depth = 64, .bytes = std::size_t{16} << 20U};

/// A hundred years in seconds: a longer wait is a mistake, and durations overflow.
constexpr double seconds_max = 100.0 * 366 * 24 * 3600;
/// A thousand million dollars, and a number of tokens that can be summed without overflow.
constexpr double dollars_max = 1e9;
constexpr std::int64_t tokens_max = 1'000'000'000'000'000;

Status wrong(std::string message) { return fail(ErrorCode::invalid, std::move(message)); }

Status read_outcome(const Json& value, ResultDocument::Kind& outcome) {
  const auto word = JsonView(value).string();
  if (word == "ok") {
    outcome = ResultDocument::Kind::ok;
  } else if (word == "needs_review") {
    outcome = ResultDocument::Kind::needs_review;
  } else if (word == "skipped") {
    outcome = ResultDocument::Kind::skipped;
  } else {
    return wrong("\"outcome\" must be \"ok\", \"needs_review\" or \"skipped\", not " +
                 value.text());
  }
  return {};
}

Status read_object(std::string_view key, const Json& value, Json& out) {
  if (!is_object(value)) return wrong("\"" + std::string(key) + "\" must be an object");
  out = value;
  return {};
}

Status read_class(const Json& value, ErrorClass& out) {
  const auto word = JsonView(value).string();
  const auto known = word ? from_name<ErrorClass>(*word) : std::nullopt;
  if (!known) {
    return wrong(
        "\"class\" of the error must be \"retryable\", \"rate_limited\", \"final\" or \"blocked\", "
        "not " +
        value.text());
  }
  out = *known;
  return {};
}

Status read_wait(const Json& value, std::optional<Duration>& out) {
  if (value.is_null()) return {};
  const auto seconds = JsonView(value).number();
  if (!seconds || *seconds < 0 || *seconds > seconds_max) {
    return wrong("\"retry_after_s\" must be a number of seconds, not " + value.text());
  }
  out = Duration(std::llround(*seconds * 1e6));
  return {};
}

Status read_error(const Json& value, std::optional<StageError>& out) {
  StageError error{.kind = ErrorKind::reported};
  ObjectReader object(value, "\"error\"", ErrorCode::invalid);
  object.read_with("class", [&](const Json& part) { return read_class(part, error.error_class); });
  object.read("code", error.code).read("message", error.message).read("details", error.details);
  object.read_with("retry_after_s",
                   [&](const Json& part) { return read_wait(part, error.retry_after); });
  if (const Status read = object.finish(); !read) return read;
  out = std::move(error);
  return {};
}

Status read_file(const Json& value, NamedFile& file) {
  ObjectReader object(value, "an artifact", ErrorCode::invalid);
  object.need("path", file.path).read("name", file.name).read("type", file.type);
  if (const Status read = object.finish(); !read) return read;
  if (file.name.empty()) file.name = file.path.substr(file.path.rfind('/') + 1);
  return {};
}

Status read_tokens(std::string_view key, const Json& value, std::int64_t& sum) {
  const auto count = JsonView(value).integer();
  if (!count || *count < 0 || *count > tokens_max) {
    return wrong("\"" + std::string(key) + "\" must be a count, not " + value.text());
  }
  sum += *count;
  return {};
}

Status read_criterion(const Json& value, Criterion& criterion) {
  const auto as_text = [](std::string& out) {
    return [&out](const Json& part) -> Status {
      out = JsonView(part).string().value_or(part.text());
      return {};
    };
  };
  ObjectReader object(value, "a criterion", ErrorCode::invalid);
  object.need("name", criterion.name).need("passed", criterion.passed);
  object.read_with("expected", as_text(criterion.expected));
  object.read_with("actual", as_text(criterion.actual));
  return object.finish();
}

Status read_verdict(const Json& value, Verdict& out) {
  const auto word = JsonView(value).string();
  const auto known = word ? from_name<Verdict>(*word) : std::nullopt;
  if (!known) {
    return wrong("\"verdict\" must be \"accepted\", \"rejected\" or \"uncertain\", not " +
                 value.text());
  }
  out = *known;
  return {};
}

}  // namespace

Result<Usage> usage_from(const Json& value, std::string* model) {
  Usage usage;
  std::string named;
  ObjectReader object(value, "\"usage\"", ErrorCode::invalid);
  object.read_with("cost_usd", [&](const Json& part) -> Status {
    const auto dollars = JsonView(part).number();
    if (!dollars || *dollars < 0 || *dollars > dollars_max) {
      return wrong("\"cost_usd\" must be a number of dollars, not " + part.text());
    }
    usage.cost_microusd = std::llround(*dollars * 1e6);
    return {};
  });
  for (const std::string_view key : {"input_tokens", "output_tokens"}) {
    object.read_with(key, [&](const Json& part) { return read_tokens(key, part, usage.tokens); });
  }
  object.read("model", named);
  if (const Status read = object.finish(); !read) return std::unexpected(read.error());
  if (model != nullptr) *model = std::move(named);
  return usage;
}

Result<ResultDocument> parse_result_document(std::string_view text) {
  const Result<Json> json = parse_json(text, limits);
  if (!json) return std::unexpected(json.error());
  if (!is_object(*json)) return fail(ErrorCode::invalid, "not a JSON object");
  ResultDocument document;
  document.output = Json::object({});
  ObjectReader object(*json, "the result", ErrorCode::invalid);
  object.read_with("outcome",
                   [&](const Json& value) { return read_outcome(value, document.outcome); });
  object.read_with(
      "output", [&](const Json& value) { return read_object("output", value, document.output); });
  object.read("summary", document.summary);
  object.read_with("usage", [&](const Json& value) -> Status {
    const Result<Usage> usage = usage_from(value, &document.model);
    if (!usage) return std::unexpected(usage.error());
    document.usage = *usage;
    return {};
  });
  object.read_list("artifacts", document.artifacts, read_file);
  object.read_list("alternatives", document.alternatives, [](const Json& value, Json& one) {
    one = value;
    return Status();
  });
  object.read_with("error", [&](const Json& value) { return read_error(value, document.error); });
  if (const Status read = object.finish(); !read) return std::unexpected(read.error());
  const bool says_both =
      document.error && (field(*json, "output").exists() || field(*json, "outcome").exists());
  if (says_both) {
    return fail(ErrorCode::invalid,
                "it has an \"error\" together with an \"output\" or \"outcome\"");
  }
  return document;
}

Result<VerdictDocument> parse_verdict_document(std::string_view text) {
  const Result<Json> json = parse_json(text, limits);
  if (!json) return std::unexpected(json.error());
  if (!is_object(*json)) return fail(ErrorCode::invalid, "not a JSON object");
  VerdictDocument document;
  ObjectReader object(*json, "the verdict", ErrorCode::invalid);
  if (!field(*json, "verdict").exists()) return fail(ErrorCode::invalid, "it has no \"verdict\"");
  object.read_with("verdict",
                   [&](const Json& value) { return read_verdict(value, document.verdict); });
  object.read("summary", document.feedback.summary);
  object.read_list("criteria", document.feedback.criteria, read_criterion);
  object.read("guidance", document.feedback.guidance);
  object.read_with("usage", [&](const Json& value) -> Status {
    const Result<Usage> usage = usage_from(value);
    if (!usage) return std::unexpected(usage.error());
    document.usage = *usage;
    return {};
  });
  if (const Status read = object.finish(); !read) return std::unexpected(read.error());
  return document;
}

}  // namespace pawl::actions
