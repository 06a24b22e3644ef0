#pragma once

/// The text name of every enum value of the core, as used in JSON, files, the command line and
/// logs. Names exist only in codec/names.cpp. A name may be added, never changed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/attempt.hpp"
#include "pawl/core/event.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/policy.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

// Empty for a number that is not a value of the enum.
[[nodiscard]] std::string_view name_of(StateKind value);
[[nodiscard]] std::string_view name_of(ReviewReason value);
[[nodiscard]] std::string_view name_of(SkipReason value);
[[nodiscard]] std::string_view name_of(FailCause value);
[[nodiscard]] std::string_view name_of(CancelCause value);
[[nodiscard]] std::string_view name_of(AttemptResult value);
[[nodiscard]] std::string_view name_of(Cause value);
[[nodiscard]] std::string_view name_of(Verdict value);
[[nodiscard]] std::string_view name_of(ErrorClass value);
[[nodiscard]] std::string_view name_of(ErrorKind value);
[[nodiscard]] std::string_view name_of(ArtifactKind value);
[[nodiscard]] std::string_view name_of(DecisionKind value);
[[nodiscard]] std::string_view name_of(Rule value);
[[nodiscard]] std::string_view name_of(EventType value);
[[nodiscard]] std::string_view name_of(JobState value);
[[nodiscard]] std::string_view name_of(PauseCause value);
[[nodiscard]] std::string_view name_of(Trust value);
[[nodiscard]] std::string_view name_of(BudgetKind value);
[[nodiscard]] std::string_view name_of(ItemState value);
[[nodiscard]] std::string_view name_of(ReviewStatus value);
[[nodiscard]] std::string_view name_of(ReviewOutcome value);
[[nodiscard]] std::string_view name_of(ReviewPolicy value);
[[nodiscard]] std::string_view name_of(OnExhausted value);
[[nodiscard]] std::string_view name_of(OnFailure value);
[[nodiscard]] std::string_view name_of(OnRejected value);
[[nodiscard]] std::string_view name_of(OnUncertain value);
[[nodiscard]] std::string_view name_of(OnBudgetEnd value);
[[nodiscard]] std::string_view name_of(Scope value);
[[nodiscard]] std::string_view name_of(GateMode value);
[[nodiscard]] std::string_view name_of(OnOverdue value);
[[nodiscard]] std::string_view name_of(AnswerFate value);
[[nodiscard]] std::string_view name_of(ReviewNotice value);
[[nodiscard]] std::string_view name_of(ActorKind value);
[[nodiscard]] std::string_view name_of(ActorMethod value);
[[nodiscard]] std::string_view name_of(Role value);
[[nodiscard]] std::string_view name_of(Right value);
[[nodiscard]] std::string_view name_of(ErrorCode value);

// Defined for each of the enums above; others do not link.

/// The value with exactly this name.
template <class E>
[[nodiscard]] std::optional<E> from_name(std::string_view name);
/// The value with this stored number; empty if the enum has no such value.
template <class E>
[[nodiscard]] std::optional<E> from_number(std::int64_t number);
/// Every name in the order of the numbers, for suggestions and schemas.
template <class E>
[[nodiscard]] std::vector<std::string> all_names();

}  // namespace pawl
