/// The answer of a route in the form that the request accepts.

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "pawl/views/documents.hpp"
#include "service/api/router.hpp"
#include "views/csv.hpp"

namespace pawl::service {
namespace {

enum class Form : std::uint8_t { json, json_lines, csv };

/// The first form of the Accept field that a list has. Weights are ignored: who prefers something
/// names it first.
std::optional<Form> accepted_form(const Request& request) {
  const auto accept = request.headers.find("Accept");
  if (!accept || accept->empty()) return Form::json;
  std::string_view rest = *accept;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view type = rest.substr(0, std::min(rest.find(';'), comma));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (type.starts_with(' ')) type.remove_prefix(1);
    while (type.ends_with(' ')) type.remove_suffix(1);
    const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
      return std::ranges::any_of(names, [&](auto name) { return is_same_name(type, name); });
    };
    if (is_one_of({"*/*", "application/*", "application/json"})) return Form::json;
    if (is_one_of({"application/jsonl", "application/x-ndjson"})) return Form::json_lines;
    if (is_one_of({"text/*", "text/csv"})) return Form::csv;
  }
  return std::nullopt;
}

/// "job.state" of a row as the text of a cell: a string as it is, nothing for null.
std::string cell_of(const Json& row, std::string_view column) {
  const JsonView value = field(row, column);
  if (!value.exists() || value.text() == "null") return {};
  return value.string().value_or(std::string(value.text()));
}

/// All rows of a list, read page by page while they are sent.
class Rows : public BodyStream {
 public:
  Rows(const Route& route, List list, Form form, std::string after,
       std::optional<std::int64_t> limit)
      : route_(route),
        list_(std::move(list)),
        form_(form),
        after_(std::move(after)),
        left_(limit) {}

  /// Reads the first page, so that an error is still a status.
  Status begin() {
    Result<Page> page = read();
    if (!page) return std::unexpected(page.error());
    first_ = std::move(*page);
    return {};
  }

  Piece next() override {
    std::string bytes;
    if (first_ && form_ == Form::csv) bytes = headings();
    Result<Page> page = first_ ? Result<Page>(*std::exchange(first_, std::nullopt)) : read();
    if (!page) return {.state = State::cut, .bytes = {}};
    for (const Json& row : page->rows) bytes += line_of(row);
    if (left_) *left_ -= static_cast<std::int64_t>(page->rows.size());
    const bool is_over = !page->next || (left_ && *left_ <= 0);
    if (page->next) after_ = *page->next;
    return {.state = is_over ? State::end : State::more, .bytes = std::move(bytes)};
  }

 private:
  [[nodiscard]] Result<Page> read() {
    const std::int64_t rows = std::min<std::int64_t>(left_.value_or(page_rows_max), page_rows_max);
    return list_.page(after_, static_cast<std::uint32_t>(rows));
  }
  [[nodiscard]] std::string headings() const {
    if (list_.table) return views::csv_line(list_.table->headings);
    return views::csv_line({route_.columns.begin(), route_.columns.end()});
  }
  [[nodiscard]] std::string line_of(const Json& row) const {
    if (form_ == Form::json_lines) return row.text() + "\n";
    if (list_.table) return views::csv_line(list_.table->cells(row));
    std::vector<std::string> cells;
    for (const std::string_view column : route_.columns) cells.push_back(cell_of(row, column));
    return views::csv_line(cells);
  }

  const Route& route_;
  const List list_;
  const Form form_;
  std::string after_;
  std::optional<std::int64_t> left_;
  std::optional<Page> first_;
};

Response page_response(const Route& route, const Call& call, const List& list) {
  const std::int64_t limit =
      std::min<std::int64_t>(call.query.integer("limit", page_rows), page_rows_max);
  Result<Page> page = list.page(call.query.text("after"), static_cast<std::uint32_t>(limit));
  if (!page) return error_response(page.error());
  std::vector<std::pair<std::string, Json>> members;
  members.emplace_back(route.rows, Json::array(page->rows));
  members.insert(members.end(), list.members.begin(), list.members.end());
  members.emplace_back("next", page->next ? Json(*page->next) : Json());
  if (list.total) {
    const Result<Tally> total = list.total();
    if (!total) return error_response(total.error());
    members.emplace_back("total", tally_document(*total));
  }
  return json_response(200, Json::object(members));
}

Response list_response(const Route& route, const Call& call, List list) {
  const std::optional<Form> form = accepted_form(call.request);
  if (!form) {
    return error_response(406, "not_acceptable", "this list is not available in that form",
                          "accept application/json, application/jsonl or text/csv");
  }
  if (*form == Form::json) return page_response(route, call, list);
  std::optional<std::int64_t> limit;
  if (call.query.has("limit")) limit = call.query.integer("limit");
  auto rows =
      std::make_shared<Rows>(route, std::move(list), *form, call.query.text("after"), limit);
  if (const Status begun = rows->begin(); !begun) return error_response(begun.error());
  Response response{.status = 200, .headers = {}, .body = {}, .stream = std::move(rows)};
  response.headers.add("Content-Type", *form == Form::csv ? "text/csv; charset=utf-8"
                                                          : "application/jsonl; charset=utf-8");
  response.headers.add("Content-Disposition", "attachment; filename=\"" + std::string(route.rows) +
                                                  (*form == Form::csv ? ".csv\"" : ".jsonl\""));
  return response;
}

}  // namespace

Response rendered(const Route& route, const Call& call, Reply reply) {
  if (auto* const document = std::get_if<Document>(&reply)) {
    return json_response(route.status, document->json);
  }
  if (auto* const list = std::get_if<List>(&reply)) {
    return list_response(route, call, std::move(*list));
  }
  if (auto* const response = std::get_if<Response>(&reply)) return std::move(*response);
  return Response{.status = 204};
}

}  // namespace pawl::service
