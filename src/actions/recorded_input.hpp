#pragma once

/// The input of a stage, resolved from the records alone: for people who look at the stage later.

#include "actions/resolve.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/records.hpp"

namespace pawl::actions {

/// What an input is resolved from.
struct InputSource {
  const Job& job;
  const Workflow& workflow;
  const Item* item = nullptr;  ///< null: a job-wide stage
  const Task& task;
};

/// Returns what references stand for. `in` and `out` are those of the stage itself; without them,
/// references to them are null. The records, and what the source refers to, must outlive the
/// lookup.
[[nodiscard]] Lookup recorded_lookup(Records& records, const InputSource& source, Json in = {},
                                     Json out = {});

/// The stage's `in` with every reference resolved, as an attempt gets it now; files stay files.
/// Null if the stage has no `in`, is not a stage of a workflow file, or is a fan-out, whose
/// children have inputs of their own.
[[nodiscard]] Result<Json> recorded_input(Records& records, const InputSource& source);

}  // namespace pawl::actions
