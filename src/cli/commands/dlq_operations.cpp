#include <algorithm>
#include <functional>
#include <set>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/input/dead_letters.hpp"
#include "cli/input/id_list.hpp"
#include "cli/output/job_view.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct DlqActOptions {
  std::vector<std::string> ids;
  std::optional<std::int64_t> job;
  std::string stage;
  std::optional<std::string> filter;
  bool all = false;
  bool dry_run = false;
  std::string note;  ///< the feedback of a retry, or the reason of a discard
  std::string as;
};

using Verb = std::function<Result<DeadLetterTally>(
    Store&, const DeadLetterSelection&, const DeadLetterOrder&, const DeadLetterListener&)>;

struct Wording {
  std::string ask;   ///< "Retry"
  std::string done;  ///< "ready again"
  std::string done_to_one = done;
  bool is_destructive = false;
};

/// The selected letters: by ids or by a filter.
Result<DeadLetterSelection> selection_of(Session& session, Records& records,
                                         const DlqActOptions& options) {
  if (const Status there = require_job(records, options.job); !there) {
    return std::unexpected(there.error());
  }
  DeadLetterSelection selection;
  if (options.job) selection.job = JobId{*options.job};
  const std::vector<std::string> ids = read_ids(session, options.ids);
  const bool by_filter = options.filter.has_value() || options.all;
  if (!options.ids.empty() && by_filter) {
    return pawl::fail(ErrorCode::invalid, "cannot combine ids with --filter or --all",
                      "pass either ids or a filter");
  }
  for (const std::string& id : ids) {
    const Result<std::vector<TaskId>> tasks =
        find_dead_letters(records, {id, options.job, options.stage});
    if (!tasks) return std::unexpected(tasks.error());
    selection.tasks.insert(selection.tasks.end(), tasks->begin(), tasks->end());
  }
  if (!options.ids.empty()) {
    // "-" with an empty stdin selects nothing, never everything.
    if (selection.tasks.empty()) return pawl::fail(ErrorCode::invalid, "no dead letters selected");
    return selection;
  }
  const bool is_narrowed = by_filter || !options.stage.empty() || options.job.has_value();
  if (!is_narrowed) {
    return pawl::fail(ErrorCode::invalid, "no dead letters selected",
                      "pass ids, --filter EXPR, --job JOB, --stage STAGE or --all");
  }
  Result<std::optional<Filter>> filter = letter_filter(options.filter, options.stage);
  if (!filter) return std::unexpected(std::move(filter.error()));
  selection.filter = std::move(*filter);
  selection.all = !selection.filter.has_value();
  return selection;
}

Json answer_document(Records& records, const DeadLetterAnswer& answer) {
  const Json error =
      answer.refusal ? *field(failure_document(*answer.refusal), "error").json() : Json();
  return Json::object({{"item", answer.item_key.empty() ? Json() : Json(answer.item_key)},
                       {"stage", answer.stage},
                       {"job", answer.job.value()},
                       {"task", answer.task.value()},
                       {"id", letter_id(records, answer)},
                       {"ok", !answer.refusal.has_value()},
                       {"error", error}});
}

/// What the operation did, letter by letter.
class Report {
 public:
  /// `is_one`: exactly one letter is named, so that its refusal needs no name.
  Report(Session& session, Records& records, bool lists_each, bool is_one)
      : session_(session),
        records_(records),
        lists_each_(lists_each),
        is_one_(is_one),
        list_(session, {.array = "items"}) {}

  void hear(const DeadLetterAnswer& answer) {
    if (!answer.refusal) jobs.insert(answer.job.value());
    if (answer.refusal) {
      const Error error = with_commands(*answer.refusal, answer.job);
      if (!first_refusal) first_refusal = error;
      if (!session_.prints_json()) return refuse(answer, error);
    }
    const auto name = [&] { return letter_id(records_, answer); };
    list_.add({.document = [&] { return answer_document(records_, answer); },
               .id = name,
               .text = [&] { return lists_each_ ? name() + "\n" : std::string(); }});
  }

  void finish(const DeadLetterTally& tally) {
    for (const std::string& help : helps_) session_.say("help: " + printable(help));
    list_.finish(
        {.members = {
             {"done", tally.done}, {"refused", tally.refused}, {"dry_run", tally.dry_run}}});
  }

  std::optional<Error> first_refusal;
  std::set<std::int64_t> jobs;

 private:
  /// One line for each of many letters, and what helps against it once, at the end.
  void refuse(const DeadLetterAnswer& answer, const Error& error) {
    if (is_one_) {
      session_.fail(error);
      return;
    }
    session_.say("refused: " + letter_id(records_, answer) + ": " + printable(error.message));
    const bool is_new = std::ranges::find(helps_, error.help) == helps_.end();
    if (!error.help.empty() && is_new && helps_.size() < helps_max) helps_.push_back(error.help);
  }

  static constexpr std::size_t helps_max = 5;

  Session& session_;
  Records& records_;
  bool lists_each_;
  bool is_one_;
  std::vector<std::string> helps_;
  Listing list_;
};

int act(Session& session, const DlqActOptions& options, const Wording& wording, const Verb& verb) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<DeadLetterSelection> selection = selection_of(session, (*store)->records(), options);
  if (!selection) return session.fail(selection.error());
  const Actor actor = Session::actor(options.as);
  const DeadLetterOrder order{
      .by = actor.name, .note = options.note, .dry_run = options.dry_run, .actor = actor};

  const bool is_bulk = selection->tasks.empty();
  const bool asks = (is_bulk || wording.is_destructive) && !options.dry_run;
  if (asks && !session.globals().yes) {
    DeadLetterOrder counting = order;
    counting.dry_run = true;
    const Result<DeadLetterTally> would = verb(**store, *selection, counting, {});
    if (!would) return session.fail(would.error());
    if (would->done > 0) {
      const Status agreed =
          session.confirm(wording.ask + " " + counted(would->done, "dead letter") + "?");
      if (!agreed) return session.fail(agreed.error());
    }
  }
  Report report(session, (*store)->records(),
                !is_bulk || options.dry_run || session.globals().verbose,
                selection->tasks.size() == 1);
  const Result<DeadLetterTally> tally = verb(
      **store, *selection, order, [&](const DeadLetterAnswer& answer) { report.hear(answer); });
  if (!tally) return session.fail(tally.error());
  report.finish(*tally);
  const bool is_one = tally->done == 1;
  session.say(counted(tally->done, "dead letter") +
              (tally->dry_run ? " would be " : (is_one ? " is " : " are ")) +
              (is_one ? wording.done_to_one : wording.done) +
              (tally->refused > 0 ? ", " + with_separators(tally->refused) + " refused" : "") +
              (tally->dry_run ? "; nothing was changed" : ""));
  if (wording.done == "ready again" && !tally->dry_run) {
    for (const std::int64_t job : report.jobs) {
      session.say("continue with:  pawl resume " + std::to_string(job));
    }
  }
  if (!report.first_refusal) return exit_done;
  // In a bulk change, others may have dealt with some letters meanwhile. That is not a failure.
  const bool was_overtaken = is_bulk && report.first_refusal->code == ErrorCode::conflict;
  return was_overtaken && tally->done > 0 ? exit_done : exit_code_of(report.first_refusal->code);
}

int dlq_retry(Session& session, const DlqActOptions& options) {
  return act(session, options, {.ask = "Retry", .done = "ready again"}, &retry_dead_letters);
}

int dlq_discard(Session& session, const DlqActOptions& options) {
  return act(session, options, {.ask = "Discard", .done = "discarded"}, &discard_dead_letters);
}

int dlq_purge(Session& session, const DlqActOptions& options) {
  return act(session, options,
             {.ask = "Permanently delete the items of",
              .done = "deleted, with all records of their items",
              .done_to_one = "deleted, with all records of its item",
              .is_destructive = true},
             &purge_dead_letters);
}

Words words_of_selection(DlqActOptions& it) {
  return {
      optional_argument(&it.ids, "ID...", "KEY, JOB/KEY or KEY/STAGE; - reads them from stdin"),
      option("--job", &it.job, "JOB", "Only letters of this job"),
      option("--stage", &it.stage, "STAGE", "Only letters of this stage"),
      option("--filter", &it.filter, "EXPR", "All letters that match, such as error ~ \"timeout\""),
      flag("--all", it.all, "All letters"),
      flag("--dry-run", it.dry_run, "Report what would be done, and change nothing"),
      person_option(it.as),
  };
}

}  // namespace

CommandEntry dlq_retry_command() {
  return command(
      "dlq retry", "pawl dlq retry --filter 'error ~ \"timeout\"' --dry-run",
      "Make dead letters ready to run again. To work on them: pawl resume.", &dlq_retry,
      [](DlqActOptions& it) {
        Words words = words_of_selection(it);
        words.push_back(option("--note", &it.note, "TEXT", "Feedback for the next attempt"));
        return words;
      });
}

CommandEntry dlq_discard_command() {
  return command(
      "dlq discard", "pawl dlq discard doc-0419 --reason \"a blank page\"",
      "Mark dead letters as dealt with. Their records stay.", &dlq_discard, [](DlqActOptions& it) {
        Words words = words_of_selection(it);
        words.push_back(required_option("--reason,--note", &it.note, "TEXT", "The reason"));
        return words;
      });
}

CommandEntry dlq_purge_command() {
  return command("dlq purge", "pawl dlq purge --filter 'discarded and age > 30d' --dry-run",
                 "Delete the items of discarded letters, with all their records.", &dlq_purge,
                 &words_of_selection);
}

}  // namespace pawl::cli
