#pragma once

/// Reads items from lines: a line that begins with {, [ or " is JSON, any other is text. Empty
/// lines are skipped.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

class ItemLines {
 public:
  /// `name` is the name of the source in errors.
  ItemLines(std::shared_ptr<std::FILE> file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}

  /// Reads the next document. Returns false at the end. `invalid` names the source and the line.
  [[nodiscard]] Result<bool> next(Json& document);
  /// "items.jsonl, line 12"
  [[nodiscard]] std::string place() const;

 private:
  [[nodiscard]] Result<bool> next_line(std::string& line);

  std::shared_ptr<std::FILE> file_;  // shared: an item source is copied with its state
  std::string name_;
  std::int64_t line_ = 0;
};

}  // namespace pawl::actions
