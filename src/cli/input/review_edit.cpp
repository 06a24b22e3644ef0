#include "cli/input/review_edit.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <ostream>
#include <string_view>
#include <utility>

#include "cli/input/draft.hpp"
#include "cli/input/edited_files.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/programs.hpp"
#include "cli/output/file_outputs.hpp"
#include "codec/file_value.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/edits.hpp"
#include "text/utf8.hpp"

namespace pawl::cli {

using codec::file_of;
using codec::file_value;
using codec::FileValue;

namespace {

/// What the editor opens.
struct EditedPart {
  std::string field;              ///< empty: the whole output
  bool is_json = true;            ///< else plain text
  std::optional<FileValue> file;  ///< the field is this file
  std::string text;
  std::string extension = ".json";
};

std::string extension_of_file(const std::string& name) {
  const std::string extension = std::filesystem::path(name).extension().string();
  const bool is_plain = extension.size() > 1 && extension.size() <= 10 &&
                        std::all_of(extension.begin() + 1, extension.end(),
                                    [](unsigned char c) { return std::isalnum(c) != 0; });
  return is_plain ? extension : ".txt";
}

/// The extension for a string, by the last word of its field: "page_html" is HTML.
std::string extension_of_field(std::string_view field) {
  struct Format {
    std::string_view word;
    std::string_view extension;
  };
  constexpr std::array formats{
      Format{"markdown", ".md"}, Format{"md", ".md"},     Format{"html", ".html"},
      Format{"xml", ".xml"},     Format{"csv", ".csv"},   Format{"sql", ".sql"},
      Format{"yaml", ".yaml"},   Format{"diff", ".diff"}, Format{"patch", ".diff"},
  };
  const std::string_view word = field.substr(field.find_last_of("_-. ") + 1);
  const auto found = std::ranges::find(formats, word, &Format::word);
  return std::string(found == formats.end() ? ".txt" : found->extension);
}

bool is_text(const std::string& bytes) {
  return bytes.find('\0') == std::string::npos && text::is_utf8(bytes);
}

/// The field as plain text. `invalid` if it is neither a string nor a file that holds text.
Result<EditedPart> text_part(Records& records, const std::string& field, const Json& value) {
  if (const std::optional<FileValue> file = file_of(value)) {
    Result<std::string> bytes = records.payload(file->sha256);
    if (!bytes) return std::unexpected(bytes.error());
    if (!is_text(*bytes)) {
      return pawl::fail(ErrorCode::invalid,
                        "the file in field \"" + field + "\" is not text, so it cannot be edited",
                        "replace it: pawl review edit REVIEW --output FILE, with the path of the "
                        "new file in this field");
    }
    return EditedPart{.field = field,
                      .is_json = false,
                      .file = file,
                      .text = std::move(*bytes),
                      .extension = extension_of_file(file->name)};
  }
  Result<std::string> text = JsonView(value).string();
  if (!text) {
    return pawl::fail(ErrorCode::invalid, "field \"" + field + "\" is not text",
                      "edit the whole output as JSON: leave out --field");
  }
  return EditedPart{.field = field,
                    .is_json = false,
                    .file = {},
                    .text = std::move(*text),
                    .extension = extension_of_field(field)};
}

std::vector<std::string> editable_fields(const StageDefinition& stage, const Json& output) {
  std::vector<std::string> fields;
  for (const auto& [field, value] : members(output)) {
    const bool may = stage.editable.empty() || std::ranges::count(stage.editable, field) > 0;
    if (may) fields.push_back(field);
  }
  return fields;
}

/// Text can be edited as it is; everything else only as JSON.
bool is_text_field(const Json& output, const std::string& field) {
  const Result<Json> value = JsonView(output)[field].json();
  return value && (is_string(*value) || file_of(*value));
}

/// Asks which field to edit, if there are several and at least one is text. None: the whole output.
Result<std::optional<std::string>> ask_field(Session& session, const ShownReview& shown,
                                             const Json& output) {
  const std::vector<std::string> all = editable_fields(shown.stage(), output);
  std::vector<std::string> texts;
  std::ranges::copy_if(all, std::back_inserter(texts),
                       [&](const std::string& field) { return is_text_field(output, field); });
  if (all.size() < 2 || texts.empty()) return std::nullopt;
  std::string question = "what do you want to edit?\n";
  for (std::size_t i = 0; i < texts.size(); ++i) {
    question += "  " + std::to_string(i + 1) + "  " + printable(texts[i]) + "\n";
  }
  question += "a number, or Enter for all fields as JSON: ";
  session.streams().out->flush();
  *session.streams().err << question << std::flush;
  const std::optional<std::string> typed = read_line();
  if (!typed) return pawl::fail(ErrorCode::refused, "nothing was sent: the edit was interrupted");
  if (typed->empty()) return std::nullopt;
  std::size_t number = 0;
  const char* const end = typed->data() + typed->size();
  const auto read = std::from_chars(typed->data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number == 0 || number > texts.size()) {
    return pawl::fail(
        ErrorCode::refused, "nothing was sent: that is not one of the fields",
        "type a number from 1 to " + std::to_string(texts.size()) + ", or only press Enter");
  }
  return texts[number - 1];
}

Result<EditedPart> part_to_edit(Records& records, const ShownReview& shown, const Json& output,
                                const std::optional<std::string>& wanted) {
  if (is_string(output)) return text_part(records, "", output);
  const std::vector<std::string> fields = editable_fields(shown.stage(), output);
  if (wanted && std::ranges::count(fields, *wanted) == 0) {
    const std::string nearest = nearest_name(*wanted, fields);
    return pawl::fail(ErrorCode::invalid, "no editable field \"" + printable(*wanted) + "\"",
                      nearest.empty() ? "" : "did you mean \"" + nearest + "\"?");
  }
  const bool is_single = wanted || fields.size() == 1;
  if (is_single) {
    const std::string& field = wanted ? *wanted : fields.front();
    const Result<Json> value = JsonView(output)[field].json();
    const bool opens_text = wanted || is_text_field(output, field);
    if (value && opens_text) return text_part(records, field, *value);
  }
  EditedPart whole;
  whole.text = pretty(output) + "\n";
  return whole;
}

/// The output with the edited part in its place.
Result<Json> with_edited_part(const Session& session, Store& store, const ShownReview& shown,
                              const Json& output, const EditedPart& part, std::string text) {
  if (part.is_json) {
    const Result<Json> edited = parse_json(text);
    if (!edited) {
      return pawl::fail(ErrorCode::invalid,
                        "the edited output is not JSON: " + edited.error().message,
                        "nothing was sent");
    }
    return with_files_kept(session, store, shown.stage(), output, *edited);
  }
  // Editors end the last line, even if the original does not.
  if (text.ends_with('\n') && !part.text.ends_with('\n')) text.pop_back();
  if (!is_text(text)) {
    return pawl::fail(ErrorCode::invalid, "the edited text is not valid UTF-8 without NUL");
  }
  if (part.field.empty()) return Json(text);
  if (!part.file) return with_member(output, part.field, Json(text));
  const Result<std::string> kept = store.keep_payload(text);
  if (!kept) return std::unexpected(kept.error());
  FileValue file = *part.file;
  file.sha256 = *kept;
  file.size = static_cast<std::int64_t>(text.size());
  return with_member(output, part.field, file_value(file));
}

/// Different content and different parts have different drafts.
std::string draft_name(const ShownReview& shown, AttemptNumber attempt, const EditedPart& part) {
  constexpr std::size_t digits = 12;
  const std::string& digest = shown.review.digest;
  return draft_prefix(shown.review.id) + digest.substr(digest.find(':') + 1).substr(0, digits) +
         "-" + std::to_string(attempt) + (part.is_json ? "" : "-" + safe_file_name(part.field)) +
         part.extension;
}

Error with_draft(Error error, const ShownReview& shown, const Draft& draft) {
  const std::string number = std::to_string(shown.review.id.value());
  error.help += (error.help.empty() ? "" : "; ") + std::string("your text is kept in ") +
                draft.path().string();
  if (error.code != ErrorCode::conflict)
    error.help += "; open it again: pawl review edit " + number;
  return error;
}

/// Opens the editor until the text is sent, given up or left as it was refused.
class Editing {
 public:
  /// How often the editor opens for one edit.
  static constexpr int rounds_max = 100;

  Editing(Session& session, Store& store, const ShownReview& shown, Json output,
          const EditRequest& request)
      : session_(session),
        store_(store),
        shown_(shown),
        output_(std::move(output)),
        actor_(request.actor),
        answer_(request.answer),
        undo_for_(request.undo_for) {}

  Result<ShownReview> in_editor(const EditedPart& part, const std::string& editor,
                                const Draft& draft) {
    std::string text = draft.text().value_or(part.text);
    if (text != part.text) session_.say("opening the draft that you left");
    std::vector<std::string> remarks;
    for (int round = 1;; ++round) {
      if (const Status written = draft.write(text, remarks); !written) {
        return std::unexpected(written.error());
      }
      const ProgramEnd end = run_program(session_, editor, draft.path());
      const std::optional<std::string> read = draft.text();
      if (!read) return pawl::fail(ErrorCode::unavailable, "cannot read the edited file");
      const std::string before = text;
      text = *read;
      // Editors end the last line, even if the original does not.
      if (text.ends_with('\n') && !part.text.ends_with('\n')) text.pop_back();
      if (end != ProgramEnd::done) return stopped(part, text, editor, end, draft);
      if (text.empty() && !part.text.empty()) {
        draft.discard();
        return pawl::fail(ErrorCode::refused, "the edit was given up: the file is empty");
      }
      Result<ShownReview> sent = send(part, text);
      if (sent || text == part.text) {
        draft.discard();
        return sent;
      }
      // An editor that is a script would go on for ever.
      const bool can_mend =
          sent.error().code == ErrorCode::invalid && session_.can_ask() && round < rounds_max;
      if (!can_mend || (text == before && !remarks.empty())) {
        // Without the remarks.
        if (const Status kept = draft.write(text); !kept) return std::unexpected(kept.error());
        return std::unexpected(with_draft(sent.error(), shown_, draft));
      }
      session_.fail(sent.error());
      remarks = {"refused: " + sent.error().message};
      if (!sent.error().help.empty()) remarks.push_back("help: " + sent.error().help);
      remarks.emplace_back("These lines are not sent.");
      remarks.emplace_back("To stop and keep the draft, save and quit without a change.");
      remarks.emplace_back("To give the edit up, delete everything.");
    }
  }

  Result<ShownReview> send(const EditedPart& part, const std::string& text) {
    const Result<Json> edited = with_edited_part(session_, store_, shown_, output_, part, text);
    if (!edited) return std::unexpected(edited.error());
    if (*edited == output_) {
      return pawl::fail(ErrorCode::invalid, "the edit changes nothing",
                        "to approve the output as it is: pawl review approve");
    }
    if (const Status fits = check_edits(shown_.stage(), output_, *edited); !fits) {
      return std::unexpected(fits.error());
    }
    Answer given = answer_;
    given.outcome = ReviewOutcome::approve_with_edits;
    given.edits = *edited;
    if (undo_for_ > Duration::zero()) given.effective_at = store_.now() + undo_for_;
    return give_answer(store_, shown_, std::move(given), actor_);
  }

 private:
  /// The editor failed or was interrupted.
  Result<ShownReview> stopped(const EditedPart& part, const std::string& text,
                              const std::string& editor, ProgramEnd end, const Draft& draft) {
    const bool was_interrupted = end == ProgramEnd::interrupted;
    const Error error{
        ErrorCode::refused,
        "the editor '" + printable(editor) + (was_interrupted ? "' was interrupted" : "' failed"),
        "nothing was sent"};
    if (text == part.text || text.empty()) {
      draft.discard();
      return std::unexpected(error);
    }
    if (const Status kept = draft.write(text); !kept) return std::unexpected(kept.error());
    return std::unexpected(with_draft(error, shown_, draft));
  }

  Session& session_;
  Store& store_;
  const ShownReview& shown_;
  Json output_;
  Actor actor_;
  Answer answer_;
  Duration undo_for_;
};

}  // namespace

Result<ShownReview> edit_review(Session& session, Store& store, const ShownReview& shown,
                                EditRequest request) {
  const std::optional<ApprovedContent>& proposed = shown.votes.proposed;
  // Without an attempt, the content that is shown is edited.
  const bool goes_on = proposed && !request.answer.attempt;
  if (goes_on) request.answer.attempt = proposed->attempt;
  const AttemptNumber attempt = request.answer.attempt.value_or(shown.review.attempt);
  const Result<Json> output =
      goes_on ? shown.content() : output_of_attempt(store.records(), shown, attempt);
  if (!output) return std::unexpected(output.error());
  Editing editing(session, store, shown, *output, request);
  if (request.output) return editing.send(EditedPart{}, *request.output);
  const Result<std::string> editor = editor_command(session);
  if (!editor) return std::unexpected(editor.error());
  if (!request.field && session.can_ask() && session.output() == OutputMode::text) {
    Result<std::optional<std::string>> field = ask_field(session, shown, *output);
    if (!field) return std::unexpected(field.error());
    request.field = std::move(*field);
  }
  const Result<EditedPart> part = part_to_edit(store.records(), shown, *output, request.field);
  if (!part) return std::unexpected(part.error());
  const Result<Draft> draft = Draft::named(session, draft_name(shown, attempt, *part));
  if (!draft) return std::unexpected(draft.error());
  return editing.in_editor(*part, *editor, *draft);
}

std::string draft_prefix(ReviewId review) {
  return "review-" + std::to_string(review.value()) + "-";
}

void discard_drafts(const Session& session, ReviewId review) {
  discard_drafts(session, draft_prefix(review));
}

}  // namespace pawl::cli
