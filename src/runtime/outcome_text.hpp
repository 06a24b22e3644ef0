#pragma once

/// Every text of what stages and gates bring (see "core/record_text.hpp").

#include <variant>

#include "core/record_text.hpp"
#include "pawl/runtime/stage.hpp"

namespace pawl {

template <IsRecord<Output> Record, class Visit>
void each_text(Record& output, Visit& visit) {
  visit(output.json);
  visit(output.summary);
  for (auto& artifact : output.artifacts) each_text(artifact, visit);
}

template <IsRecord<Skip> Record, class Visit>
void each_text(Record& skip, Visit& visit) {
  visit(skip.why);
  for (auto& artifact : skip.artifacts) each_text(artifact, visit);
}

template <IsRecord<NeedsReview> Record, class Visit>
void each_text(Record& asked, Visit& visit) {
  each_text(asked.output, visit);
  visit(asked.why);
}

template <IsRecord<FanOut> Record, class Visit>
void each_text(Record& fan_out, Visit& visit) {
  for (auto& child : fan_out.children) each_text(child, visit);
  visit(fan_out.summary);
}

template <IsRecord<Failure> Record, class Visit>
void each_text(Record& failure, Visit& visit) {
  each_text(failure.error, visit);
  for (auto& artifact : failure.artifacts) each_text(artifact, visit);
}

template <IsRecord<Outcome> Record, class Visit>
void each_text(Record& outcome, Visit& visit) {
  std::visit([&](auto& one) { each_text(one, visit); }, outcome);
}

template <IsRecord<Judgement> Record, class Visit>
void each_text(Record& judgement, Visit& visit) {
  each_text(judgement.feedback, visit);
  visit(judgement.reason);
}

}  // namespace pawl
