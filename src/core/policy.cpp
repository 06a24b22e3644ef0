#include "pawl/core/policy.hpp"

namespace pawl {

using namespace std::chrono_literals;

std::uint32_t RetryPolicy::failures_max() const {
  return has_separate_caps() ? retry_attempts.value_or(1) : max_attempts;
}

std::uint32_t RetryPolicy::rejections_max() const {
  return has_separate_caps() ? refine_attempts.value_or(1) : max_attempts;
}

std::uint32_t RetryPolicy::attempts_max() const {
  if (!has_separate_caps()) return max_attempts;
  // Each cap minus one may be used without reaching it; the attempt after that is the last.
  const std::uint64_t most = std::uint64_t{failures_max()} + rejections_max();
  constexpr std::uint64_t limit = UINT32_MAX;
  return static_cast<std::uint32_t>(most == 0 ? 0 : (most - 1 < limit ? most - 1 : limit));
}

RetryPolicy RetryPolicy::none() { return {}; }

RetryPolicy RetryPolicy::service() {
  return {.max_attempts = 8, .backoff = {.initial = 60s, .max = 3600s, .multiplier = 2.0}};
}

RetryPolicy RetryPolicy::task() {
  return {.max_attempts = 5, .backoff = {.initial = 2s, .multiplier = 2.0}};
}

RetryPolicy RetryPolicy::batch() {
  return {.max_attempts = 3, .backoff = {.initial = 1s, .max = 30s, .multiplier = 2.0}};
}

bool reviews_on_escalation(ReviewPolicy policy) {
  switch (policy) {
    case ReviewPolicy::always:
    case ReviewPolicy::on_escalation:
    case ReviewPolicy::on_escalation_or_uncertain:
      return true;
    case ReviewPolicy::never:
    case ReviewPolicy::on_uncertain:
      return false;
  }
  return false;
}

bool reviews_on_uncertain(ReviewPolicy policy) {
  switch (policy) {
    case ReviewPolicy::always:
    case ReviewPolicy::on_uncertain:
    case ReviewPolicy::on_escalation_or_uncertain:
      return true;
    case ReviewPolicy::never:
    case ReviewPolicy::on_escalation:
      return false;
  }
  return false;
}

bool always_reviews(ReviewPolicy policy) { return policy == ReviewPolicy::always; }

bool Tolerance::is_exceeded(std::int64_t failed, std::int64_t total, bool total_is_final) const {
  if (count && failed > *count) return true;
  // A percentage means nothing before the total is known: 1 of 1 is not 1 of 1,000.
  return percent && total_is_final &&
         static_cast<double>(failed) * 100.0 > *percent * static_cast<double>(total);
}

}  // namespace pawl
