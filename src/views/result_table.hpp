#pragma once

/// The results of a job as a table: a row per item, a column per output field.

#include <functional>
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
  /// Files have no paths.
  [[nodiscard]] std::vector<std::string> cells(const ShownResult& result) const;
  /// The same with the paths of files on this machine.
  [[nodiscard]] std::vector<std::string> cells(Records& records, const ShownResult& result) const;

 private:
  using Shown = std::function<Json(const Json& value)>;
  [[nodiscard]] std::vector<std::string> cells(const ShownResult& result, const Shown& shown) const;

  struct Column {
    std::string stage;
    std::string field;  ///< empty: the whole output
  };
  std::vector<Column> columns_;
};

}  // namespace pawl::views
