#pragma once

/// Expectations: {field: {at_least: 100}}. Each becomes a criterion that people and the next
/// attempt can read. The words: equals, not_equals, at_least, at_most, one_of, matches, min_length,
/// max_length, present.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/resolve.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

/// What one value is expected to be, `wanted` as {word: value}; each word is one criterion under
/// `name`. `invalid` when an expectation makes no sense, for example a bound that is no number.
[[nodiscard]] Result<std::vector<Criterion>> compare(const std::string& name, const Json& actual,
                                                     const Json& wanted, const Lookup& lookup);

/// The criteria of {field: expectation} over an output.
[[nodiscard]] Result<std::vector<Criterion>> expect(const Json& expectations, const Json& output,
                                                    const Lookup& lookup);

/// "1 of 2 criteria not met"
[[nodiscard]] std::string summary_of(const std::vector<Criterion>& criteria);

/// Whether a stage's `when` holds: null always does; a reference does unless it is false, null, 0
/// or empty; an object of {reference: expectation} when all of them are met.
[[nodiscard]] Result<bool> holds(const Json& when, const Lookup& lookup);

}  // namespace pawl
