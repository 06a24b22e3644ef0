#pragma once

/// An answer to a review as a row of `review_answers`.

#include <vector>

#include "codec/values.hpp"
#include "pawl/core/review_rules.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// In the order of `answer_values`.
inline constexpr char answer_columns[] =
    "review, number, by_kind, given_at, fate, ended_at, answer";
/// The columns that can change.
inline constexpr char answer_changing_columns[] = "fate, ended_at";

/// The answers of a review, in order.
[[nodiscard]] std::vector<GivenAnswer> answers_of(Session& session, ReviewId review);

/// Calls `use` with all values of the row; they are valid until it returns.
template <class Use>
auto answer_values(const GivenAnswer& given, Use use) {
  return use(given.review, given.number, given.by_kind, given.given_at, given.fate, given.ended_at,
             codec::to_json_text(given.answer));
}

}  // namespace pawl::sql
