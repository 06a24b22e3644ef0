#pragma once

/// The figures of a soak for people and for programs.

#include <cstdio>
#include <vector>

#include "bench/soak/options.hpp"
#include "bench/soak/tally.hpp"
#include "pawl/core/json.hpp"

namespace pawl::soak {

void print_heading(std::FILE* out);
/// One line with the current figures and the lone items since `since`.
void print_line(std::FILE* out, const Course& course, WorkTally& tally, double since);
void print_findings(std::FILE* out, const std::vector<Finding>& findings);

[[nodiscard]] Json document(const Options& options, const Course& course, WorkTally& tally,
                            const std::vector<Finding>& findings);

}  // namespace pawl::soak
