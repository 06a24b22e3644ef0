#include "workflow/read_action.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "codec/field_types.hpp"
#include "workflow/scripts.hpp"
#include "workflow/shell_script.hpp"
#include "workflow/templates.hpp"

namespace pawl::workflow {

using codec::field_type;
using codec::field_type_words;

namespace {

using namespace std::string_view_literals;

/// The keys that only commands have: people are not timed out, retried or judged by gates.
constexpr std::array command_keys{"out"sv,     "capture"sv, "env"sv,    "dir"sv,
                                  "secrets"sv, "timeout"sv, "retry"sv,  "exit_codes"sv,
                                  "gates"sv,   "each"sv,    "refine"sv, "limits"sv};

void note_several_actions(const MapReader& stage, const StageDraft& draft) {
  stage.faults().add("E020", draft.place,
                     "stage " + in_quotes(draft.name) + " has more than one action",
                     "a stage needs exactly one of run and sh; make it two stages, or write one "
                     "script");
}

/// The kind of the one action; sets `is_action_known`.
void read_kind(const MapReader& stage, StageDraft& draft) {
  int count = 0;
  for (const std::string_view key : {"run"sv, "sh"sv}) count += stage.has(key) ? 1 : 0;
  for (const std::string_view key : {"http"sv, "agent"sv, "worker"sv}) {
    if (!stage.has_refused(key)) continue;
    ++count;
    draft.is_action_known = false;
  }
  if (count > 1) {
    draft.is_action_known = false;
    note_several_actions(stage, draft);
  }
  draft.action.kind = stage.has("sh") ? ActionKind::sh : ActionKind::run;
  if (count > 0) return;
  if (stage.has("review")) {
    draft.action.kind = ActionKind::human;
    return;
  }
  draft.is_action_known = false;
  stage.faults().add("E020", draft.place,
                     "stage " + in_quotes(draft.name) + " needs exactly one action",
                     "give it run: [command, argument] or sh: script; a stage for people has "
                     "review: { when: always }");
}

void check_human(const MapReader& stage, const StageDraft& draft) {
  for (const std::string_view key : command_keys) {
    if (const YamlMember* const found = stage.member(key)) {
      stage.faults().add("E027", found->key_place,
                         in_quotes(key) + " has no meaning in stage " + in_quotes(draft.name) +
                             ", which is done by people",
                         "leave it out, or give the stage run: or sh:");
    }
  }
  const YamlMember* const review = stage.member("review");
  const YamlNode* const when =
      review->value.kind == YamlNode::Kind::map ? review->value.find("when") : nullptr;
  const bool is_other_policy = when != nullptr && when->kind == YamlNode::Kind::string &&
                               when->text != "always" &&
                               from_name<ReviewPolicy>(when->text).has_value();
  if (is_other_policy) {
    stage.faults().add("E020", when->place,
                       "stage " + in_quotes(draft.name) +
                           " has no action and does not always ask a "
                           "person",
                       "give it run: or sh:, or write when: always");
  }
}

void read_in(Faults& faults, const Value& value, StageDraft& draft) {
  draft.is_in_known = expect_map(faults, value);
  if (!draft.is_in_known) return;
  for (const YamlMember& one : value.node.map) {
    check_name(faults, one.key_place, "an input", one.key);
    read_templates_within(faults, one.value, Spot::input, draft.uses);
    draft.in.emplace_back(one.key, &one.value);
    draft.inputs.emplace(one.key, &one.value);
    draft.action.in.emplace_back(one.key, to_json(one.value));
  }
}

void read_out(Faults& faults, const Value& value, StageDraft& draft) {
  draft.is_out_known = false;
  if (!expect_map(faults, value)) return;
  if (value.node.map.empty()) {
    faults.add("E011", value.node.place, value.what + " has no fields",
               "write out: { FIELD: string }, or remove the key: then stdout becomes out.text");
    return;
  }
  bool all_read = true;
  for (const YamlMember& one : value.node.map) {
    check_name(faults, one.key_place, "an output", one.key);
    const auto word = read_word(faults, {one.value, in_quotes(one.key) + " in " + value.what},
                                field_type_words());
    const auto type = word ? field_type(*word) : std::nullopt;
    if (type) draft.action.out.push_back({one.key, *type});
    all_read = all_read && type.has_value();
  }
  draft.is_out_known = all_read;
}

void read_capture(const MapReader& stage, StageDraft& draft) {
  const bool declares = stage.has("out");
  draft.action.capture = declares ? Capture::file : Capture::text;
  const auto capture = stage.find("capture");
  if (!capture) return;
  const auto word = read_word(stage.faults(), *capture, {"file", "json", "text"});
  if (!word) return;
  draft.action.capture = *word == "file"   ? Capture::file
                         : *word == "json" ? Capture::json
                                           : Capture::text;
  const std::vector<OutField> text_only{{"text", FieldType::string}};
  const bool is_text = draft.action.capture == Capture::text;
  if (is_text && declares && draft.is_out_known && draft.action.out != text_only) {
    stage.faults().add("E051", capture->node.place,
                       "stage " + in_quotes(draft.name) +
                           " reads its output from stdout as text, but declares other fields",
                       "use capture: json or capture: file, or remove out:");
  }
  if (!is_text && !declares) {
    stage.faults().add(
        "E051", capture->node.place,
        "stage " + in_quotes(draft.name) + " declares no output for capture: " + *word + " to read",
        "add out: { FIELD: type }; without it the only field is text, from stdout");
  }
}

void read_env(Faults& faults, const Value& value, StageDraft& draft) {
  if (!expect_map(faults, value)) return;
  for (const YamlMember& one : value.node.map) {
    check_variable_name(faults, one.key_place, one.key);
    const auto text = read_argument(faults, {one.value, in_quotes(one.key) + " in " + value.what});
    if (!text) continue;
    read_template(faults, one.value, Spot::variable, draft.uses);
    draft.action.env.emplace_back(one.key, *text);
  }
}

void read_secrets(Faults& faults, const Value& value, StageDraft& draft) {
  for (const PlacedText& secret : read_texts(faults, value)) {
    if (!check_variable_name(faults, secret.place, secret.text)) continue;
    const auto& env = draft.action.env;
    const bool is_in_env = std::ranges::any_of(
        env, [&](const auto& variable) { return variable.first == secret.text; });
    if (is_in_env) {
      faults.add("E026", secret.place,
                 in_quotes(secret.text) + " is both in env and in secrets of stage " +
                     in_quotes(draft.name),
                 "remove one; a secret comes from pawl's own environment");
    }
    draft.action.secrets.push_back(secret.text);
  }
}

std::vector<int> read_codes(Faults& faults, const Value& value, const std::vector<int>& taken) {
  std::vector<int> codes;
  if (!expect_list(faults, value)) return codes;
  for (const YamlNode& element : value.node.list) {
    const auto code = read_integer(faults, {element, "an exit code in " + value.what}, 1, 255);
    if (!code) continue;
    const int number = static_cast<int>(*code);
    if (std::ranges::find(codes, number) != codes.end() ||
        std::ranges::find(taken, number) != taken.end()) {
      faults.add("E026", element.place, "exit code " + element.text + " is listed twice",
                 "each code has one meaning; remove one");
      continue;
    }
    codes.push_back(number);
  }
  return codes;
}

void read_exit_codes(Faults& faults, const Value& value, StageDraft& draft) {
  if (!expect_map(faults, value)) return;
  const MapReader reader(faults, value.node, KeyPlace::exit_codes, value.what);
  ActionSpec& action = draft.action;
  action.retryable_exits = reader.with("retryable", read_codes, std::vector<int>{});
  action.final_exits = reader.with("final", read_codes, action.retryable_exits);
}

/// The list that a stage fans out over.
void read_list(Faults& faults, const Value& list, StageDraft& draft) {
  std::vector<ReferenceUse> uses;
  const auto reference = read_single_reference(faults, list, Spot::fan_out, uses);
  if (reference && reference->root == Reference::Root::out) {
    faults.add("E016", list.node.place,
               "fanning out over a stage's own output is not supported by this version of pawl",
               "make one stage output the list, and give a second stage each: "
               "\"${stages.NAME.out.FIELD}\"");
    return;
  }
  draft.uses.insert(draft.uses.end(), uses.begin(), uses.end());
  draft.action.each = list.node.text;
}

void read_each(const MapReader& stage, StageDraft& draft) {
  if (const auto tolerance = stage.find("tolerate_failures")) {
    draft.definition.tolerate_failures =
        read_tolerance(stage.faults(), *tolerance).value_or(Tolerance{});
    if (!stage.has("each")) {
      stage.faults().add("E027", stage.member("tolerate_failures")->key_place,
                         "\"tolerate_failures\" has no meaning in stage " + in_quotes(draft.name) +
                             ", which has no `each`",
                         "for the items of the job write job: { tolerate_failures: … }");
    }
  }
  const auto each = stage.find("each");
  if (!each) return;
  draft.definition.joins = true;
  if (draft.definition.scope == Scope::all) {
    stage.faults().add("E027", stage.member("each")->key_place,
                       "\"each\" has no meaning in stage " + in_quotes(draft.name) +
                           ", which runs once for all items",
                       "fan out in a stage for each item, or let the command loop");
    return;
  }
  if (each->node.kind == YamlNode::Kind::map) {
    const MapReader reader(stage.faults(), each->node, KeyPlace::each, each->what);
    if (const auto list = reader.find("list")) {
      read_list(stage.faults(), *list, draft);
    } else {
      stage.faults().add("E011", each->node.place, each->what + " has no list",
                         "add list: \"${stages.NAME.out.FIELD}\"");
    }
    if (const auto id = reader.find("id")) {
      draft.action.each_id = read_text(stage.faults(), *id).value_or("");
      read_template(stage.faults(), id->node, Spot::child_id, draft.uses);
    }
    return;
  }
  read_list(stage.faults(), *each, draft);
}

}  // namespace

void read_action(const MapReader& stage, const std::filesystem::path& project, StageDraft& draft) {
  Faults& faults = stage.faults();
  ActionSpec& action = draft.action;
  read_kind(stage, draft);
  if (draft.is_human()) check_human(stage, draft);
  if (const auto dir = stage.find("dir")) {
    action.dir = read_text(faults, *dir).value_or("");
    refuse_references(faults, *dir);
    if (action.dir.find("${") == std::string::npos) {
      warn_of_missing_directory(faults, dir->node.place, action.dir, project);
    }
  }
  if (const auto run = stage.find("run")) {
    action.argv = read_command(faults, *run, Spot::argument, draft.uses);
    warn_of_missing_script(faults, run->node, action.argv, project / action.dir);
  }
  if (const auto script = stage.find("sh")) action.script = read_script(faults, *script);
  if (const auto in = stage.find("in")) read_in(faults, *in, draft);
  if (const auto out = stage.find("out")) read_out(faults, *out, draft);
  if (draft.is_human()) {
    action.out.clear();
    draft.is_out_known = true;
  } else {
    read_capture(stage, draft);
  }
  if (const auto env = stage.find("env")) read_env(faults, *env, draft);
  if (const auto secrets = stage.find("secrets")) read_secrets(faults, *secrets, draft);
  if (const auto codes = stage.find("exit_codes")) read_exit_codes(faults, *codes, draft);
  read_each(stage, draft);
}

}  // namespace pawl::workflow
