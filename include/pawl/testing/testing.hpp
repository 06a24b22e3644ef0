#pragma once

/// The test kit: everything that a test of a workflow needs. It depends on no test framework, so it
/// works with all of them. Link pawl::testing; "pawl/pawl.hpp" does not include it.

#include "pawl/testing/replay.hpp"    // whether today's code decides the same
#include "pawl/testing/reviewer.hpp"  // scripted reviewers
#include "pawl/testing/script.hpp"    // scripted stages and gates
#include "pawl/testing/world.hpp"     // start here: virtual time
