#pragma once

/// The results of a job as a table: a row per item, a column per output field.

#include <optional>
#include <string>
#include <vector>

#include "views/results.hpp"

namespace pawl::views {

class ResultTable {
 public:
  /// With `only`, just the columns of that stage.
  ResultTable(const Workflow& workflow, const std::optional<StageIndex>& only);

  /// "item", "state", then "stage.field" for each field that a stage declares. A stage without
  /// declared fields has one column, "stage", with its whole output as JSON.
  [[nodiscard]] std::vector<std::string> headings() const;
  /// Text as it is, everything else as JSON. What is missing is empty.
  [[nodiscard]] std::vector<std::string> cells(Records& records, const ShownResult& result) const;

 private:
  struct Column {
    std::string stage;
    std::string field;  ///< empty: the whole output
  };
  std::vector<Column> columns_;
};

}  // namespace pawl::views
