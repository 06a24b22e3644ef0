#include "pawl/store/verify.hpp"

#include <algorithm>

#include "cli/commands/commands.hpp"
#include "cli/session.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/invariants.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct VerifyStoreOptions {
  std::string store;     ///< empty: the project's; with `explain`: a promise, or empty for all
  bool quick = false;    ///< do not read the bytes of payloads
  bool explain = false;  ///< only print the promises
};

std::string in_words(const Verification& checked) {
  std::string text = counted(checked.jobs, "job") + ", " + counted(checked.items, "item") + ", " +
                     counted(checked.tasks, "task") + ", " + counted(checked.attempts, "attempt") +
                     ", " + counted(checked.reviews, "review") + ", " +
                     counted(checked.events, "event");
  if (checked.payloads > 0 || checked.payload_bytes > 0) {
    text += ", " + counted(checked.payloads, "payload") + " (" +
            (checked.payload_bytes > 0 ? bytes_in_words(checked.payload_bytes) : "none") + " read)";
  }
  if (checked.decisions_not_checked > 0) {
    text += "; not checked: " + counted(checked.decisions_not_checked, "decision") +
            " of deciders that this program does not have";
  }
  if (checked.jobs_without_log > 0) {
    text += "; without a log: " + counted(checked.jobs_without_log, "job");
  }
  return text;
}

/// One line for each part that could not be judged.
std::string left_out(const Verification& checked) {
  std::string text;
  const auto jobs_left_out = [&](const std::vector<JobId>& jobs, std::string_view why) {
    if (jobs.empty()) return;
    text += jobs.size() == 1 ? "not judged: job " : "not judged: jobs ";
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      text += (i == 0 ? "" : ", ") + std::to_string(jobs[i].value());
    }
    text += " (" + std::string(why) + ")\n";
  };
  jobs_left_out(checked.in_motion, "changed during every read; verify again while no worker runs");
  jobs_left_out(checked.arriving, "incomplete: finish its import with `pawl import`");
  if (checked.pools_not_judged) {
    text += "not judged: the pools (changed during every read)\n";
  }
  return text;
}

Result<std::shared_ptr<Store>> open_named(const Session& session, const std::string& named) {
  const Result<StorePlace> place = read_store_place(named);
  if (!place) return std::unexpected(place.error());
  Result<OpenStore> how = session.opening(false);
  if (!how) return std::unexpected(how.error());
  how->migrate = false;
  return open_store(*place, *how);
}

std::string place_of(const Violation& violation) {
  std::string place;
  const auto add = [&](const std::string& part) { place += (place.empty() ? "" : ", ") + part; };
  if (violation.job) add("job " + std::to_string(violation.job.value()));
  if (!violation.item_key.empty()) add("item '" + printable(violation.item_key) + "'");
  if (!violation.stage.empty()) add("stage '" + printable(violation.stage) + "'");
  if (violation.task && violation.stage.empty()) {
    add("task " + std::to_string(violation.task.value()));
  }
  return place.empty() ? "the store" : place;
}

std::string told(Session& session, const Invariant& one, bool with_check) {
  std::string text =
      session.style().paint(Paint::bold, one.id) + "  " + std::string(one.promise) + "\n";
  if (with_check) text += "    checked: " + std::string(one.checked) + "\n";
  return text + "    a violation means: " + std::string(one.meaning) +
         "\n    what to do: " + std::string(one.way_out) + "\n";
}

int explain(Session& session, const std::string& named) {
  const Invariant* one = named.empty() ? nullptr : find_invariant(named);
  if (!named.empty() && one == nullptr) {
    return session.fail(
        Error{.code = ErrorCode::invalid,
              .message = "no such promise: '" + named + "'",
              .help = "`pawl verify --explain` lists them: I1 to I15, I17, I18, log and database"});
  }
  const std::span<const Invariant> wanted =
      one == nullptr ? invariants() : std::span<const Invariant>(one, 1);
  const auto document = [&] {
    std::vector<Json> list;
    for (const Invariant& each : wanted) {
      list.push_back(Json::object({{"id", std::string(each.id)},
                                   {"promise", std::string(each.promise)},
                                   {"checked", std::string(each.checked)},
                                   {"meaning", std::string(each.meaning)},
                                   {"way_out", std::string(each.way_out)}}));
    }
    return Json::object({{"invariants", Json::array(list)}});
  };
  const auto text = [&] {
    std::string out;
    for (const Invariant& each : wanted) out += told(session, each, true);
    return out;
  };
  return session.present({.document = document, .text = text});
}

std::string report_text(Session& session, const Verification& checked) {
  std::string out;
  for (const Violation& violation : checked.violations) {
    out += session.style().paint(Paint::red, violation.invariant) + "  " + place_of(violation) +
           ": " + printable(violation.message) + "\n";
  }
  const auto unnamed =
      checked.violation_count - static_cast<std::int64_t>(checked.violations.size());
  if (unnamed > 0) out += "… and " + std::to_string(unnamed) + " more\n";
  // Explain each broken promise once.
  for (const Invariant& one : invariants()) {
    if (std::ranges::count(checked.violations, one.id, &Violation::invariant) == 0) continue;
    out += "\n" + told(session, one, false);
  }
  if (!checked.ok()) out += "\n";
  out += left_out(checked);
  const std::string verdict =
      checked.ok()
          ? checked.is_complete()
                ? session.style().paint(Paint::green, "ok")
                : session.style().paint(Paint::yellow, "ok as far as it could be judged")
          : session.style().paint(Paint::red, counted(checked.violation_count, "violation"));
  return out + verdict + ": " + in_words(checked) + "\n";
}

int verify(Session& session, const VerifyStoreOptions& options) {
  if (options.explain) return explain(session, options.store);
  if (!options.store.empty() && !session.globals().store.empty()) {
    return session.fail_usage("two stores are given: as an argument and with --store",
                              "pass only one of them");
  }
  const Result<std::shared_ptr<Store>> store =
      options.store.empty() ? session.store() : open_named(session, options.store);
  if (!store) return session.fail(store.error());
  VerifyOptions how;
  if (options.quick) {
    how.payloads = VerifyOptions::Payloads::present;
    how.database = VerifyOptions::Database::quick;
  }
  const Result<Verification> checked = pawl::verify((*store)->records(), how);
  if (!checked) return session.fail(checked.error());
  session.present({.document = [&] { return verification_document(*checked); },
                   .text = [&] { return report_text(session, *checked); }});
  return checked->ok() ? exit_done : exit_failed;
}

}  // namespace

CommandEntry verify_command() {
  return command(
      "verify", "pawl verify", "Check the records of a store against the promises of the engine.",
      &verify, [](VerifyStoreOptions& it) -> Words {
        return {
            optional_argument(&it.store, "STORE", "The store; default: that of the project"),
            flag("--quick", it.quick, "Do not read payloads, and do not compare database indexes"),
            flag("--explain", it.explain,
                 "Print all promises, or the one given instead of STORE, such as I6")};
      });
}

}  // namespace pawl::cli
