#pragma once

/// How a job comes along, while a command works on it. On a terminal: a block that is drawn over
/// itself, a line per stage. Elsewhere: words, a line when a stage's counts have changed, and at
/// most one round of them every ten seconds.

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

  /// Shows where the job stands. Draws only what has changed; call it as often as you like.
  void show(const Job& job, const Workflow& workflow);
  /// Says something beside the picture.
  void say(const std::string& line);
  /// Leaves the last state standing. Nothing is drawn over after this.
  void finish(const Job& job, const Workflow& workflow);

 private:
  [[nodiscard]] std::vector<std::string> picture(const Job& job, const Workflow& workflow);
  [[nodiscard]] std::string overall(const Job& job) const;
  void draw(const std::vector<std::string>& lines);
  void erase();
  void tell_changes(const Job& job, const Workflow& workflow, bool at_once);

  Session& session_;
  std::vector<std::string> drawn_;
  std::map<std::string, std::string> told_;  ///< by stage: the words last told
  Timestamp told_at_;
  Timestamp began_at_;
  std::int64_t settled_at_start_ = 0;
};

/// "3 items: 2 done, 1 dead": where a job's items stand, in words.
[[nodiscard]] std::string items_in_words(const Job& job);

}  // namespace pawl::cli
