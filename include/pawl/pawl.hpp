#pragma once

/// All of pawl, in reading order. For examples and small programs; our own sources include what
/// they use.

#include "pawl/codec/item_key.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/codec/workflow.hpp"
#include "pawl/core/attempt.hpp"  // one execution and the decision it led to
#include "pawl/core/decide.hpp"   // the pure core
#include "pawl/core/event.hpp"
#include "pawl/core/ids.hpp"  // job, item, task, review, worker: types that do not mix
#include "pawl/core/job.hpp"
#include "pawl/core/json.hpp"    // JSON as a value
#include "pawl/core/policy.hpp"  // retry, backoff, review, budgets
#include "pawl/core/result.hpp"  // how pawl says no
#include "pawl/core/review.hpp"
#include "pawl/core/task.hpp"           // the states of a task
#include "pawl/core/workflow.hpp"       // the definition of a DAG of stages
#include "pawl/moving/moving.hpp"       // a job from one store to another
#include "pawl/runtime/context.hpp"     // what a stage knows
#include "pawl/runtime/engine.hpp"      // run it
#include "pawl/runtime/program.hpp"     // start here: build a workflow
#include "pawl/store/dead_letters.hpp"  // what failed for good, and what to do about it
#include "pawl/store/invariants.hpp"    // what is promised of records
#include "pawl/store/postgres.hpp"      // the store of many machines
#include "pawl/store/records.hpp"       // what can be read
#include "pawl/store/replay.hpp"        // what today's workflow would have decided
#include "pawl/store/results.hpp"       // getting the outputs out
#include "pawl/store/sqlite.hpp"        // the default store
#include "pawl/store/store.hpp"         // what can be written
#include "pawl/store/verify.hpp"        // whether a store keeps its promises
#include "pawl/version.hpp"
