#include "cli/output/progress.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <unistd.h>

#include "cli/output/job_view.hpp"
#include "cli/output/terminal_output.hpp"
#include "cli/output/terminal_size.hpp"
#include "pawl/core/shown.hpp"
#include "pawl/store/clock.hpp"

namespace pawl::cli {

namespace {

constexpr Duration between_lines = std::chrono::seconds(10);
constexpr std::size_t bar_width = 20;

/// The states in the line of a stage, from left to right.
struct Mark {
  StateKind kind;
  std::string_view sign;
};
constexpr std::array marks = {
    Mark{StateKind::succeeded, "●"},       Mark{StateKind::running, "◐"},
    Mark{StateKind::retry_scheduled, "↻"}, Mark{StateKind::awaiting_review, "◆"},
    Mark{StateKind::failed, "☠"},          Mark{StateKind::skipped, "⊘"},
    Mark{StateKind::cancelled, "✕"},
};

/// Tasks that have not started: waiting for an earlier stage, for a worker, or for children.
std::int64_t to_come(const StateCounts& counts) {
  return counts[StateKind::waiting] + counts[StateKind::ready] + counts[StateKind::expanded];
}

std::size_t stage_width(const Workflow& workflow) {
  std::size_t width = 0;
  for (const StageDefinition& stage : workflow.definition().stages) {
    width = std::max(width, display_width(printable(stage.name)));
  }
  return std::min<std::size_t>(width, 40);
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t shown = display_width(text);
  if (shown < width) text.append(width - shown, ' ');
  return text;
}

/// The counts of a stage, with the labels of tables: "3 done, 1 running".
std::string in_words(const StateCounts& counts) {
  std::string out;
  const auto add = [&](std::int64_t number, std::string_view label) {
    if (number == 0) return;
    if (!out.empty()) out += ", ";
    out += with_separators(number) + " " + std::string(label);
  };
  for (const Mark& mark : marks) add(counts[mark.kind], label_of(mark.kind));
  if (!out.empty()) add(to_come(counts), "to come");  // nothing is reported before the stage starts
  return out;
}

}  // namespace

std::string items_in_words(const Job& job) {
  std::string out = counted(job.items.total, "item");
  std::string parts;
  const auto add = [&](std::int64_t number, std::string_view label) {
    if (number == 0) return;
    parts += (parts.empty() ? ": " : ", ") + with_separators(number) + " " + std::string(label);
  };
  const ItemCounts items = shown_items(job);
  add(items.succeeded, "done");
  add(items.failed, "failed");
  add(items.cancelled, "cancelled");
  add(items.rejected, "rejected");
  add(items.active(), "not ended");
  return out + parts;
}

void Progress::show(const Job& job, const Workflow& workflow) {
  if (session_.output() != OutputMode::text) return;
  if (began_at_ == no_time) {
    began_at_ = system_clock().now();
    settled_at_start_ = job.items.settled();
  }
  if (session_.streams().err_is_terminal) {
    draw(picture(job, workflow));
  } else {
    tell_changes(job, workflow, false);
  }
}

void Progress::finish(const Job& job, const Workflow& workflow) {
  if (session_.output() != OutputMode::text) return;
  if (session_.streams().err_is_terminal) {
    draw(picture(job, workflow));
    drawn_.clear();
  } else {
    tell_changes(job, workflow, true);
  }
}

void Progress::say(const std::string& line) {
  const std::vector<std::string> kept = drawn_;
  erase();
  session_.say(line);
  draw(kept);
}

std::vector<std::string> Progress::picture(const Job& job, const Workflow& workflow) {
  const std::size_t width = stage_width(workflow);
  std::vector<std::string> lines;
  std::vector<StateCounts> counts;
  std::array<std::size_t, marks.size()> widths{};
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    counts.push_back(counts_of_stage(job, workflow, static_cast<StageIndex>(i)));
    for (std::size_t m = 0; m < marks.size(); ++m) {
      const std::int64_t number = counts.back()[marks[m].kind];
      if (number > 0) widths[m] = std::max(widths[m], with_separators(number).size());
    }
  }
  const Style& style = session_.talk_style();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const StageDefinition& stage = workflow.stage(static_cast<StageIndex>(i));
    std::string line = "  " + padded(shortened(printable(stage.name), width), width);
    for (std::size_t m = 0; m < marks.size(); ++m) {
      if (widths[m] == 0) continue;
      const std::int64_t number = counts[i][marks[m].kind];
      const std::string text = number == 0 ? std::string{} : with_separators(number);
      const std::string cell = (number == 0 ? " " : std::string(marks[m].sign)) + " " +
                               std::string(widths[m] - text.size(), ' ') + text;
      line += "  " + style.paint(paint_of(marks[m].kind), cell);
    }
    if (const std::int64_t rest = to_come(counts[i]); rest > 0) {
      line += "  ○ " + with_separators(rest);
    }
    lines.push_back(std::move(line));
  }
  lines.push_back(overall(job, workflow));
  return lines;
}

std::string Progress::overall(const Job& job, const Workflow& workflow) const {
  const double share = job.items.total == 0 ? 0.0
                                            : static_cast<double>(job.items.settled()) /
                                                  static_cast<double>(job.items.total);
  const auto full = static_cast<std::size_t>(share * static_cast<double>(bar_width));
  std::string line = "  ";
  for (std::size_t i = 0; i < bar_width; ++i) line += i < full ? "█" : "░";
  line += "  " + std::to_string(static_cast<int>(share * 100.0)) + " %";
  if (job.used.cost_microusd > 0 || job.budget.cost_microusd) {
    line += "   " + dollars(job.used.cost_microusd);
    if (job.budget.cost_microusd) line += " of " + dollars(*job.budget.cost_microusd);
  }
  const std::int64_t settled = job.items.settled() - settled_at_start_;
  const Duration elapsed = system_clock().now() - began_at_;
  const std::int64_t reviews = tasks_in(job, StateKind::awaiting_review);
  // Nobody knows when people answer.
  const std::int64_t to_settle = views::items_to_work_on(job, workflow);
  if (settled > 0 && to_settle > 0 && elapsed > std::chrono::seconds(2)) {
    line += "   about " + cli::in_words(Duration{elapsed.count() / settled * to_settle});
  }
  if (reviews > 0) {
    line += "   " + counted(reviews, "review waits", "reviews wait") + ": pawl review next";
  }
  return line;
}

void Progress::draw(const std::vector<std::string>& lines) {
  if (lines == drawn_) return;
  erase();
  std::string out;
  const std::size_t width = terminal_size(STDERR_FILENO).columns;
  for (const std::string& line : lines) {
    // A coloured line is short. A plain line is cut, so that it never takes two rows.
    out += (line.find('\x1b') == std::string::npos ? shortened(line, width - 1) : line) + "\n";
  }
  *session_.streams().err << out << std::flush;
  drawn_ = lines;
}

void Progress::erase() {
  if (drawn_.empty()) return;
  *session_.streams().err << control_sequence(std::to_string(drawn_.size()) + "A")
                          << control_sequence("J") << std::flush;
  drawn_.clear();
}

void Progress::tell_changes(const Job& job, const Workflow& workflow, bool at_once) {
  const Timestamp now = system_clock().now();
  if (!at_once && told_at_ != no_time && now - told_at_ < between_lines) return;
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    const std::string words = in_words(counts_of_stage(job, workflow, index));
    std::string& told = told_[workflow.stage(index).name];
    if (told == words || words.empty()) continue;
    told = words;
    told_at_ = now;
    session_.say(printable(workflow.stage(index).name) + ": " + words);
  }
}

}  // namespace pawl::cli
