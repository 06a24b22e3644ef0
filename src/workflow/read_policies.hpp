#pragma once

/// Reads the policies of a stage: timeout, retry, refine, review, limits and on_failure.

#include <cstdint>
#include <optional>

#include "workflow/draft.hpp"
#include "workflow/map_reader.hpp"

namespace pawl::workflow {

/// `retry`, with defaults for the keys that the file leaves out.
struct Retrying {
  std::uint32_t attempts = 1;
  Backoff backoff;
};

/// `defaults`: used by the stages that do not set these keys themselves.
struct Defaults {
  std::optional<Duration> timeout;
  std::optional<Retrying> retry;
  std::optional<OnFailure> on_failure;
  Place on_failure_place;
};

[[nodiscard]] Defaults read_defaults(Faults& faults, const Value& value);

/// Reads timeout, retry, on_failure and limits.
void read_attempt_policies(const MapReader& stage, const Defaults& defaults, StageDraft& draft);
/// Reads refine and review, which must agree. Call it after `read_gates`.
void read_review_policies(const MapReader& stage, StageDraft& draft);

}  // namespace pawl::workflow
