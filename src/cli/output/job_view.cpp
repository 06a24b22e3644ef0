#include "cli/output/job_view.hpp"

#include <array>

#include "views/wait_reason.hpp"

namespace pawl::cli {
namespace {

struct StateColumn {
  StateKind state;
  std::string_view heading;
  bool is_usual;
};

constexpr std::array columns{
    StateColumn{StateKind::waiting, "WAITING", false},
    StateColumn{StateKind::ready, "QUEUED", true},
    StateColumn{StateKind::running, "RUNNING", true},
    StateColumn{StateKind::retry_scheduled, "RETRYING", true},
    StateColumn{StateKind::expanded, "EXPANDED", false},
    StateColumn{StateKind::awaiting_review, "REVIEW", true},
    StateColumn{StateKind::succeeded, "DONE", true},
    StateColumn{StateKind::skipped, "SKIPPED", false},
    StateColumn{StateKind::failed, "DEAD", true},
    StateColumn{StateKind::cancelled, "CANCELLED", false},
};

std::string_view why_paused(PauseCause cause) {
  switch (cause) {
    case PauseCause::none:
    case PauseCause::requested:
      return "";
    case PauseCause::budget:
      return " (budget used up)";
    case PauseCause::deadline:
      return " (deadline passed)";
    case PauseCause::no_progress:
      return " (no progress)";
  }
  return "";
}

/// Why a job was ended, unless somebody asked for it. Failed items are not mentioned: the dead
/// letters are reported beside it.
std::string_view why_ended(const Job& job) {
  if (!job.cancelled) return "";
  switch (*job.cancelled) {
    case CancelCause::requested:
    case CancelCause::superseded:
    case CancelCause::rejected:
      return "";
    case CancelCause::deadline:
      return " (deadline passed)";
    case CancelCause::budget:
      return " (ended by its budget)";
    case CancelCause::tolerance:
      return " (more failed than tolerate_failures allows)";
    case CancelCause::stop_job:
      return " (a stage with on_failure: stop_job failed)";
  }
  return "";
}

std::string_view cause_of(const Job& job) {
  if (job.trust == Trust::untrusted) return " (imported, not trusted)";
  if (job.trust == Trust::abandoned) return " (import abandoned)";
  return state_of(job) == JobState::paused ? why_paused(job.paused) : why_ended(job);
}

}  // namespace

std::string state_in_words(const Job& job) {
  const bool waits = state_of(job) == JobState::running && waits_for_people(job);
  if (waits) return "waits for people";
  if (views::is_held_by_paused_stages(job)) return "waits for a paused stage";
  return std::string(label_of(state_of(job))) + std::string(cause_of(job));
}

std::string job_headline(const Job& job, const Style& style, const Times& times) {
  const JobState state = state_of(job);
  std::string line = "job " + std::to_string(job.id.value()) + "  " + printable(job.workflow_name);
  line += "  " + style.paint(paint_of(state), label_of(state));
  line += cause_of(job);
  line += "  " + with_separators(job.items.succeeded) + "/" + with_separators(job.items.total);
  if (job.submission_open) line += "+";
  line += " done";
  if (job.items.rejected > 0) line += "  " + with_separators(job.items.rejected) + " rejected";
  if (job.dead_letters > 0) {
    line += "  " + style.paint(Paint::red, with_separators(job.dead_letters) + " dead");
  }
  const std::int64_t reviews = job.cancelled ? 0 : tasks_in(job, StateKind::awaiting_review);
  if (reviews > 0) {
    line += "  " + style.paint(Paint::yellow, with_separators(reviews) + " waiting for review");
  }
  if (job.budget.cost_microusd) {
    line += "  " + dollars(job.used.cost_microusd) + "/" + dollars(*job.budget.cost_microusd);
  } else if (job.used.cost_microusd > 0) {
    line += "  " + dollars(job.used.cost_microusd);
  }
  if (job.budget.max_total_attempts) {
    line += "  " + with_separators(job.attempts_opened) + "/" +
            with_separators(*job.budget.max_total_attempts) + " attempts";
  }
  if (job.has_ended()) {
    line += "  ended " + times.of(job.ended_at);
  } else if (job.deadline_at != no_time) {
    line += "  deadline " + times.of(job.deadline_at);
  }
  return line;
}

std::string stage_table(const Job& job, const Workflow& workflow, const Style& style) {
  std::vector<StateCounts> shown;
  StateCounts sums;
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    shown.push_back(counts_of_stage(job, workflow, static_cast<StageIndex>(i)));
    for (const StateColumn& column : columns) sums[column.state] += shown.back()[column.state];
  }
  std::vector<Table::Column> headings{{"STAGE"}};
  for (const StateColumn& column : columns) {
    if (column.is_usual || sums[column.state] > 0) {
      headings.push_back({std::string(column.heading), Table::Align::right});
    }
  }
  Table table(headings);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    std::vector<Table::Cell> row{workflow.stage(static_cast<StageIndex>(i)).name};
    for (const StateColumn& column : columns) {
      if (!column.is_usual && sums[column.state] == 0) continue;
      const std::int64_t count = shown[i][column.state];
      row.emplace_back(with_separators(count), count > 0 ? paint_of(column.state) : Paint::dim);
    }
    table.add(std::move(row));
  }
  return table.text(style);
}

std::string way_out_of_pause(const Job& job) {
  const std::string number = std::to_string(job.id.value());
  if (job.trust == Trust::untrusted) {
    return "it was imported and is not trusted; to see what it would run, and to accept it:  pawl "
           "job "
           "trust " +
           number;
  }
  switch (job.paused) {
    case PauseCause::budget:
      return "its budget is used up; raise it:  pawl job budget " + number +
             " --attempts N --cost-usd N --tokens N";
    case PauseCause::deadline:
      return "its deadline has passed; extend it:  pawl job budget " + number + " --deadline TIME";
    case PauseCause::no_progress:
      return "it made no progress for too long; continue it:  pawl job resume " + number +
             "   or allow more:  pawl job budget " + number + " --no-progress TIME";
    case PauseCause::none:
    case PauseCause::requested:
      break;
  }
  return "an operator paused it; continue it:  pawl job resume " + number;
}

std::vector<std::string> ways_out_of_stage_pauses(const Job& job, const Workflow& workflow) {
  std::vector<std::string> lines;
  if (job.has_ended()) return lines;
  for (const StageIndex index : job.paused_stages) {
    const std::string& stage = workflow.stage(index).name;
    lines.push_back("stage '" + printable(stage) + "' is paused; resume it:  " +
                    printable(views::way_out_of_stage_pause(job.id, stage)));
  }
  return lines;
}

}  // namespace pawl::cli
