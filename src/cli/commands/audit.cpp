/// `pawl audit`: who did what to which record, and whether the trail is whole.

#include "pawl/store/audit.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/listing.hpp"
#include "cli/session.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct AuditListOptions {
  std::optional<std::int64_t> job;
  std::string by;
  std::string act;
  std::uint32_t limit = 100;
  std::int64_t after = 0;
  std::uint32_t last = 0;  ///< only so many of the newest; 0: from the oldest
};

struct AuditVerifyOptions {
  std::string head;  ///< a digest that the trail must contain; empty: any
};

constexpr std::uint32_t page_size = 500;

/// "ann", and how the name is known unless it is the local user.
std::string actor_in_words(const Actor& actor) {
  std::string text = actor.name.empty() ? "-" : actor.name;
  if (actor.kind != ActorKind::person) return text + " (" + std::string(name_of(actor.kind)) + ")";
  if (actor.method == ActorMethod::local) return text;
  return text + " (" + std::string(name_of(actor.method)) + ")";
}

/// What the act set; the entries of an imported job say so.
std::string details_in_words(const AuditEntry& entry) {
  if (entry.origin.empty()) return entry.details;
  return entry.details.empty() ? "(imported)" : "(imported) " + entry.details;
}

int audit_list(Session& session, const AuditListOptions& options) {
  if (options.last > 0 && options.after > 0) {
    return session.fail_usage("--last and --after exclude each other",
                              "--last shows the newest entries, --after continues a list");
  }
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  Records& records = (*store)->records();
  if (const Status there = require_job(records, options.job); !there) {
    return session.fail(there.error());
  }
  const Times times = session.times();
  Listing list(session, {.array = "entries",
                         .columns = {{"ENTRY", Table::Align::right},
                                     {"TIME"},
                                     {"BY", Table::Align::left, 40},
                                     {"ACT"},
                                     {"TARGET", Table::Align::left, 40},
                                     {"DETAILS", Table::Align::left, 50},
                                     {"REASON", Table::Align::left, 50}},
                         .limit = options.last > 0 ? 0 : options.limit});
  const AuditFilter filter{.job = JobId{options.job.value_or(0)},
                           .actor = options.by,
                           .act = options.act,
                           .after = options.after,
                           .limit = page_size};
  std::int64_t last = 0;
  const auto add = [&](const AuditEntry& entry) {
    const auto cells = [&] {
      return Listing::Cells{std::to_string(entry.number),
                            times.of_entry(entry.at),
                            actor_in_words(entry.actor),
                            entry.act,
                            entry.target,
                            details_in_words(entry),
                            entry.reason};
    };
    const bool added = list.add({.document = [&] { return audit_document(entry); },
                                 .id = [&] { return std::to_string(entry.number); },
                                 .cells = cells});
    if (added) last = entry.number;
    return added;
  };
  std::deque<AuditEntry> newest;
  const Status read = each_row(records, filter, [&](const AuditEntry& entry) {
    if (options.last == 0) return add(entry);
    newest.push_back(entry);
    if (newest.size() > options.last) newest.pop_front();
    return true;
  });
  if (!read) return session.fail(read.error());
  for (const AuditEntry& entry : newest) add(entry);
  return list.finish({.none = "no matching entries", .next = list.is_cut() ? Json(last) : Json()});
}

int audit_export(Session& session) {
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  std::int64_t count = 0;
  const Status read = each_row(
      (*store)->records(), AuditFilter{.limit = page_size}, [&](const AuditEntry& entry) -> Status {
        session.print(audit_document(entry));
        ++count;
        if (*session.streams().out) return {};
        return pawl::fail(ErrorCode::unavailable, "cannot write the entries");
      });
  if (!read) return session.fail(read.error());
  session.say(counted(count, "entry", "entries") + " exported");
  return exit_done;
}

std::string report_text(Session& session, const AuditCheck& check) {
  std::string out;
  for (const std::string& fault : check.faults) {
    out += session.style().paint(Paint::red, "fault") + "  " + printable(fault) + "\n";
  }
  const std::string verdict =
      check.faults.empty()
          ? session.style().paint(Paint::green, "ok")
          : session.style().paint(Paint::red,
                                  counted(static_cast<std::int64_t>(check.faults.size()), "fault"));
  out += verdict + ": " + counted(check.entries, "entry", "entries") + "\n";
  if (!check.head.empty()) out += "head: " + check.head + "\n";
  return out;
}

int audit_verify(Session& session, const AuditVerifyOptions& options) {
  if (!options.head.empty() && !is_sha256_hex(options.head)) {
    return session.fail_usage("--head is not a digest: '" + printable(options.head) + "'",
                              "pass the head that an earlier `pawl audit verify` printed");
  }
  const Result<std::shared_ptr<Store>> store = session.store();
  if (!store) return session.fail(store.error());
  const Result<AuditCheck> check = verify_audit((*store)->records(), options.head);
  if (!check) return session.fail(check.error());
  session.present({.document = [&] { return audit_check_document(*check); },
                   .text = [&] { return report_text(session, *check); },
                   .id = [&] { return check->head; }});
  if (check->faults.empty() && options.head.empty() && !check->head.empty()) {
    session.say("keep the head elsewhere, and later:  pawl audit verify --head " + check->head);
  }
  return check->faults.empty() ? exit_done : exit_failed;
}

}  // namespace

CommandEntry audit_list_command() {
  return command(
      "audit list", "pawl audit list --job 41 --by anna",
      "List who did what to which record, and why.", &audit_list,
      [](AuditListOptions& it) -> Words {
        return {option("--job", &it.job, "JOB", "Only entries about this job"),
                option("--by", &it.by, "NAME", "Only entries of this person or program"),
                option("--act", &it.act, "ACT", "Only entries of this act, such as review.answer"),
                limit_option(it.limit),
                option("--after", &it.after, "ENTRY", "Continue the list after this entry"),
                option("--last", &it.last, "N", "Only the N newest entries, the newest last")};
      });
}

CommandEntry audit_export_command() {
  return command("audit export", "pawl audit export > audit.jsonl",
                 "Print every entry of the audit trail as one line of JSON.", &audit_export);
}

CommandEntry audit_verify_command() {
  return command("audit verify", "pawl audit verify --head 3f1c…",
                 "Check that no entry of the audit trail was changed or removed.", &audit_verify,
                 [](AuditVerifyOptions& it) -> Words {
                   return {option("--head", &it.head, "DIGEST",
                                  "A head that was printed earlier; the trail must contain it")};
                 });
}

}  // namespace pawl::cli
