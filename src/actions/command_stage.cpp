#include "actions/command_stage.hpp"

#include <algorithm>
#include <utility>

#include "actions/attempt_records.hpp"
#include "actions/command_ending.hpp"
#include "actions/envelope.hpp"
#include "actions/output_types.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/core/text.hpp"
#include "store/payloads/payload_names.hpp"

namespace pawl::actions {

namespace {

bool gives_misfits_back(const ActionSpec& action) {
  return std::ranges::any_of(
      action.gates, [](const GateSpec& gate) { return gate.kind == GateSpec::Kind::types; });
}

/// Whether stdout is the output; otherwise it is only a log.
bool captures_output(const ActionSpec& action) {
  return action.capture == Capture::json ||
         (action.capture == Capture::text && !action.out.empty());
}

/// References in a script are never resolved; those in the arguments of a command are.
Result<std::vector<std::string>> command_line(const ActionSpec& action, const Lookup& lookup,
                                              FileLinks& links) {
  if (action.kind == ActionKind::sh) {
    return std::vector<std::string>{"/bin/sh", "-c", action.script};
  }
  return resolve_command(action.argv, lookup, &links);
}

/// A longer command line is recorded by its digest.
constexpr std::size_t action_bytes_max = 4096;

/// What the attempt runs, for its record. The text of a script is part of the workflow; its first
/// line and its digest are enough to recognise it.
Json action_record(const ActionSpec& action, const std::vector<std::string>& argv,
                   const Mask& mask) {
  if (action.kind == ActionKind::sh) {
    const std::string line = action.script.substr(0, action.script.find('\n'));
    return Json::object({{"sh", valid_text(mask.whole(line).substr(0, action_bytes_max))},
                         {"sha256", sha256_hex(action.script)}});
  }
  std::vector<Json> words;
  for (const std::string& word : argv) words.emplace_back(valid_text(mask.whole(word)));
  Json all = Json::array(words);
  if (all.size() <= action_bytes_max) return Json::object({{"run", all}});
  return Json::object({{"run", Json::array({words.front()})},
                       {"words", static_cast<std::int64_t>(words.size())},
                       {"sha256", sha256_hex(all.text())}});
}

std::string all_misfits(const std::vector<FieldMisfit>& found) {
  std::string text = "the output does not fit `out`: ";
  for (const FieldMisfit& one : found) {
    if (&one != &found.front()) text += "; ";
    text += text_of(one);
  }
  return text;
}

/// Turns one finished run of a command into an outcome.
class Harvest {
 public:
  Harvest(const ActionServices& services, const ActionSpec& action, const Command& command,
          Workspace& place, ProcessEnd end, Context& context, std::stop_token stop)
      : store_(*services.store),
        options_(services.options),
        action_(action),
        place_(place),
        mask_(command.secrets),
        end_(std::move(end)),
        project_(project_of(context)),
        patience_{.stop = std::move(stop),
                  .on_trouble = services.options.on_trouble,
                  .on_wait = [&context](bool waits) { context.set_waits_for_store(waits); }} {}

  Outcome outcome() {
    Written written = read_result();
    if (written && *written) mask_texts(**written);
    left_.artifacts = log_records(end_, store_, patience_);
    const EventLines events = read_events(place_.events(), mask_);
    left_.usage = events.usage;
    if (events.ignored > 0) {
      ArtifactRecord note = note_of(events);
      note.summary = masked(note.summary, mask_);
      left_.artifacts.push_back(std::move(note));
    }
    if (written && *written) add_what_it_says(**written);

    if (auto error = error_of(action_, end_, written)) return failure(std::move(*error));
    const ResultDocument none;
    const ResultDocument& document = written ? **written : none;
    const Result<Json> raw = written ? Result<Json>(document.output) : captured();
    if (!raw) return failure(raw.error());
    const bool is_skipped = document.outcome == ResultDocument::Kind::skipped;
    FileKeeper keeper(store_, places(written.has_value()),
                      {.bytes_max = options_.file_bytes_max, .files_max = options_.files_max},
                      patience_);
    if (const Status fits = check_quota(keeper, document, is_skipped ? Json() : *raw); !fits) {
      return failure(fits.error());
    }
    if (Result<std::vector<ArtifactRecord>> files = file_records(document.artifacts, keeper)) {
      std::ranges::move(*files, std::back_inserter(left_.artifacts));
    } else {
      return failure(files.error());
    }
    if (is_skipped) {
      return Skip{.why = document.summary,
                  .artifacts = std::move(left_.artifacts),
                  .usage = left_.usage,
                  .alternatives = std::move(left_.alternatives)};
    }
    return judged_output(document, *raw, keeper);
  }

 private:
  Written read_result() {
    if (end_.how == ProcessEnd::How::not_started) return std::nullopt;
    const auto text = read_small_file(place_.result(), result_bytes_max);
    if (!text) return std::unexpected(text.error());
    if (*text) return parse_result_document(**text);
    std::error_code ignored;
    if (action_.capture == Capture::file && end_.number == 0 &&
        std::filesystem::exists(place_.result() + ".tmp", ignored)) {
      return fail(
          ErrorCode::invalid,
          "only $PAWL_RESULT.tmp was written; rename it to $PAWL_RESULT when it is complete");
    }
    return std::nullopt;
  }

  /// Masks texts that the command wrote for people. Errors are masked when they become a failure.
  /// Declared outputs and files are data and stay as they are.
  void mask_texts(ResultDocument& document) const {
    document.summary = mask_.whole(document.summary);
    document.model = mask_.whole(document.model);
    for (NamedFile& file : document.artifacts) {
      file.name = mask_.whole(file.name);
      file.type = mask_.whole(file.type);
    }
    for (Json& alternative : document.alternatives) alternative = masked(alternative, mask_);
    if (action_.out.empty()) document.output = masked(document.output, mask_);
  }

  /// Where files may be. Printed text may easily come from elsewhere, so a path in it must stay
  /// inside the scratch directory.
  [[nodiscard]] FilePlaces places(bool was_written) {
    const bool is_printed = !was_written || action_.capture == Capture::json;
    return {.scratch = place_.dir(),
            .project = is_printed ? std::filesystem::path() : std::filesystem::path(project_),
            .given = &place_.links()};
  }

  [[nodiscard]] Status check_quota(const FileKeeper& keeper, const ResultDocument& document,
                                   const Json& output) const {
    std::vector<std::string> paths = paths_of_files(action_.out, output);
    for (const NamedFile& file : document.artifacts) paths.push_back(file.path);
    return keeper.check_quota(paths);
  }

  /// The usage in the result replaces the sum of its events.
  void add_what_it_says(const ResultDocument& document) {
    left_.alternatives = document.alternatives;
    if (document.usage) left_.usage = *document.usage;
    if (document.model.empty()) return;
    left_.artifacts.push_back({.kind = ArtifactKind::json,
                               .name = "model",
                               .reference = {},
                               .sha256 = {},
                               .summary = Json::object({{"model", document.model}})});
  }

  Failure failure(StageError error) {
    error.code = mask_.whole(error.code);
    error.message = mask_.whole(error.message);
    error.details = masked(error.details, mask_);
    left_.error = std::move(error);
    return std::move(left_);
  }
  Failure failure(const Error& error) {
    if (error.code == ErrorCode::invalid) return failure(protocol_error(error.text()));
    return failure(error_before_start(error));
  }

  /// A command may pass on a file that it was given. It cannot name any other file of the store.
  [[nodiscard]] Status check_named_files(const Json& output) {
    for (const store::PayloadName& file : store::files_named_in(output.text())) {
      if (place_.links().has(file.sha256)) continue;
      return fail(ErrorCode::invalid,
                  "the output names a file that the attempt was not given: sha256:" + file.sha256,
                  "write the file's path, and declare the field as `file`");
    }
    return {};
  }

  Outcome judged_output(const ResultDocument& document, const Json& raw, FileKeeper& keeper) {
    if (const Status given = check_named_files(raw); !given) return failure(given.error());
    Output output{.json = raw, .summary = document.summary, .artifacts = {}, .usage = left_.usage};
    std::vector<FieldMisfit> unfit;
    if (!action_.out.empty() && is_object(raw)) {
      Result<Json> kept = keep_files(action_.out, raw, keeper, mask_, unfit);
      if (!kept) return failure(kept.error());
      output.json = std::move(*kept);
    }
    for (FieldMisfit& one : misfits(action_.out, output.json)) {
      const bool is_known = std::ranges::find(unfit, one.field, &FieldMisfit::field) != unfit.end();
      if (!is_known) unfit.push_back(std::move(one));
    }
    if (!unfit.empty() && !gives_misfits_back(action_)) {
      return failure(protocol_error(all_misfits(unfit)));
    }
    output.artifacts = std::move(left_.artifacts);
    output.alternatives = std::move(left_.alternatives);
    if (document.outcome == ResultDocument::Kind::needs_review) {
      std::string why = output.summary;
      return NeedsReview{.output = std::move(output), .why = std::move(why)};
    }
    return output;
  }

  /// The output of a command that wrote no result.
  Result<Json> captured() {
    if (action_.capture == Capture::json) {
      if (!end_.captured_all) return too_long();
      Result<Json> value = parse_json(end_.captured, {.bytes = result_bytes_max});
      if (value) return value;
      return fail(ErrorCode::invalid, "`capture: json` expects exactly one JSON value on stdout: " +
                                          value.error().text());
    }
    if (captures_output(action_) && !end_.captured_all) return too_long();
    // Unless stdout is declared as data it is a log: masked, and shortened if it is long.
    std::string text = captures_output(action_) ? std::move(end_.captured) : end_.out;
    return Json::object({{"text", text}});
  }
  static std::unexpected<Error> too_long() {
    return fail(ErrorCode::invalid,
                "stdout is longer than 16 MiB; write the output to $PAWL_DIR "
                "as a file, and the result to $PAWL_RESULT");
  }

  Store& store_;
  const ActionOptions& options_;
  const ActionSpec& action_;
  Workspace& place_;
  Mask mask_;
  ProcessEnd end_;
  std::string project_;
  store::Patience patience_;
  Failure left_;
};

}  // namespace

Outcome run_command_stage(const ActionServices& services, const ActionSpec& action,
                          Context& context, std::stop_token stop) {
  Result<Workspace> place =
      Workspace::make(*services.store, services.options, *services.run, context, "");
  if (!place) return Failure{.error = error_before_start(place.error())};
  const Result<Json> in = resolve_fields(action.in, lookup_in(context), &place->links());
  if (!in) return Failure{.error = error_before_start(in.error())};
  const Lookup lookup = lookup_in(context, *in);
  const auto argv = command_line(action, lookup, place->links());
  if (!argv) return Failure{.error = error_before_start(argv.error())};
  auto command = prepare_command(services, action, *argv, context, lookup, *place);
  if (!command) return Failure{.error = command.error()};
  context.set_action(action_record(action, *argv, Mask(command->secrets)));
  const Result<Json> input = envelope(context, *services.store, *place, *in);
  if (!input) return Failure{.error = error_before_start(input.error())};
  const std::size_t capture = captures_output(action) ? result_bytes_max : 0;
  ProcessEnd end = run_command(services, *command, input->text() + "\n", *place, stop, capture);
  return Harvest(services, action, *command, *place, std::move(end), context, std::move(stop))
      .outcome();
}

}  // namespace pawl::actions
