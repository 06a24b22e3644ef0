#include "cli/output/live_view.hpp"

#include <algorithm>

#include "actions/running_now.hpp"

namespace pawl::cli {
namespace {

constexpr std::size_t lines_max = 10;
/// The terminal breaks no line of a file or a pipe.
constexpr std::size_t columns_max = 200;

}  // namespace

std::vector<RunningAttempt> running_now(const Session& session, Records& records, const Job& job,
                                        const Workflow& workflow, ItemId only) {
  if (job.attempts_open == 0) return {};
  const Result<std::filesystem::path> directory = session.run_directory();
  if (!directory) return {};
  const actions::LiveAttempts live(*directory, session.trusts_owner());
  return actions::running_now(live, records, job, workflow, only);
}

std::string running_text(const std::vector<RunningAttempt>& running, const Style& style,
                         std::size_t columns) {
  if (running.empty()) return {};
  const std::size_t width = std::min(columns, columns_max);
  std::string out = style.paint(Paint::dim, "running now:") + "\n";
  for (std::size_t i = 0; i < std::min(running.size(), lines_max); ++i) {
    const std::string line = "  " + printable(running[i].name()) + "  attempt " +
                             std::to_string(running[i].attempt) + "  " +
                             printable(views::report_in_words(running[i]));
    out += shortened(line, width - 1) + "\n";
  }
  if (running.size() > lines_max) {
    out += "  … and " + std::to_string(running.size() - lines_max) + " more\n";
  }
  return out;
}

}  // namespace pawl::cli
