#pragma once

/// The test kit: everything a test of a workflow needs. It knows no test framework, so it goes with
/// each of them. Link pawl::testing; "pawl/pawl.hpp" does not include it.

#include "pawl/testing/replay.hpp"    // would today's code decide the same?
#include "pawl/testing/reviewer.hpp"  // people who answer by a script
#include "pawl/testing/script.hpp"    // what scripted stages and gates say
#include "pawl/testing/world.hpp"     // start here: virtual time
