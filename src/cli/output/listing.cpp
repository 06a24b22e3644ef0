#include "cli/output/listing.hpp"

#include <algorithm>
#include <cctype>

#include "pawl/codec/json.hpp"
#include "pawl/views/documents.hpp"
#include "views/csv.hpp"

namespace pawl::cli {

Listing::Listing(Session& session, Shape shape)
    : session_(session),
      shape_(std::move(shape)),
      mode_(session.output() == OutputMode::ids && !shape_.has_ids ? OutputMode::text
                                                                   : session.output()),
      table_(shape_.columns) {
  if (!shape_.csv) return;
  std::vector<std::string> headings;
  for (const Table::Column& column : shape_.columns) {
    std::string& heading = headings.emplace_back(column.heading);
    std::ranges::transform(heading, heading.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  }
  session_.print(views::csv_line(headings));
}

bool Listing::add(const Row& row) {
  if (error_) return false;
  is_cut_ = shape_.limit > 0 && count_ == shape_.limit;
  if (is_cut_) return false;
  const Status printed = print(row);
  if (!printed) error_ = printed.error();
  ++count_;
  return printed.has_value();
}

Status Listing::print(const Row& row) {
  if (mode_ == OutputMode::ids) {
    session_.print_id(row.id());
  } else if (session_.prints_json()) {
    Result<Json> document = row.document();
    if (!document) return std::unexpected(document.error());
    if (mode_ == OutputMode::json) {
      documents_.push_back(std::move(*document));
    } else {
      session_.print(*document);
    }
  } else if (row.cells) {
    Result<Cells> cells = row.cells();
    if (!cells) return std::unexpected(cells.error());
    if (shape_.csv) {
      std::vector<std::string> texts;
      for (const Table::Cell& cell : *cells) texts.push_back(cell.text);
      session_.print(views::csv_line(texts));
      return {};
    }
    table_.add(std::move(*cells));
  } else if (row.text) {
    session_.print(row.text());
  }
  return {};
}

int Listing::finish(const Ending& ending) {
  if (error_) return session_.fail(*error_);
  if (mode_ == OutputMode::json) {
    std::vector<std::pair<std::string, Json>> members = {{shape_.array, Json::array(documents_)}};
    members.insert(members.end(), ending.members.begin(), ending.members.end());
    if (ending.next) members.emplace_back("next", *ending.next);
    if (ending.total) {
      const Result<Tally> total = ending.total();
      if (!total) return session_.fail(total.error());
      members.emplace_back("total", tally_document(*total));
    }
    session_.print(Json::object(members));
  }
  if (mode_ != OutputMode::text) return exit_done;
  if (!table_.empty()) session_.print(table_.without_empty_columns().text(session_.style()));
  session_.print(ending.text);
  if (is_empty() && !ending.none.empty()) session_.say(ending.none);
  for (const std::string& hint : ending.hints) session_.say(hint);
  if (ending.next && !ending.next->is_null()) {
    const Result<std::string> hint = hint_of_more(ending);
    if (!hint) return session_.fail(hint.error());
    session_.say(*hint);
  }
  return exit_done;
}

/// "20 of 1,000+ are shown; there are more: pass --limit 0 for all, or --after 20"
Result<std::string> Listing::hint_of_more(const Ending& ending) const {
  std::string hint;
  if (ending.total) {
    const Result<Tally> total = ending.total();
    if (!total) return std::unexpected(total.error());
    hint = with_separators(count_) + " of " + with_separators(total->count) +
           (total->is_more ? "+" : "") + " are shown; ";
  }
  const Result<std::string> after = JsonView(*ending.next).string();
  return hint + "there are more: pass --limit 0 for all, or --after " +
         (after ? quoted_for_shell(*after) : ending.next->text());
}

}  // namespace pawl::cli
