#include "cli/output/log_follower.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "actions/log_text.hpp"
#include "text/utf8.hpp"

namespace pawl::cli {

using views::Log;
using views::TaskAttempts;

namespace {

constexpr std::array<std::string_view, 2> streams{"stdout", "stderr"};

/// Without the first bytes of a character at the end, whose other bytes are still to come.
std::string_view without_part_of_character(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const std::size_t at = text.size() - back;
    if (!text::begins_character(text[at])) continue;
    const auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return length > back ? text.substr(0, at) : text;
  }
  return text;
}

Log log_of(const TaskAttempts& one, AttemptNumber attempt, std::string_view stream,
           std::string text) {
  const auto size = static_cast<std::int64_t>(text.size());
  return {.task = one.name(),
          .attempt = attempt,
          .stream = stream,
          .text = std::move(text),
          .size = size,
          .is_running = true};
}

}  // namespace

std::string log_heading(const Session& session, const Log& log) {
  const std::string heading =
      log.task + " attempt " + std::to_string(log.attempt) + " " + std::string(log.stream);
  return session.style().paint(Paint::bold, "==> " + printable(heading) + " <==") + "\n";
}

Status LogFollower::print_new(const std::vector<TaskAttempts>& all) {
  for (const TaskAttempts& one : all) {
    for (const Attempt& attempt : one.attempts) {
      if (!is_wanted(attempt.number) || ended_.contains({one.task.id, attempt.number})) continue;
      if (const Status printed = print_ended(one, attempt); !printed) return printed;
      ended_.insert({one.task.id, attempt.number});
    }
    if (one.has_running_attempt() && is_wanted(one.task.attempts)) print_running(one);
  }
  session_.streams().out->flush();
  return {};
}

bool LogFollower::has_ended_only() const { return only_ && !ended_.empty(); }

/// What was printed while the attempt ran is the beginning of its log. The record may have left out
/// the middle of a long one.
Status LogFollower::print_ended(const TaskAttempts& one, const Attempt& attempt) {
  const TaskAttempts single{.task = one.task, .stage = one.stage, .attempts = {attempt}};
  Result<std::vector<Log>> logs = views::logs_of(store_.records(), {single}, std::nullopt);
  if (!logs) return std::unexpected(logs.error());
  for (Log& log : *logs) {
    const std::int64_t printed = at_[{{one.task.id, attempt.number}, log.stream}];
    log.text = actions::stored_after(log.text, log.size, printed);
    if (log.text.empty()) continue;
    print(log);
  }
  return {};
}

void LogFollower::print_running(const TaskAttempts& one) {
  for (const std::string_view stream : streams) {
    std::int64_t& printed = at_[{{one.task.id, one.task.attempts}, stream}];
    const std::string text = live_.log(one.task.id, one.task.attempts, stream, printed);
    const std::string_view whole = without_part_of_character(text);
    if (whole.empty()) continue;
    printed += static_cast<std::int64_t>(whole.size());
    print(log_of(one, one.task.attempts, stream, std::string(whole)));
  }
}

void LogFollower::print(const Log& log) {
  const auto text = [&] {
    std::string out;
    const std::string heading = log_heading(session_, log);
    if (heading != heading_) {
      if (!is_at_line_start_) out += "\n";
      if (session_.output() != OutputMode::ids) out += heading;
      heading_ = heading;
    }
    is_at_line_start_ = log.text.ends_with('\n');
    return out + log.text;
  };
  session_.present({.document = [&] { return views::log_document(log); }, .text = text});
}

}  // namespace pawl::cli
