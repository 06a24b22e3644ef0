#pragma once

/// The policies of a stage: how long, how often, who is asked, what a failure means.

#include <cstdint>
#include <optional>

#include "workflow/draft.hpp"
#include "workflow/map_reader.hpp"

namespace pawl::workflow {

/// `retry`, with what the file leaves out filled in.
struct Retrying {
  std::uint32_t attempts = 1;
  Backoff backoff;
};

/// `defaults`: each for the stages that do not say it themselves.
struct Defaults {
  std::optional<Duration> timeout;
  std::optional<Retrying> retry;
  std::optional<OnFailure> on_failure;
  Place on_failure_place;
};

[[nodiscard]] Defaults read_defaults(Faults& faults, const Value& value);

/// timeout, retry, on_failure and limits.
void read_attempt_policies(const MapReader& stage, const Defaults& defaults, StageDraft& draft);
/// refine and review, which must agree. After the gates.
void read_review_policies(const MapReader& stage, StageDraft& draft);

}  // namespace pawl::workflow
