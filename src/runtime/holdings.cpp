#include "runtime/holdings.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pawl::runtime {

namespace {

constexpr std::size_t results_max = 1'024;

std::set<OpenName> without(const std::set<OpenName>& all, const std::set<OpenName>& some) {
  std::set<OpenName> rest;
  std::ranges::set_difference(all, some, std::inserter(rest, rest.end()));
  return rest;
}

/// What is in both: it was different before, and still is.
std::vector<OpenName> lasting(const std::set<OpenName>& before, const std::set<OpenName>& now) {
  std::vector<OpenName> both;
  std::ranges::set_intersection(before, now, std::back_inserter(both));
  return both;
}

}  // namespace

Holdings::Differences Holdings::compare(const std::set<OpenName>& stored,
                                        const std::set<OpenName>& held) {
  std::set<OpenName> unknown = without(stored, held);
  std::set<OpenName> withdrawn = without(held, stored);
  Differences differences{.unknown = lasting(unknown_, unknown),
                          .withdrawn = lasting(withdrawn_, withdrawn)};
  unknown_ = std::move(unknown);
  withdrawn_ = std::move(withdrawn);
  return differences;
}

void Holdings::clear() {
  unknown_.clear();
  withdrawn_.clear();
}

void AcknowledgedResults::add(TaskId task, Version opened_as, AttemptNumber number) {
  if (results_.size() >= results_max) results_.pop_front();
  results_.push_back({.attempt = {task, opened_as}, .number = number});
}

std::vector<AcknowledgedResults::Result> AcknowledgedResults::report(
    const std::vector<OpenName>& forgotten) {
  std::vector<Result> reported;
  for (const OpenName& attempt : forgotten) {
    const auto result = std::ranges::find(results_, attempt, &Result::attempt);
    if (result == results_.end() || std::exchange(result->is_reported, true)) continue;
    reported.push_back(*result);
  }
  return reported;
}

bool AcknowledgedResults::contains(const OpenName& attempt) const {
  return std::ranges::find(results_, attempt, &Result::attempt) != results_.end();
}

}  // namespace pawl::runtime
