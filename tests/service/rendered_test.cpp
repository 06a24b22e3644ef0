/// The forms of a list: pages of JSON, and all of it as JSON lines or CSV.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_test.hpp"
#include "service/api/cursor.hpp"

namespace pawl::service {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

/// What the list of the test has; a test changes it.
struct Shelf {
  std::int64_t size = 2'500;
  std::string name = "book";       ///< of the first row
  std::int64_t broken_after = -1;  ///< reading fails behind this row
  bool is_sparse = false;          ///< most pages are empty, and there are more
  std::vector<std::uint32_t> limits;
};
Shelf shelf;

Json row(std::int64_t number) {
  const std::string name = number == 1 ? shelf.name : "book " + std::to_string(number);
  return Json::object({{"number", number},
                       {"name", name},
                       {"place", Json::object({{"shelf", number % 7}, {"room", Json()}})},
                       {"lent", number % 2 == 0}});
}

Result<Page> page_of_books(const std::string& after, std::uint32_t limit) {
  const Result<std::int64_t> last = number_of_cursor(after);
  if (!last) return std::unexpected(last.error());
  shelf.limits.push_back(limit);
  if (shelf.broken_after >= 0 && *last >= shelf.broken_after) {
    return fail(ErrorCode::unavailable, "the shelf is locked", "");
  }
  Page page;
  std::int64_t number = *last;
  for (std::uint32_t i = 0; i < limit && number < shelf.size; ++i) {
    ++number;
    if (!shelf.is_sparse || number % 1'000 == 0) page.rows.push_back(row(number));
  }
  if (number < shelf.size) page.next = std::to_string(number);
  return page;
}

Result<Reply> list_books(Call& /*call*/) {
  return List{.page = page_of_books,
              .total = [] { return Tally{.count = 1'000, .is_more = true}; },
              .members = {{"library", Json("central")}}};
}
Result<Reply> show_book(Call& /*call*/) { return Document{row(1)}; }

class RenderedTest : public ApiTest {
 protected:
  RenderedTest() {
    shelf = {};
    for (Route& route : table_) route.access = Access::needs(Right::see);
  }
  Answer ask(const std::string& target, const std::string& accept = {}) {
    Request request{.method = "GET", .target = target, .peer = "127.0.0.1"};
    if (!accept.empty()) request.headers.add("Accept", accept);
    Response response = own_.answer(request);
    Answer answer{.status = response.status, .body = response.body, .headers = response.headers};
    last_state_ = BodyStream::State::end;
    while (response.stream) {
      const BodyStream::Piece piece = response.stream->next();
      answer.body += piece.bytes;
      last_state_ = piece.state;
      if (piece.state != BodyStream::State::more) break;
    }
    return answer;
  }
  static std::vector<std::string> lines_of(const Answer& answer) {
    std::vector<std::string> lines;
    std::istringstream text(answer.body);
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }

  std::vector<Route> table_ = {{.method = "GET",
                                .path = "/books",
                                .access = Access::needs(Right::see),
                                .handle = list_books,
                                .operation = "listBooks",
                                .tag = "books",
                                .summary = "The books.",
                                .kind = ReplyKind::list,
                                .schema = "Book",
                                .rows = "books",
                                .columns = {"number", "name", "place.shelf", "place.room", "lent"}},
                               {.method = "GET",
                                .path = "/book",
                                .access = Access::needs(Right::see),
                                .handle = show_book,
                                .operation = "showBook",
                                .tag = "books",
                                .summary = "A book.",
                                .schema = "Book"}};
  Router own_{backend_, gate_, table_, [](const RequestRecord&) {}};
  BodyStream::State last_state_ = BodyStream::State::end;
};

TEST_F(RenderedTest, a_page_has_the_rows_the_cursor_the_count_and_what_else_there_is) {
  const Answer answer = ask("/books");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.headers.find("Content-Type"), "application/json; charset=utf-8");
  EXPECT_THAT(elements(field(answer.json(), "books")), SizeIs(100));
  EXPECT_EQ(answer.at("next"), "\"100\"");
  EXPECT_EQ(answer.at("library"), "\"central\"");
  EXPECT_EQ(answer.at("total.count"), "1000");
  EXPECT_EQ(answer.at("total.is_more"), "true");
}

TEST_F(RenderedTest, paging_through_everything_brings_each_row_once) {
  std::vector<std::int64_t> numbers;
  std::string after;
  for (int pages = 0; pages < 1'000; ++pages) {
    const Answer answer = ask("/books?limit=7" + (after.empty() ? "" : "&after=" + after));
    const Json document = answer.json();
    for (const Json& book : elements(field(document, "books"))) {
      numbers.push_back(*field(book, "number").integer());
    }
    const auto next = field(document, "next").string();
    if (!next) break;
    after = *next;
  }
  ASSERT_THAT(numbers, SizeIs(2'500));
  EXPECT_TRUE(std::ranges::is_sorted(numbers));
  EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), 2'500U);
}

TEST_F(RenderedTest, a_limit_beyond_the_largest_page_is_the_largest_page) {
  EXPECT_THAT(elements(field(ask("/books?limit=100000").json(), "books")), SizeIs(1'000));
  EXPECT_EQ(ask("/books?limit=0").status, 400U);
  EXPECT_EQ(ask("/books?limit=-1").status, 400U);
}

TEST_F(RenderedTest, a_cursor_that_the_list_never_gave_is_400_in_every_form) {
  for (const char* form : {"application/json", "application/jsonl", "text/csv"}) {
    EXPECT_EQ(ask("/books?after=x", form).status, 400U) << form;
    EXPECT_EQ(ask("/books?after=-5", form).status, 400U) << form;
  }
}

TEST_F(RenderedTest, json_lines_are_all_rows_read_page_by_page) {
  const Answer answer = ask("/books", "application/jsonl");
  EXPECT_EQ(answer.headers.find("Content-Type"), "application/jsonl; charset=utf-8");
  EXPECT_EQ(answer.headers.find("Content-Disposition"), "attachment; filename=\"books.jsonl\"");
  const std::vector<std::string> lines = lines_of(answer);
  ASSERT_THAT(lines, SizeIs(2'500));
  EXPECT_EQ(lines[0], row(1).text());
  EXPECT_EQ(lines[2'499], row(2'500).text());
  EXPECT_EQ(shelf.limits, (std::vector<std::uint32_t>{1'000, 1'000, 1'000}));
}

TEST_F(RenderedTest, csv_has_headings_and_the_columns_of_the_route) {
  shelf.size = 2;
  const Answer answer = ask("/books", "text/csv");
  EXPECT_EQ(answer.headers.find("Content-Type"), "text/csv; charset=utf-8");
  EXPECT_EQ(answer.body,
            "number,name,place.shelf,place.room,lent\n"
            "1,book,1,,false\n"
            "2,book 2,2,,true\n");
}

TEST_F(RenderedTest, an_empty_list_as_csv_has_only_headings) {
  shelf.size = 0;
  EXPECT_EQ(ask("/books", "text/csv").body, "number,name,place.shelf,place.room,lent\n");
  EXPECT_EQ(ask("/books", "application/jsonl").body, "");
  EXPECT_EQ(ask("/books").at("books"), "[]");
  EXPECT_EQ(ask("/books").at("next"), "null");
}

TEST_F(RenderedTest, a_list_may_begin_and_end_anywhere_in_every_form) {
  EXPECT_THAT(lines_of(ask("/books?after=2490", "application/jsonl")), SizeIs(10));
  EXPECT_THAT(lines_of(ask("/books?limit=1500", "application/jsonl")), SizeIs(1'500));
  EXPECT_THAT(lines_of(ask("/books?limit=3&after=10", "text/csv")), SizeIs(4));
}

TEST_F(RenderedTest, empty_pages_in_between_end_nothing) {
  shelf.is_sparse = true;
  EXPECT_THAT(lines_of(ask("/books", "application/jsonl")), SizeIs(2));
  shelf.size = 900;
  EXPECT_EQ(ask("/books", "application/jsonl").body, "");
}

TEST_F(RenderedTest, a_formula_is_not_one_for_a_spreadsheet) {
  shelf.size = 1;
  for (const char* formula : {"=1+1", "+SUM(A1)", "-2+3", "@cmd", "\n=1", " =1"}) {
    shelf.name = formula;
    EXPECT_THAT(ask("/books", "text/csv").body, HasSubstr("'")) << formula;
  }
  shelf.name = "-5";
  EXPECT_THAT(ask("/books", "text/csv").body, HasSubstr("1,-5,")) << "a number is no formula";
}

TEST_F(RenderedTest, a_hostile_cell_stays_in_its_cell) {
  shelf.size = 1;
  shelf.name = "a\",b\n2,forged,\x1b[31m";
  EXPECT_EQ(ask("/books", "text/csv").body,
            "number,name,place.shelf,place.room,lent\n"
            "1,\"a\"\",b\n2,forged,\\u001b[31m\",1,,false\n");
  EXPECT_THAT(lines_of(ask("/books", "application/jsonl")), SizeIs(1));
}

TEST_F(RenderedTest, the_first_form_that_a_list_has_is_answered) {
  const auto type = [&](const std::string& accept) {
    return std::string(ask("/books", accept).headers.find("Content-Type").value_or(""));
  };
  EXPECT_THAT(type("text/html, text/csv, application/json"), HasSubstr("text/csv"));
  EXPECT_THAT(type("text/csv;q=0.5"), HasSubstr("text/csv"));
  EXPECT_THAT(type("TEXT/CSV"), HasSubstr("text/csv"));
  EXPECT_THAT(type("application/x-ndjson"), HasSubstr("application/jsonl"));
  EXPECT_THAT(type("text/html,application/xhtml+xml,*/*;q=0.8"), HasSubstr("application/json"));
  EXPECT_THAT(type(""), HasSubstr("application/json"));
}

TEST_F(RenderedTest, a_form_that_a_list_does_not_have_is_406) {
  for (const char* accept : {"text/html", "application/xml, image/png", "csv", ",,;"}) {
    const Answer answer = ask("/books", accept);
    EXPECT_EQ(answer.status, 406U) << accept;
    EXPECT_EQ(answer.at("error.code"), "\"not_acceptable\"");
  }
}

TEST_F(RenderedTest, a_document_is_json_whatever_is_accepted) {
  EXPECT_EQ(ask("/book", "text/html").headers.find("Content-Type"),
            "application/json; charset=utf-8");
}

TEST_F(RenderedTest, a_list_that_cannot_be_begun_has_a_status_and_one_that_breaks_off_is_cut) {
  shelf.broken_after = 0;
  for (const char* form : {"application/json", "application/jsonl", "text/csv"}) {
    EXPECT_EQ(ask("/books", form).status, 503U) << form;
  }
  shelf.broken_after = 1'000;
  const Answer answer = ask("/books", "application/jsonl");
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(last_state_, BodyStream::State::cut) << "so that the client notices";
  EXPECT_THAT(lines_of(answer), SizeIs(1'000));
}

}  // namespace
}  // namespace pawl::service
