#include "pawl/workflow/action.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "codec/field_types.hpp"
#include "codec/object_reader.hpp"
#include "codec/object_writer.hpp"

namespace pawl {

using codec::field_type;
using codec::ObjectReader;

namespace {

using namespace std::string_view_literals;

/// The stored names of the enums of an action. Names may be added, never changed.
constexpr std::array kind_words{"run"sv, "sh"sv, "human"sv};
constexpr std::array capture_words{"file"sv, "json"sv, "text"sv};
constexpr std::array gate_words{"expect"sv, "run"sv, "schema"sv, "types"sv, "all"sv, "any"sv};

template <class E, std::size_t N>
std::string_view word_of(E value, const std::array<std::string_view, N>& words) {
  return words.at(static_cast<std::size_t>(value));
}

/// Reads an optional member that is one of `words`; the index is the number of the enum.
template <class E, std::size_t N>
void read_word(ObjectReader& object, std::string_view key, E& out,
               const std::array<std::string_view, N>& words, const std::string& what) {
  object.read_with(key, [&](const Json& value) -> Status {
    const Result<std::string> text = JsonView(value).string();
    for (std::size_t i = 0; i < N; ++i) {
      if (text != words.at(i)) continue;
      out = static_cast<E>(i);
      return {};
    }
    return fail(ErrorCode::invalid,
                what + ": '" + std::string(key) + "' has the unknown value " + value.text());
  });
}

Json out_document(const std::vector<OutField>& fields) {
  std::vector<std::pair<std::string, Json>> types;
  types.reserve(fields.size());
  for (const OutField& field : fields) types.emplace_back(field.name, name_of(field.type));
  return Json::object(types);
}

template <class Value>
Json object_of(const std::vector<std::pair<std::string, Value>>& members) {
  const std::vector<std::pair<std::string, Json>> values(members.begin(), members.end());
  return Json::object(values);
}

Json list_of(const std::vector<int>& numbers) {
  const std::vector<Json> values(numbers.begin(), numbers.end());
  return Json::array(values);
}

void append_gates(std::string& out, const std::vector<GateSpec>& gates) {
  out += '[';
  for (const GateSpec& gate : gates) {
    if (&gate != &gates.front()) out += ',';
    codec::ObjectWriter object(out);
    object.write_unless("name", gate.name, {});
    if (gate.kind != GateSpec::Kind::expect) object.write("kind", word_of(gate.kind, gate_words));
    object.write_unless("body", gate.body, Json());
    object.write_unless("argv", gate.argv, {});
    if (gate.at_least != 1) object.write("at_least", std::int64_t{gate.at_least});
    if (!gate.parts.empty()) append_gates(object.member("parts"), gate.parts);
  }
  out += ']';
}

Status read_part(const Json& value, GateSpec& gate) {
  const std::string what = "a gate of an action";
  ObjectReader object(value, what, ErrorCode::invalid);
  object.read("name", gate.name).read("body", gate.body).read("argv", gate.argv);
  object.read("at_least", gate.at_least).read_list("parts", gate.parts, read_part);
  read_word(object, "kind", gate.kind, gate_words, what);
  return object.finish();
}

Status read_gate(const Json& value, GateSpec& gate) {
  if (Status read = read_part(value, gate); !read) return read;
  if (!gate.name.empty()) return {};
  return fail(ErrorCode::invalid, "a gate of an action: 'name' is missing");
}

Status read_out(const Json& value, std::vector<OutField>& out) {
  if (!is_object(value)) return fail(ErrorCode::invalid, "an action's 'out' must be an object");
  for (const auto& [name, type] : members(value)) {
    const std::optional<FieldType> known = field_type(JsonView(type).string().value_or(""));
    if (!known) {
      return fail(ErrorCode::invalid,
                  "an action's output '" + name + "' has the unknown type " + type.text());
    }
    out.push_back({name, *known});
  }
  return {};
}

Status read_env(const Json& value, std::vector<std::pair<std::string, std::string>>& env) {
  if (!is_object(value)) return fail(ErrorCode::invalid, "an action's 'env' must be an object");
  for (const auto& [name, text] : members(value)) {
    const Result<std::string> plain = JsonView(text).string();
    if (!plain) {
      return fail(ErrorCode::invalid, "an action's variable '" + name + "' must be text");
    }
    env.emplace_back(name, *plain);
  }
  return {};
}

Status read_in(const Json& value, std::vector<std::pair<std::string, Json>>& in) {
  if (!is_object(value)) return fail(ErrorCode::invalid, "an action's 'in' must be an object");
  in = members(value);
  return {};
}

Status read_codes(const Json& value, std::vector<int>& codes) {
  if (!is_array(value)) return fail(ErrorCode::invalid, "exit codes must be a list");
  for (const Json& element : elements(value)) {
    const Result<std::int64_t> code = JsonView(element).integer();
    if (!code || *code < 0 || *code > 255) {
      return fail(ErrorCode::invalid, element.text() + " is not an exit code");
    }
    codes.push_back(static_cast<int>(*code));
  }
  return {};
}

}  // namespace

bool GateSpec::runs_command() const {
  return kind == Kind::run || std::ranges::any_of(parts, &GateSpec::runs_command);
}

Json describe(const ActionSpec& action) {
  const ActionSpec usual;
  std::string text;
  {
    codec::ObjectWriter object(text);
    if (action.kind != usual.kind) object.write("kind", word_of(action.kind, kind_words));
    object.write_unless("argv", action.argv, usual.argv);
    object.write_unless("script", action.script, usual.script);
    if (!action.in.empty()) object.write("in", object_of(action.in));
    if (!action.out.empty()) object.write("out", out_document(action.out));
    if (action.capture != usual.capture) {
      object.write("capture", word_of(action.capture, capture_words));
    }
    if (!action.env.empty()) object.write("env", object_of(action.env));
    object.write_unless("dir", action.dir, usual.dir);
    object.write_unless("secrets", action.secrets, usual.secrets);
    if (!action.retryable_exits.empty()) {
      object.write("retryable_exits", list_of(action.retryable_exits));
    }
    if (!action.final_exits.empty()) object.write("final_exits", list_of(action.final_exits));
    object.write_unless("when", action.when, usual.when);
    object.write_unless("each", action.each, usual.each);
    object.write_unless("each_id", action.each_id, usual.each_id);
    if (!action.gates.empty()) append_gates(object.member("gates"), action.gates);
    object.write_unless("instructions", action.instructions, usual.instructions);
    object.write_unless("show", action.show, usual.show);
    object.write_unless("description", action.description, usual.description);
  }
  return Json::trusted(std::move(text));
}

Result<ActionSpec> action_from(const Json& params) {
  const std::string what = "the action of a stage";
  ActionSpec action;
  ObjectReader object(params, what, ErrorCode::invalid);
  read_word(object, "kind", action.kind, kind_words, what);
  object.read("argv", action.argv).read("script", action.script);
  object.read_with("in", [&](const Json& value) { return read_in(value, action.in); });
  object.read_with("out", [&](const Json& value) { return read_out(value, action.out); });
  read_word(object, "capture", action.capture, capture_words, what);
  object.read_with("env", [&](const Json& value) { return read_env(value, action.env); });
  object.read("dir", action.dir).read("secrets", action.secrets);
  object.read_with("retryable_exits",
                   [&](const Json& value) { return read_codes(value, action.retryable_exits); });
  object.read_with("final_exits",
                   [&](const Json& value) { return read_codes(value, action.final_exits); });
  object.read("when", action.when).read("each", action.each).read("each_id", action.each_id);
  object.read_list("gates", action.gates, read_gate);
  object.read("instructions", action.instructions).read("show", action.show);
  object.read("description", action.description);
  if (const Status read = object.finish(); !read) return std::unexpected(read.error());
  return action;
}

}  // namespace pawl
