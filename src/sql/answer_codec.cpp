#include "sql/answer_codec.hpp"

#include <string>

#include "sql/decoded.hpp"
#include "sql/sql_text.hpp"

namespace pawl::sql {

namespace {

constexpr auto select_answers =
    joined("SELECT ", answer_columns, " FROM review_answers WHERE review = ?1 ORDER BY number");

void read_answer(const Cursor& row, GivenAnswer& given) {
  Columns columns(row);
  columns.into(given.review);
  columns.into(given.number);
  columns.into(given.by_kind);
  columns.into(given.given_at);
  columns.into(given.fate);
  columns.into(given.ended_at);
  given.answer = decoded<Answer>(columns.view());
}

GivenAnswer given_answer_of(const Cursor& row) {
  GivenAnswer given;
  reading_row(
      [&] {
        return "answer " + std::to_string(given.number) + " to review " +
               std::to_string(given.review.value());
      },
      [&] { read_answer(row, given); });
  return given;
}

}  // namespace

std::vector<GivenAnswer> answers_of(Session& session, ReviewId review) {
  std::vector<GivenAnswer> answers;
  for (Cursor row = session.prepared(select_answers).query(review); row.next();) {
    answers.push_back(given_answer_of(row));
  }
  return answers;
}

}  // namespace pawl::sql
