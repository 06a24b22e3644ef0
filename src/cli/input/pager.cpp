#include "cli/input/pager.hpp"

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <vector>

#include <unistd.h>

#include "cli/input/draft.hpp"
#include "cli/input/key_reader.hpp"
#include "cli/input/programs.hpp"
#include "cli/output/rows.hpp"
#include "cli/output/terminal_output.hpp"
#include "cli/output/terminal_size.hpp"

namespace pawl::cli {
namespace {

constexpr int control_c = 3;

/// Shows the rows page by page. False after Ctrl-C.
bool page_through(Session& session, const std::vector<std::string>& rows, std::size_t page) {
  std::size_t shown = 0;
  std::size_t wanted = page;
  for (;;) {
    for (const std::size_t end = std::min(shown + wanted, rows.size()); shown < end; ++shown) {
      session.print(rows[shown] + "\n");
    }
    if (shown == rows.size()) return true;
    const std::string prompt = "-- " + std::to_string(shown) + " of " +
                               std::to_string(rows.size()) +
                               " lines; space: more, enter: one line, b: back, q: done --";
    KeyReader reader;
    session.print(session.style().paint(Paint::cyan, prompt));
    session.streams().out->flush();
    const int key = reader.read();
    session.print(control_sequence("G") + control_sequence("K"));
    session.streams().out->flush();
    if (key == 'q') return true;
    if (key == control_c || key < 0) return false;
    wanted = key == '\n' || key == '\r' ? 1 : page;
    if (key == 'b') shown -= std::min(shown, 2 * page);
  }
}

std::string pager_command() {
  const char* const value = std::getenv("PAGER");
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

bool show_paged(Session& session, const std::string& text) {
  const TerminalSize size = terminal_size(STDOUT_FILENO);
  const std::vector<std::string> rows = rows_of(text, size.columns);
  // One row for the prompt below it, one for what was typed.
  const std::size_t page = size.rows - 2;
  const std::string pager = pager_command();
  if (rows.size() <= page || pager.empty()) return page_through(session, rows, page);
  const Result<Draft> file = Draft::named(session, "page-" + std::to_string(::getpid()) + ".txt");
  if (!file || !file->write(without_colours(text))) return page_through(session, rows, page);
  const ProgramEnd end = run_program(session, pager, file->path());
  file->discard();
  if (end == ProgramEnd::failed) {
    session.say("the pager '" + printable(pager) + "' failed; unset PAGER to do without it");
  }
  return end != ProgramEnd::interrupted;
}

}  // namespace pawl::cli
