#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include "actions/running_now.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/attempts_view.hpp"
#include "cli/output/listing.hpp"
#include "cli/output/log_follower.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"
#include "views/items.hpp"
#include "views/logs.hpp"

namespace pawl::cli {

using views::Log;
using views::log_document;
using views::logs_of;

namespace {

struct ItemLogsOptions {
  AddressText item;
  std::optional<std::uint32_t> attempt;  ///< none: all
  bool follow = false;
};

constexpr Duration between_looks = std::chrono::milliseconds(200);

/// `not_found` if none of the tasks has an attempt with this number.
Status require_attempt(const std::vector<TaskAttempts>& all, std::uint32_t wanted) {
  AttemptNumber last = 0;
  for (const TaskAttempts& one : all) {
    for (const Attempt& attempt : one.attempts) last = std::max(last, attempt.number);
    if (one.has_running_attempt()) last = std::max(last, one.task.attempts);
    const bool has_ended =
        std::ranges::find(one.attempts, wanted, &Attempt::number) != one.attempts.end();
    if (has_ended || (one.has_running_attempt() && one.task.attempts == wanted)) return {};
  }
  return pawl::fail(ErrorCode::not_found, "no such attempt: " + std::to_string(wanted),
                    last == 0 ? "no attempt has started yet"
                              : "the last attempt is " + std::to_string(last) +
                                    "; list them: pawl item attempts ID");
}

/// The log below its heading. --quiet leaves the heading out.
std::string log_text(const Session& session, const Log& log) {
  const std::string heading =
      session.output() == OutputMode::ids ? std::string() : log_heading(session, log);
  return heading + log.text + (log.text.ends_with('\n') ? "" : "\n");
}

bool is_wanted(const ItemLogsOptions& options, const TaskAttempts& one) {
  return !options.attempt || *options.attempt == one.task.attempts;
}

/// The logs of every attempt, a running one after those that have ended.
Result<std::vector<Log>> all_logs(Session& session, Records& records,
                                  const actions::LiveAttempts& live,
                                  const std::vector<TaskAttempts>& all,
                                  const ItemLogsOptions& options) {
  std::vector<Log> logs;
  for (const TaskAttempts& one : all) {
    Result<std::vector<Log>> ended = logs_of(records, {one}, options.attempt);
    if (!ended) return ended;
    std::ranges::move(*ended, std::back_inserter(logs));
    if (!one.has_running_attempt() || !is_wanted(options, one)) continue;
    std::ranges::move(actions::live_logs(live, one), std::back_inserter(logs));
    if (!live.has(one.task.id, one.task.attempts)) {
      session.say(printable(one.name()) + " attempt " + std::to_string(one.task.attempts) +
                  " is running, but this machine has no log of it");
    }
  }
  return logs;
}

/// Whether nothing more will be written before a person acts.
Result<bool> stands_still(Records& records, const Address& address, bool& awaits_review) {
  const Result<Job> job = records.job(address.job.id);
  if (!job) return std::unexpected(job.error());
  if (address.is_child()) {
    const Result<std::optional<Task>> child = views::current_child(records, address);
    if (!child) return std::unexpected(child.error());
    awaits_review = *child && (*child)->kind() == StateKind::awaiting_review;
    if (!*child || awaits_review || has_ended((*child)->kind())) return true;
  }
  std::vector<StateKind> kinds;
  if (address.item) {
    const Result<Item> item = records.item(address.item->id);
    if (!item) return std::unexpected(item.error());
    const auto shown = views::load_item(records, *item, *job, address.workflow);
    if (!shown) return std::unexpected(shown.error());
    for (const ShownTask& task : shown->tasks) {
      kinds.push_back(task.kind());
      const bool is_named = address.stage && task.stage == *address.stage;
      if (is_named && has_ended(task.kind())) return true;
    }
  } else {
    if (job->has_ended()) return true;
    const Result<std::vector<Task>> tasks = views::tasks_at(records, address);
    if (!tasks) return std::unexpected(tasks.error());
    if (tasks->empty()) return false;
    for (const Task& task : *tasks) kinds.push_back(task.kind());
  }
  awaits_review = std::ranges::count(kinds, StateKind::awaiting_review) > 0;
  return std::ranges::all_of(kinds, [](StateKind kind) {
    return has_ended(kind) || kind == StateKind::waiting || kind == StateKind::awaiting_review;
  });
}

int follow(Session& session, Store& store, const StopSignals& signals, const Address& address,
           const actions::LiveAttempts& live, const ItemLogsOptions& options) {
  Records& records = store.records();
  LogFollower follower(session, store, live, options.attempt);
  for (;;) {
    const std::uint64_t mark = store.change_mark();
    bool awaits_review = false;
    // Asked first: what ended before this is printed below.
    const Result<bool> is_over = stands_still(records, address, awaits_review);
    if (!is_over) return session.fail(is_over.error());
    const Result<std::vector<TaskAttempts>> all = attempts_at(records, address);
    if (!all) return session.fail(all.error());
    do {
      if (const Status printed = follower.print_new(*all); !printed) {
        return session.fail(printed.error());
      }
      if (*is_over || follower.has_ended_only()) {
        if (awaits_review) session.say("waits for a reviewer:  pawl review next");
        return exit_done;
      }
      if (signals.wait(between_looks)) return exit_interrupted;
      if (!*session.streams().out) return exit_failed;
    } while (store.change_mark() == mark);
  }
}

int item_logs(Session& session, const ItemLogsOptions& options) {
  std::optional<StopSignals> signals;
  if (options.follow) signals.emplace();
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  const Result<Address> address = resolve(records, options.item);
  if (!address) return session.fail(address.error());
  const Result<std::vector<TaskAttempts>> all = attempts_at(records, *address);
  if (!all) return session.fail(all.error());
  if (options.attempt) {
    if (const Status there = require_attempt(*all, *options.attempt); !there) {
      return session.fail(there.error());
    }
  }
  // Without a run directory nothing runs on this machine.
  const actions::LiveAttempts live(session.run_directory().value_or(std::filesystem::path()),
                                   session.trusts_owner());
  if (options.follow) return follow(session, **store, *signals, *address, live, options);
  const Result<std::vector<Log>> logs = all_logs(session, records, live, *all, options);
  if (!logs) return session.fail(logs.error());

  Listing list(session, {.array = "logs", .has_ids = false});
  for (const Log& log : *logs) {
    list.add({.document = [&] { return log_document(log); },
              .text = [&] { return log_text(session, log); }});
  }
  return list.finish({.none = "no attempt has logs"});
}

}  // namespace

CommandEntry item_logs_command() {
  return command("item logs", "pawl item logs doc-0419 --stage convert --follow",
                 "Print what the commands of an item wrote to stdout and stderr.", &item_logs,
                 [](ItemLogsOptions& it) {
                   Words words = words_of_address(it.item);
                   words.push_back(option("--attempt", &it.attempt, "N", "Only this attempt"));
                   words.push_back(flag("--follow,-f", it.follow,
                                        "Print what is written from now on, too, until the item "
                                        "has ended or waits for a reviewer"));
                   return words;
                 });
}

}  // namespace pawl::cli
