#pragma once

/// Most of pawl, in reading order. For examples and small programs; pawl's own sources include only
/// what they use. Programs that come from older systems include the headers in pawl/compat as well.

// clang-format off: the order is for readers

// Start here: build a workflow, run it, keep its records.
#include "pawl/runtime/program.hpp"     // a workflow with the code of its stages
#include "pawl/runtime/context.hpp"     // what a stage can read
#include "pawl/runtime/engine.hpp"      // runs it
#include "pawl/store/sqlite.hpp"        // the default store
#include "pawl/store/postgres.hpp"      // a store for many machines

// The values, and the pure core that decides.
#include "pawl/core/result.hpp"         // how pawl reports errors
#include "pawl/core/json.hpp"           // JSON as a value
#include "pawl/core/ids.hpp"            // job, item, task, review, worker: types that do not mix
#include "pawl/core/workflow.hpp"       // the definition of a graph of stages
#include "pawl/core/policy.hpp"         // retry, backoff, review, budgets
#include "pawl/core/job.hpp"
#include "pawl/core/task.hpp"           // the states of a task
#include "pawl/core/attempt.hpp"        // one execution and the decision it led to
#include "pawl/core/review.hpp"
#include "pawl/core/event.hpp"
#include "pawl/core/decide.hpp"

// Reading records and acting on them.
#include "pawl/store/records.hpp"       // what can be read
#include "pawl/store/store.hpp"         // what can be written
#include "pawl/store/results.hpp"       // the outputs of a job
#include "pawl/store/dead_letters.hpp"  // what failed for good, and what to do about it
#include "pawl/store/verify.hpp"        // checks a store against its invariants
#include "pawl/store/invariants.hpp"    // the invariants
#include "pawl/store/replay.hpp"        // what a changed workflow would have decided
#include "pawl/views/documents.hpp"     // records as JSON documents
#include "pawl/transfer/transfer.hpp"       // a job from one store to another

// Texts.
#include "pawl/codec/json.hpp"          // reading JSON values
#include "pawl/codec/names.hpp"         // the names of states and outcomes
#include "pawl/codec/workflow.hpp"      // a workflow as JSON
#include "pawl/codec/item_key.hpp"
#include "pawl/version.hpp"
