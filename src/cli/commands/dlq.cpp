#include <limits>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/input/dead_letters.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {

using views::group_document;
using views::letter_document;
using views::Superseding;

namespace {

struct DlqListOptions {
  std::optional<std::int64_t> job;
  std::optional<std::string> filter;
  std::string stage;
  std::string by;  ///< "error": grouped
  bool discarded = false;
  std::uint32_t limit = 100;
  std::int64_t after = 0;
};

struct DlqExportOptions {
  std::optional<std::int64_t> job;
  std::optional<std::string> filter;
  std::string stage;
  bool discarded = false;
};

Result<DeadLetterQuery> query_of(const std::optional<std::int64_t>& job,
                                 const std::optional<std::string>& filter, const std::string& stage,
                                 bool discarded) {
  Result<std::optional<Filter>> parsed = letter_filter(filter, stage);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return DeadLetterQuery{
      .job = JobId{job.value_or(0)}, .filter = std::move(*parsed), .include_discarded = discarded};
}

int list_groups(Session& session, Store& store, const DeadLetterQuery& query) {
  const Result<DeadLetterAnalysis> analysis = analyse_dead_letters(store, query);
  if (!analysis) return session.fail(analysis.error());
  const Times times = session.times();
  Listing list(session, {.array = "groups",
                         .columns = {{"ERROR", Table::Align::left, 72},
                                     {"STAGE", Table::Align::left, 40},
                                     {"ITEMS", Table::Align::right},
                                     {"FIRST"},
                                     {"LAST"}},
                         .has_ids = false});
  for (const DeadLetterGroup& group : analysis->groups) {
    const auto cells = [&] {
      return Listing::Cells{group.signature, group.stage, with_separators(group.count),
                            times.of(group.first), times.of(group.last)};
    };
    list.add({.document = [&] { return group_document(group); }, .cells = cells});
  }
  // A retry leaves out discarded letters, so the hint names a group that has others.
  DeadLetterQuery open = query;
  open.include_discarded = false;
  const Result<DeadLetterAnalysis> to_retry =
      query.include_discarded ? analyse_dead_letters(store, open) : analysis;
  if (!to_retry) return session.fail(to_retry.error());
  std::vector<std::string> hints;
  if (!list.is_empty()) {
    std::string hint = counted(analysis->letters, "dead letter");
    if (query.include_discarded) {
      hint += ", " + with_separators(analysis->letters - to_retry->letters) + " of them discarded";
    }
    if (!to_retry->groups.empty()) {
      hint += ". retry one group:  pawl dlq retry --filter " +
              quoted_for_shell(to_retry->groups.front().filter) + " --dry-run";
    }
    hints.push_back(std::move(hint));
  }
  return list.finish(
      {.none = "no dead letters",
       .members = {{"letters", analysis->letters}, {"ungrouped", analysis->ungrouped}},
       .hints = std::move(hints)});
}

std::string letter_text(Records& records, const DeadLetter& letter, JobId superseded_by,
                        Session& session) {
  const Times times = session.times();
  std::string out = session.style().paint(Paint::bold, letter_id(records, letter));
  out += "  " + std::string(name_of(letter.cause)) + "  failed " + times.of(letter.failed_at);
  if (letter.discarded) out += "  discarded";
  if (superseded_by) out += "  superseded by job " + std::to_string(superseded_by.value());
  out += "\n" + session.style().paint(Paint::red, printable(letter.error)) + "\n";
  Table table({{"#", Table::Align::right},
               {"RESULT"},
               {"CLASS"},
               {"MESSAGE", Table::Align::left, 90},
               {"AT"}});
  for (const FailedAttempt& failure : letter.failure_history) {
    table.add({std::to_string(failure.number), std::string(name_of(failure.result)),
               std::string(failure.error_class ? name_of(*failure.error_class)
                                               : std::string_view("rejected")),
               failure.message, times.of(failure.at)});
  }
  return table.empty() ? out : out + table.text(session.style());
}

int dlq_list(Session& session, const DlqListOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  if (const Status there = require_job((*store)->records(), options.job); !there) {
    return session.fail(there.error());
  }
  Result<DeadLetterQuery> query =
      query_of(options.job, options.filter, options.stage, options.discarded);
  if (!query) return session.fail(query.error());
  if (options.by == "error") return list_groups(session, **store, *query);
  query->limit = options.limit > 0 ? options.limit : std::numeric_limits<std::uint32_t>::max();
  query->after = TaskId{options.after};
  const Result<DeadLetterPage> page = list_dead_letters(**store, *query);
  if (!page) return session.fail(page.error());

  const Times times = session.times();
  Records& records = (*store)->records();
  Listing list(session, {.array = "items",
                         .columns = {{"JOB", Table::Align::right},
                                     {"ITEM", Table::Align::left, 50},
                                     {"STAGE", Table::Align::left, 40},
                                     {"FAILURES", Table::Align::right},
                                     {"CAUSE"},
                                     {"ERROR", Table::Align::left, 72},
                                     {"FAILED"}}});
  Superseding superseding(records);
  for (const DeadLetter& letter : page->letters) {
    const JobId superseded_by = superseding.job_of(letter);
    const auto cells = [&] {
      std::string cause(name_of(letter.cause));
      if (superseded_by) cause += ", superseded by " + std::to_string(superseded_by.value());
      const std::string stage =
          letter.child_key.empty() ? letter.stage : letter.stage + "[" + letter.child_key + "]";
      return Listing::Cells{std::to_string(letter.job.value()),
                            id_part(letter.item_key),
                            stage,
                            with_separators(letter.failure_count),
                            cause,
                            letter.error,
                            times.of(letter.failed_at)};
    };
    list.add({.document = [&] { return letter_document(records, letter, superseded_by); },
              .id = [&] { return letter_id(records, letter); },
              .cells = cells});
  }
  return list.finish(
      {.none = "no dead letters", .next = page->next ? Json(page->next.value()) : Json()});
}

/// The job whose letters the text means: a job number that is not the key of an item.
std::optional<JobId> job_meant(Records& records, const AddressText& asked) {
  if (asked.job || !asked.stage.empty()) return std::nullopt;
  const std::optional<JobId> number = job_number(asked.text);
  if (!number || !records.job(*number)) return std::nullopt;
  const Result<Address> address = resolve(records, asked);
  const bool is_free = !address && address.error().code == ErrorCode::not_found;
  return is_free ? number : std::nullopt;
}

int dlq_show(Session& session, const AddressText& asked) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  Listing list(session, {.array = "items", .has_ids = false});
  Superseding superseding(records);
  const auto add = [&](const DeadLetter& letter) {
    const JobId later = superseding.job_of(letter);
    return list.add({.document = [&] { return letter_document(records, letter, later); },
                     .text = [&] { return letter_text(records, letter, later, session); }});
  };
  if (const std::optional<JobId> job = job_meant(records, asked)) {
    const Status read = each_dead_letter(**store, {.job = *job}, add);
    if (!read) return session.fail(read.error());
    return list.finish({.none = "no dead letters in job " + asked.text});
  }
  const Result<std::vector<TaskId>> tasks = find_dead_letters(records, asked);
  if (!tasks) return session.fail(tasks.error());
  for (const TaskId task : *tasks) {
    const Result<DeadLetter> letter = show_dead_letter(**store, task);
    if (!letter) return session.fail(letter.error());
    add(*letter);
  }
  return list.finish();
}

int dlq_export(Session& session, const DlqExportOptions& options) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  if (const Status there = require_job((*store)->records(), options.job); !there) {
    return session.fail(there.error());
  }
  const Result<DeadLetterQuery> query =
      query_of(options.job, options.filter, options.stage, options.discarded);
  if (!query) return session.fail(query.error());
  const Result<std::int64_t> count =
      export_dead_letters(**store, *query, [&](std::string_view line) -> Status {
        session.print(printable_lines(line));
        if (*session.streams().out) return {};
        return pawl::fail(ErrorCode::unavailable, "cannot write the letters");
      });
  if (!count) return session.fail(count.error());
  session.say(counted(*count, "dead letter") + " exported");
  return exit_done;
}

}  // namespace

CommandEntry dlq_list_command() {
  return command(
      "dlq list", "pawl dlq list --by error",
      "List failed tasks that nobody has retried or discarded.", &dlq_list,
      [](DlqListOptions& it) -> Words {
        return {
            option("--job", &it.job, "JOB", "Only letters of this job"),
            option("--filter", &it.filter, "EXPR",
                   "Only letters that match, such as error ~ \"timeout\""),
            option("--stage", &it.stage, "STAGE", "Only letters of this stage"),
            choice("--by", &it.by, {"error"}, "Group letters that failed in the same way"),
            flag("--discarded", it.discarded, "Include discarded letters"),
            limit_option(it.limit),
            option("--after", &it.after, "TASK", "Continue the list after this task number"),
        };
      });
}

CommandEntry dlq_show_command() {
  return command("dlq show", "pawl dlq show doc-0419",
                 "Show the dead letters of an item or a job with every failure.", &dlq_show,
                 [](AddressText& it) -> Words {
                   Words words = words_of_address(it);
                   words.front() = argument(&it.text, "ID|JOB", "KEY, JOB/KEY, KEY/STAGE or JOB");
                   return words;
                 });
}

CommandEntry dlq_export_command() {
  return command("dlq export", "pawl dlq export > letters.jsonl",
                 "Print every letter as one line of JSON.", &dlq_export,
                 [](DlqExportOptions& it) -> Words {
                   return {option("--job", &it.job, "JOB", "Only letters of this job"),
                           option("--filter", &it.filter, "EXPR", "Only letters that match"),
                           option("--stage", &it.stage, "STAGE", "Only letters of this stage"),
                           flag("--discarded", it.discarded, "Include discarded letters")};
                 });
}

}  // namespace pawl::cli
