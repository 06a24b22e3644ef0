#pragma once

/// Prints the logs of an item's attempts as they are written.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actions/live_attempts.hpp"
#include "cli/session.hpp"
#include "views/attempts.hpp"
#include "views/logs.hpp"

namespace pawl::cli {

/// "==> convert attempt 2 stdout <==", and a newline.
[[nodiscard]] std::string log_heading(const Session& session, const views::Log& log);

class LogFollower {
 public:
  /// With `only`, follows this attempt alone.
  LogFollower(Session& session, Store& store, actions::LiveAttempts live,
              std::optional<std::uint32_t> only)
      : session_(session), store_(store), live_(std::move(live)), only_(only) {}

  /// Prints what is new in these attempts.
  [[nodiscard]] Status print_new(const std::vector<views::TaskAttempts>& all);
  /// Whether the only attempt to follow has ended.
  [[nodiscard]] bool has_ended_only() const;

 private:
  using Key = std::pair<TaskId, AttemptNumber>;

  [[nodiscard]] bool is_wanted(AttemptNumber attempt) const { return !only_ || *only_ == attempt; }
  Status print_ended(const views::TaskAttempts& one, const Attempt& attempt);
  void print_running(const views::TaskAttempts& one);
  void print(const views::Log& log);

  Session& session_;
  Store& store_;
  actions::LiveAttempts live_;
  std::optional<std::uint32_t> only_;
  std::set<Key> ended_;                                          ///< printed to their end
  std::map<std::pair<Key, std::string_view>, std::int64_t> at_;  ///< how much of a log was printed
  std::string heading_;                                          ///< of what was printed last
  bool is_at_line_start_ = true;
};

}  // namespace pawl::cli
