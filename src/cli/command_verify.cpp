#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "pawl/store/verify.hpp"

namespace pawl::cli {
namespace {

std::string in_words(const Verification& checked) {
  std::string text = counted(checked.jobs, "job") + ", " + counted(checked.items, "item") + ", " +
                     counted(checked.tasks, "task") + ", " + counted(checked.attempts, "attempt") +
                     ", " + counted(checked.reviews, "review") + ", " +
                     counted(checked.events, "event");
  if (checked.decisions_not_checked > 0) {
    text += "; not checked: " + counted(checked.decisions_not_checked, "decision") +
            " of deciders that this program does not have";
  }
  if (!checked.in_motion.empty()) {
    text += "; not judged, as they never held still: " +
            counted(static_cast<std::int64_t>(checked.in_motion.size()), "job");
  }
  return text;
}

Result<std::shared_ptr<Store>> open_named(const std::string& named) {
  const Result<StorePlace> place = read_store_place(named);
  if (!place) return std::unexpected(place.error());
  return open_store(*place, {.create = false, .migrate = false});
}

}  // namespace

int verify(Session& session, const VerifyStoreOptions& options) {
  const Result<std::shared_ptr<Store>> store =
      options.store.empty() ? session.store() : open_named(options.store);
  if (!store) return session.fail(store.error());
  const Result<Verification> checked = pawl::verify((*store)->records());
  if (!checked) return session.fail(checked.error());
  if (session.globals().wants_json()) {
    session.print(verification_document(*checked));
    return checked->ok() ? exit_done : exit_failed;
  }
  for (const Violation& violation : checked->violations) {
    std::string place = "job " + std::to_string(violation.job.value());
    if (violation.task) place += ", task " + std::to_string(violation.task.value());
    session.print(session.style().paint(Paint::red, violation.invariant) + "  " + place + ": " +
                  printable(violation.message) + "\n");
  }
  const std::string verdict =
      checked->ok()
          ? session.style().paint(Paint::green, "ok")
          : session.style().paint(Paint::red, counted(checked->violation_count, "violation"));
  session.print(verdict + ": " + in_words(*checked) + "\n");
  return checked->ok() ? exit_done : exit_failed;
}

}  // namespace pawl::cli
