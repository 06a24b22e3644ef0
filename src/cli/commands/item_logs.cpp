#include <algorithm>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/attempts_view.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "views/logs.hpp"

namespace pawl::cli {

using views::Log;
using views::log_document;
using views::logs_of;

namespace {

struct ItemLogsOptions {
  AddressText item;
  std::optional<std::uint32_t> attempt;  ///< none: all
};

/// `not_found` if none of the tasks has an ended attempt with this number.
Status require_attempt(const std::vector<TaskAttempts>& all, std::uint32_t wanted) {
  AttemptNumber last = 0;
  for (const TaskAttempts& one : all) {
    for (const Attempt& attempt : one.attempts) {
      if (attempt.number == wanted) return {};
      last = std::max(last, attempt.number);
    }
  }
  return pawl::fail(ErrorCode::not_found, "no such attempt: " + std::to_string(wanted),
                    last == 0 ? "no attempt has ended yet"
                              : "the last ended attempt is " + std::to_string(last) +
                                    "; list them: pawl item attempts ID");
}

/// The log below its heading. --quiet leaves the heading out.
std::string log_text(const Session& session, const Log& log) {
  std::string out;
  if (session.output() != OutputMode::ids) {
    const std::string heading =
        log.task + " attempt " + std::to_string(log.attempt) + " " + std::string(log.stream);
    out = session.style().paint(Paint::bold, "==> " + printable(heading) + " <==") + "\n";
  }
  return out + log.text + (log.text.ends_with('\n') ? "" : "\n");
}

int item_logs(Session& session, const ItemLogsOptions& options) {
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
  const Result<std::vector<Log>> logs = logs_of(records, *all, options.attempt);
  if (!logs) return session.fail(logs.error());

  Listing list(session, {.array = "logs", .has_ids = false});
  for (const Log& log : *logs) {
    list.add({.document = [&] { return log_document(log); },
              .text = [&] { return log_text(session, log); }});
  }
  return list.finish({.none = "no ended attempt has logs"});
}

}  // namespace

CommandEntry item_logs_command() {
  return command("item logs", "pawl item logs doc-0419 --stage convert",
                 "Print what the commands of an item wrote to stdout and stderr.", &item_logs,
                 [](ItemLogsOptions& it) {
                   Words words = words_of_address(it.item);
                   words.push_back(option("--attempt", &it.attempt, "N", "Only this attempt"));
                   return words;
                 });
}

}  // namespace pawl::cli
