/// Whatever an older runner left: a checkpoint and, behind a line `---`, its dead letters. They are
/// read or refused, attempts are numbered without a gap, and the job that comes of it keeps every
/// promise and comes only once.

#include "pawl/compat/legacy_import.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

#include "pawl/codec/workflow.hpp"
#include "pawl/store/verify.hpp"

namespace {

using namespace pawl;

void check(const ImportedItem& item) {
  for (std::size_t i = 0; i < item.attempts.size(); ++i) {
    require(item.attempts[i].number == i + 1, "attempts with a gap");
  }
  const bool has_attempts = !item.attempts.empty();
  require(has_attempts == (item.state != ImportState::fresh), "a fresh item with a past");
  if (!has_attempts) return;
  const DecisionKind last = item.attempts.back().decision.kind;
  require((last == DecisionKind::complete) == (item.state == ImportState::completed), "not done");
  require((last == DecisionKind::fail) == (item.state == ImportState::dead), "not dead");
}

const Workflow& one_stage() {
  static const Workflow made = [] {
    WorkflowDefinition definition{.name = "old"};
    definition.stages.push_back({.name = "a", .handler = "code"});
    return *compile(definition);
  }();
  return made;
}

void check_imported(const ImportPlan& plan) {
  static const ManualClock clock;
  const auto store = open_memory_store(clock);
  const Result<Job> job = import_checkpoint(*store, one_stage(), plan);
  require(job.has_value(), job ? "" : "what was read cannot be imported: " + job.error().text());
  require(!job->submission_open, "the job waits for more items");
  const Result<Verification> verified = verify(store->records());
  require(verified && verified->in_motion.empty(), "cannot be verified");
  require(verified->ok(), verified->ok() ? "" : verified->violations.front().message);
  if (plan.job_id.empty()) return;
  const Result<Job> again = import_checkpoint(*store, one_stage(), plan);
  require(again && *again == *job, "imported twice");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  constexpr std::string_view between = "\n---\n";
  const std::size_t end = text.find(between);
  std::optional<std::string_view> letters;
  if (end != std::string_view::npos) letters = text.substr(end + between.size());
  const Result<ImportPlan> plan = read_checkpoint(text.substr(0, end), letters);
  if (!plan) {
    require(plan.error().code == ErrorCode::invalid, "refused for another reason");
    require(!plan.error().message.empty(), "refused without a reason");
    return 0;
  }
  std::size_t attempts = 0;
  for (const ImportedItem& item : plan->items) {
    check(item);
    attempts += item.attempts.size();
  }
  if (attempts < 2'000) check_imported(*plan);  // more is the same, and slow
  return 0;
}
