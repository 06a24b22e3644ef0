#include "pawl/testing/replay.hpp"

#include <algorithm>
#include <fstream>

#include "pawl/transfer/transfer.hpp"
#include "testing/backstage.hpp"

namespace pawl::testing {

namespace {

/// An exported job, imported into a store of its own in memory.
struct Arrived {
  std::shared_ptr<Store> store;
  JobId job;
};

Arrived arrived(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) wrong("cannot read " + file.string());
  const std::shared_ptr<Store> store = open_memory_store(system_clock());
  const Result<Imported> imported = import_job(*store, in);
  if (!imported) wrong(file.string() + ": " + imported.error().text());
  std::string broken;
  for (const Violation& one : imported->verified.violations) {
    broken += "\n" + one.invariant + ": " + one.message;
  }
  if (!broken.empty()) wrong(file.string() + " violates invariants:" + broken);
  return {.store = store, .job = imported->job.id};
}

}  // namespace

Replay replay(Records& records, JobId job, const Program& today) {
  const auto decider = [&](std::string_view name) -> Decider {
    const auto& stages = today.workflow().definition().stages;
    const auto stage = std::ranges::find(stages, name, &StageDefinition::decider);
    if (stage == stages.end()) return nullptr;
    const std::string handler =
        stage->is_human() ? today.workflow().name() + "." + stage->name : stage->handler;
    const auto code = today.handlers().find(handler);
    return code == today.handlers().end() ? nullptr : code->second->decider;
  };
  return must(pawl::replay(records, job, today.workflow(), {.decider = decider}));
}

Replay replay(Records& records, JobId job, const WorkflowFile& today) {
  return must(pawl::replay(records, job, today.workflow));
}

Replay replay_export(const std::filesystem::path& file, const Program& today) {
  const Arrived there = arrived(file);
  return replay(there.store->records(), there.job, today);
}
Replay replay_export(const std::filesystem::path& file, const WorkflowFile& today) {
  const Arrived there = arrived(file);
  return replay(there.store->records(), there.job, today);
}

}  // namespace pawl::testing
