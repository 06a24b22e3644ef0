#pragma once

/// Expectations such as {field: {at_least: 100}}. Each becomes a criterion that people and the next
/// attempt can read. Supported: equals, not_equals, at_least, at_most, one_of, matches, min_length,
/// max_length, present.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "actions/resolve.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

/// Compares a value with `wanted`, an object of {expectation: bound}. Each expectation becomes one
/// criterion called `name`. `invalid` if an expectation makes no sense, for example if a bound is
/// not a number.
[[nodiscard]] Result<std::vector<Criterion>> compare(const std::string& name, const Json& actual,
                                                     const Json& wanted, const Lookup& lookup);

/// The criteria of {field: expectation} for an output.
[[nodiscard]] Result<std::vector<Criterion>> expect(const Json& expectations, const Json& output,
                                                    const Lookup& lookup);

/// "1 of 2 criteria not met", "2 of 2 criteria met"
[[nodiscard]] std::string summary_of(const std::vector<Criterion>& criteria);

/// Whether a stage's `when` holds. Null always holds; a reference holds unless it is false, null, 0
/// or empty; an object of {reference: expectation} holds if all of them are met.
[[nodiscard]] Result<bool> holds(const Json& when, const Lookup& lookup);

}  // namespace pawl::actions
