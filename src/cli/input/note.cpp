#include "cli/input/note.hpp"

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

}  // namespace

std::optional<std::string> ask_note(Session& session, ReviewId review,
                                    const std::string& question) {
  session.print(question + " (one line, or e for your editor) ");
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
  if (note->empty()) {
    session.print("not decided: the note is empty\n");
    return std::nullopt;
  }
  return note;
}

}  // namespace pawl::cli
