#pragma once

/// Shows the progress of a job while a command works on it. On a terminal: a block with one line
/// per stage, redrawn in place. Elsewhere: one line for each stage whose counts have changed, at
/// most every ten seconds.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

class Progress {
 public:
  explicit Progress(Session& session) : session_(session) {}

  /// Shows the current progress. Draws only if something has changed, so call it as often as you
  /// like.
  void show(const Job& job, const Workflow& workflow);
  /// Prints a message above the block.
  void say(const std::string& line);
  /// Shows the final progress, which stays on the screen.
  void finish(const Job& job, const Workflow& workflow);

 private:
  [[nodiscard]] std::vector<std::string> picture(const Job& job, const Workflow& workflow);
  [[nodiscard]] std::string overall(const Job& job, const Workflow& workflow) const;
  void draw(const std::vector<std::string>& lines);
  void erase();
  void tell_changes(const Job& job, const Workflow& workflow, bool at_once);

  Session& session_;
  std::vector<std::string> drawn_;
  std::map<std::string, std::string> told_;  ///< by stage: the counts last reported
  Timestamp told_at_;
  Timestamp began_at_;
  std::int64_t settled_at_start_ = 0;
};

/// "3 items: 2 done, 1 failed": the number of items by state.
[[nodiscard]] std::string items_in_words(const Job& job);

}  // namespace pawl::cli
