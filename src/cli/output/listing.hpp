#pragma once

/// Prints a list in the form that the options ask for: a table, ids, one document, or a document
/// per line.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

class Listing {
 public:
  struct Shape {
    std::string array;                        ///< the name of the rows in the document: "jobs"
    std::vector<Table::Column> columns = {};  ///< none: each row is a text of its own
    std::uint32_t limit = 0;                  ///< maximum number of rows; 0: all
    bool has_ids = true;                      ///< false: --quiet prints what people see
    bool csv = false;                         ///< print the cells as CSV instead of a table
  };

  using Cells = std::vector<Table::Cell>;

  /// One row in every form. Only the chosen form is made.
  struct Row {
    std::function<Result<Json>()> document;
    std::function<std::string()> id = {};  ///< escaped, so that other commands accept it
    std::function<Result<Cells>()> cells = {};
    std::function<std::string()> text = {};  ///< whole lines, for a list without columns
  };

  /// What follows the rows.
  struct Ending {
    std::string none = {};                                   ///< the message for no rows
    std::string text = {};                                   ///< printed below the table
    std::vector<std::pair<std::string, Json>> members = {};  ///< of the document, after the rows
    std::vector<std::string> hints = {};                     ///< messages for people
    /// Where --after continues the list; null at its end. Becomes "next" of the document and a hint
    /// for people.
    std::optional<Json> next = std::nullopt;
    /// How many rows there are in all, if that can be counted. Becomes "total" of the document, and
    /// part of the hint.
    std::function<Result<Tally>()> total = {};
  };

  Listing(Session& session, Shape shape);

  /// Adds a row. False ends the list: the limit was reached before, so the row is left out, or the
  /// row could not be made, which `finish` reports.
  bool add(const Row& row);
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  /// Whether a row was left out.
  [[nodiscard]] bool is_cut() const { return is_cut_; }

  /// Prints what was collected, or reports the error of a row. Returns the exit code.
  int finish(const Ending& ending);
  int finish() { return finish(Ending{}); }

 private:
  [[nodiscard]] Status print(const Row& row);
  [[nodiscard]] Result<std::string> hint_of_more(const Ending& ending) const;

  Session& session_;
  Shape shape_;
  OutputMode mode_;
  Table table_;
  std::vector<Json> documents_;
  std::uint32_t count_ = 0;
  bool is_cut_ = false;
  std::optional<Error> error_;
};

}  // namespace pawl::cli
