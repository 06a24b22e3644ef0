#include "actions/envelope.hpp"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "codec/object_writer.hpp"
#include "files/private_files.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/results.hpp"

namespace pawl::actions {

namespace {

using Members = std::vector<std::pair<std::string, Json>>;

/// How many earlier outputs are included.
constexpr std::size_t outputs_shown = 2;

void append_item(std::string& out, const Context& context) {
  const auto append = [&](std::string_view key, const Json& value) {
    append_quoted(out, key);
    (out += ':') += value.text();
  };
  out += '{';
  append("id", Json(context.item_key()));
  if (!is_object(context.data())) {
    out += ',';
    append("value", context.data());
  } else {
    for (const auto& [key, value] : members(context.data())) {
      if (key == "id") continue;
      out += ',';
      append(key, value);
    }
  }
  out += '}';
}

void append_attempt(std::string& out, const Context& context) {
  const Task& task = context.task();
  codec::ObjectWriter attempt(out);
  attempt.write("id", std::to_string(task.id.value()) + "-" + std::to_string(context.attempt()));
  attempt.write("number", context.attempt());
  attempt.write("epoch", task.epoch);
  attempt.write("cause", context.cause());
  attempt.write("deadline",
                context.deadline() == no_time ? Json() : Json(rfc3339(context.deadline())));
  attempt.write("idempotency_key", context.idempotency_key());
}

Json feedback_part(const Context& context, const std::vector<Attempt>& history) {
  const auto& feedback = context.feedback();
  if (!feedback) return {};
  std::vector<Json> criteria;
  for (const Criterion& one : feedback->criteria) {
    criteria.push_back(Json::object({{"name", one.name},
                                     {"expected", one.expected},
                                     {"actual", one.actual},
                                     {"passed", one.passed}}));
  }
  return Json::object({{"from", feedback_source(context.cause(), history)},
                       {"summary", feedback->summary},
                       {"criteria", Json::array(criteria)},
                       {"guidance", feedback->guidance}});
}

/// Whether the payload itself is lost, as opposed to not reachable now.
bool is_lost(const Error& error) {
  return error.code == ErrorCode::not_found || error.code == ErrorCode::corrupt;
}

/// The verdicts of all earlier attempts, and the outputs of the newest. An output whose payload is
/// lost is left out: rerunning the stage is the way to restore it.
Result<Json> previous_part(const std::vector<Attempt>& history, Store& store, FileLinks& links) {
  std::vector<Json> list(history.size());
  std::size_t outputs = 0;
  for (std::size_t at = history.size(); at-- > 0;) {
    const Attempt& one = history[at];
    Members fields{{"number", Json(one.number)},
                   {"verdict", one.verdict ? Json(name_of(*one.verdict)) : Json()}};
    if (!one.output.is_null() && outputs < outputs_shown) {
      ++outputs;
      Result<Json> out = whole_output(store.records(), one.output);
      if (out) out = links.with_paths(*out, "out");
      if (!out && !is_lost(out.error())) return out;
      if (out) fields.emplace_back("out", *out);
    }
    list[at] = Json::object(fields);
  }
  return Json::array(list);
}

Result<Json> items_line(const SettledItem& settled, const Workflow& workflow, FileLinks& links) {
  Members outputs;
  for (const StageOutput& one : settled.outputs) {
    if (one.output.is_null()) continue;
    const std::string& stage = workflow.stage(one.stage).name;
    Result<Json> output = links.with_paths(one.output, stage);
    if (!output) return output;
    outputs.emplace_back(stage, std::move(*output));
  }
  return Json::object({{"id", settled.item.key},
                       {"state", name_of(settled.item.state)},
                       {"outputs", Json::object(outputs)}});
}

Status write_items(Context& context, Store& store, Workspace& place) {
  (void)files::make_private_file(place.items());
  std::ofstream file(place.items(), std::ios::binary | std::ios::trunc);
  Status written;
  std::int64_t number = 0;
  const Status read = context.for_each_item([&](const SettledItem& settled) {
    // Each item has its own directory of links: thousands of files may have the same name.
    FileLinks links(store, place.in() + "/items/" + std::to_string(++number));
    const Result<Json> line = items_line(settled, context.workflow(), links);
    if (!line) {
      written = std::unexpected(line.error());
      return false;
    }
    file << line->text() << '\n';
    return static_cast<bool>(file);
  });
  if (!read) return read;
  if (!written) return written;
  file.close();
  if (!file) {
    return fail(ErrorCode::unavailable, "cannot write " + place.items());
  }
  return {};
}

}  // namespace

std::string_view feedback_source(Cause cause, const std::vector<Attempt>& history) {
  // An interruption has no feedback of its own: the attempt continues with that of the one before.
  for (std::size_t at = history.size(); cause == Cause::interrupted && at-- > 0;) {
    cause = history[at].cause;
  }
  switch (cause) {
    case Cause::gate_feedback:
      return "gate";
    case Cause::review_changes:
      return "review";
    case Cause::manual:
      return "operator";
    case Cause::first:
    case Cause::error_retry:
    case Cause::rate_limited:
    case Cause::interrupted:
    case Cause::join:
      return "error";
  }
  return "error";
}

Result<Json> envelope(Context& context, Store& store, Workspace& place, const Json& in,
                      const std::optional<Json>& out) {
  std::vector<Attempt> history;
  if (context.attempt() > 1) {
    Result<std::vector<Attempt>> read = context.history();
    if (!read) return std::unexpected(read.error());
    history = std::move(*read);
  }
  FileLinks& links = place.links();
  std::string text;
  text.reserve(1'024);
  {
    codec::ObjectWriter document(text);
    document.write("protocol", std::int64_t{protocol_version});
    document.write("job", context.job().value());
    document.write("workflow", context.workflow().name());
    document.write("stage", context.stage_name());
    if (!context.task().item) {
      const Status written = write_items(context, store, place);
      if (!written) return std::unexpected(written.error());
      document.write("items_file", place.items());
    } else {
      append_item(document.member("item"), context);
    }
    if (context.child() != nullptr) {
      const Result<Json> each = links.with_paths(context.child()->data, "each");
      if (!each) return each;
      document.write("each", *each);
    }
    append_attempt(document.member("attempt"), context);
    const Result<Json> in_paths = links.with_paths(in, "in");
    if (!in_paths) return in_paths;
    document.write("in", *in_paths);
    document.write("params",
                   context.job_params().is_null() ? Json::object({}) : context.job_params());
    document.write("feedback", feedback_part(context, history));
    const Result<Json> previous = previous_part(history, store, links);
    if (!previous) return previous;
    document.write("previous", *previous);
    if (out) {
      const Result<Json> out_paths = links.with_paths(*out, "out");
      if (!out_paths) return out_paths;
      document.write("out", *out_paths);
    }
  }
  return Json::trusted(std::move(text));
}

}  // namespace pawl::actions
