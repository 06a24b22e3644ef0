/// Enums by their names and numbers.

#include <array>
#include <cstddef>

#include "pawl/codec/names.hpp"

namespace pawl {
namespace {

// Numbers are small and dense, so the reverse lookup is an array.
constexpr std::size_t numbers_max = 40;
using NamesByNumber = std::array<std::string_view, numbers_max>;

template <class E>
const NamesByNumber& names_by_number() {
  static const NamesByNumber names = [] {
    NamesByNumber made;
    for (std::size_t number = 0; number < numbers_max; ++number) {
      made[number] = name_of(static_cast<E>(number));
    }
    return made;
  }();
  return names;
}

}  // namespace

template <class E>
std::optional<E> from_name(std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (std::size_t number = 0; number < numbers_max; ++number) {
    if (names_by_number<E>()[number] == name) return static_cast<E>(number);
  }
  return std::nullopt;
}

template <class E>
std::optional<E> from_number(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(numbers_max)) return std::nullopt;
  if (names_by_number<E>()[static_cast<std::size_t>(number)].empty()) return std::nullopt;
  return static_cast<E>(number);
}

template <class E>
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const std::string_view name : names_by_number<E>()) {
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

template std::optional<StateKind> from_name(std::string_view);
template std::optional<ReviewReason> from_name(std::string_view);
template std::optional<SkipReason> from_name(std::string_view);
template std::optional<FailCause> from_name(std::string_view);
template std::optional<CancelCause> from_name(std::string_view);
template std::optional<AttemptResult> from_name(std::string_view);
template std::optional<Cause> from_name(std::string_view);
template std::optional<Verdict> from_name(std::string_view);
template std::optional<ErrorClass> from_name(std::string_view);
template std::optional<ErrorKind> from_name(std::string_view);
template std::optional<ArtifactKind> from_name(std::string_view);
template std::optional<DecisionKind> from_name(std::string_view);
template std::optional<Rule> from_name(std::string_view);
template std::optional<EventType> from_name(std::string_view);
template std::optional<JobState> from_name(std::string_view);
template std::optional<PauseCause> from_name(std::string_view);
template std::optional<Trust> from_name(std::string_view);
template std::optional<BudgetKind> from_name(std::string_view);
template std::optional<ItemState> from_name(std::string_view);
template std::optional<ReviewStatus> from_name(std::string_view);
template std::optional<ReviewOutcome> from_name(std::string_view);
template std::optional<ReviewPolicy> from_name(std::string_view);
template std::optional<OnExhausted> from_name(std::string_view);
template std::optional<OnFailure> from_name(std::string_view);
template std::optional<OnRejected> from_name(std::string_view);
template std::optional<OnUncertain> from_name(std::string_view);
template std::optional<OnBudgetEnd> from_name(std::string_view);
template std::optional<Scope> from_name(std::string_view);
template std::optional<GateMode> from_name(std::string_view);
template std::optional<OnOverdue> from_name(std::string_view);
template std::optional<AnswerFate> from_name(std::string_view);
template std::optional<ReviewNotice> from_name(std::string_view);
template std::optional<ActorKind> from_name(std::string_view);
template std::optional<ActorMethod> from_name(std::string_view);
template std::optional<Role> from_name(std::string_view);
template std::optional<Right> from_name(std::string_view);
template std::optional<ErrorCode> from_name(std::string_view);

template std::optional<StateKind> from_number(std::int64_t);
template std::optional<ReviewReason> from_number(std::int64_t);
template std::optional<SkipReason> from_number(std::int64_t);
template std::optional<FailCause> from_number(std::int64_t);
template std::optional<CancelCause> from_number(std::int64_t);
template std::optional<AttemptResult> from_number(std::int64_t);
template std::optional<Cause> from_number(std::int64_t);
template std::optional<Verdict> from_number(std::int64_t);
template std::optional<ErrorClass> from_number(std::int64_t);
template std::optional<ErrorKind> from_number(std::int64_t);
template std::optional<ArtifactKind> from_number(std::int64_t);
template std::optional<DecisionKind> from_number(std::int64_t);
template std::optional<Rule> from_number(std::int64_t);
template std::optional<EventType> from_number(std::int64_t);
template std::optional<JobState> from_number(std::int64_t);
template std::optional<PauseCause> from_number(std::int64_t);
template std::optional<Trust> from_number(std::int64_t);
template std::optional<BudgetKind> from_number(std::int64_t);
template std::optional<ItemState> from_number(std::int64_t);
template std::optional<ReviewStatus> from_number(std::int64_t);
template std::optional<ReviewOutcome> from_number(std::int64_t);
template std::optional<ReviewPolicy> from_number(std::int64_t);
template std::optional<OnExhausted> from_number(std::int64_t);
template std::optional<OnFailure> from_number(std::int64_t);
template std::optional<OnRejected> from_number(std::int64_t);
template std::optional<OnUncertain> from_number(std::int64_t);
template std::optional<OnBudgetEnd> from_number(std::int64_t);
template std::optional<Scope> from_number(std::int64_t);
template std::optional<GateMode> from_number(std::int64_t);
template std::optional<OnOverdue> from_number(std::int64_t);
template std::optional<AnswerFate> from_number(std::int64_t);
template std::optional<ReviewNotice> from_number(std::int64_t);
template std::optional<ActorKind> from_number(std::int64_t);
template std::optional<ActorMethod> from_number(std::int64_t);
template std::optional<Role> from_number(std::int64_t);
template std::optional<Right> from_number(std::int64_t);
template std::optional<ErrorCode> from_number(std::int64_t);

template std::vector<std::string> all_names<StateKind>();
template std::vector<std::string> all_names<ReviewReason>();
template std::vector<std::string> all_names<SkipReason>();
template std::vector<std::string> all_names<FailCause>();
template std::vector<std::string> all_names<CancelCause>();
template std::vector<std::string> all_names<AttemptResult>();
template std::vector<std::string> all_names<Cause>();
template std::vector<std::string> all_names<Verdict>();
template std::vector<std::string> all_names<ErrorClass>();
template std::vector<std::string> all_names<ErrorKind>();
template std::vector<std::string> all_names<ArtifactKind>();
template std::vector<std::string> all_names<DecisionKind>();
template std::vector<std::string> all_names<Rule>();
template std::vector<std::string> all_names<EventType>();
template std::vector<std::string> all_names<JobState>();
template std::vector<std::string> all_names<PauseCause>();
template std::vector<std::string> all_names<Trust>();
template std::vector<std::string> all_names<BudgetKind>();
template std::vector<std::string> all_names<ItemState>();
template std::vector<std::string> all_names<ReviewStatus>();
template std::vector<std::string> all_names<ReviewOutcome>();
template std::vector<std::string> all_names<ReviewPolicy>();
template std::vector<std::string> all_names<OnExhausted>();
template std::vector<std::string> all_names<OnFailure>();
template std::vector<std::string> all_names<OnRejected>();
template std::vector<std::string> all_names<OnUncertain>();
template std::vector<std::string> all_names<OnBudgetEnd>();
template std::vector<std::string> all_names<Scope>();
template std::vector<std::string> all_names<GateMode>();
template std::vector<std::string> all_names<OnOverdue>();
template std::vector<std::string> all_names<AnswerFate>();
template std::vector<std::string> all_names<ReviewNotice>();
template std::vector<std::string> all_names<ActorKind>();
template std::vector<std::string> all_names<ActorMethod>();
template std::vector<std::string> all_names<Role>();
template std::vector<std::string> all_names<Right>();
template std::vector<std::string> all_names<ErrorCode>();

}  // namespace pawl
