#include "cli/input/note.hpp"

#include <charconv>
#include <ostream>

#include "cli/input/draft.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/programs.hpp"
#include "cli/input/review_edit.hpp"
#include "text/utf8.hpp"

namespace pawl::cli {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

Result<std::string> note_from_editor(Session& session, ReviewId review,
                                     const std::string& question) {
  const Result<std::string> editor = editor_command(session);
  if (!editor) return std::unexpected(editor.error());
  const Result<Draft> draft = Draft::named(session, draft_prefix(review) + "note.txt");
  if (!draft) return std::unexpected(draft.error());
  const Status written = draft->write(draft->text().value_or(""), {question});
  if (!written) return std::unexpected(written.error());
  const ProgramEnd end = run_program(session, *editor, draft->path());
  std::string note = trimmed(draft->text().value_or(""));
  if (note.empty()) draft->discard();
  if (end != ProgramEnd::done) {
    return pawl::fail(ErrorCode::refused,
                      "the editor '" + printable(*editor) + "' failed or was interrupted",
                      note.empty() ? "" : "your text is kept; type e to open it again");
  }
  if (!text::is_utf8(note)) return pawl::fail(ErrorCode::invalid, "the note is not valid UTF-8");
  return note;
}

/// The reason with this number, counted from 1; null if it is not one.
const std::string* numbered(const std::vector<std::string>& reasons, const std::string& typed) {
  std::size_t number = 0;
  const char* const end = typed.data() + typed.size();
  const auto read = std::from_chars(typed.data(), end, number);
  const bool is_one =
      read.ec == std::errc{} && read.ptr == end && number > 0 && number <= reasons.size();
  return is_one ? &reasons[number - 1] : nullptr;
}

}  // namespace

std::optional<std::string> ask_note(Session& session, ReviewId review, const std::string& question,
                                    const std::vector<std::string>& reasons) {
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    session.print("  " + std::to_string(i + 1) + "  " + printable(reasons[i]) + "\n");
  }
  session.print(question + " (one line, " + (reasons.empty() ? "" : "the number of a reason, ") +
                "or e for your editor) ");
  session.streams().out->flush();
  std::optional<std::string> note = read_line();
  if (!note) return std::nullopt;
  if (note->find('\x1b') != std::string::npos) {
    session.print("not decided\n");
    return std::nullopt;
  }
  if (*note == "e") {
    const Result<std::string> edited = note_from_editor(session, review, question);
    if (!edited) {
      session.fail(edited.error());
      return std::nullopt;
    }
    note = *edited;
  }
  if (const std::string* const reason = numbered(reasons, *note)) return *reason;
  if (note->empty()) {
    session.print("not decided: the note is empty\n");
    return std::nullopt;
  }
  return note;
}

}  // namespace pawl::cli
