#pragma once

/// Items from lines: a line that begins with { [ or " is JSON, any other is text; empty lines are
/// passed over.

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

class ItemLines {
 public:
  /// `name` is how errors call the source.
  ItemLines(std::shared_ptr<std::FILE> file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}

  /// The next document; false at the end. `invalid` names the source and the line.
  [[nodiscard]] Result<bool> next(Json& document);
  /// "items.jsonl, line 12"
  [[nodiscard]] std::string place() const;

 private:
  [[nodiscard]] Result<bool> next_line(std::string& line);

  std::shared_ptr<std::FILE> file_;  // shared: an item source is copied with its state
  std::string name_;
  std::int64_t line_ = 0;
};

}  // namespace pawl
