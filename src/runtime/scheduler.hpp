#pragma once

/// Which lanes are served next. Jobs of equal priority take turns; inside a job the oldest item
/// goes first, new work and due retries alike. Pure bookkeeping: no store, no clock.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pawl/store/store.hpp"

namespace pawl::runtime {

class Scheduler {
 public:
  Scheduler(std::set<std::string> categories, std::set<std::string> stages)
      : categories_(std::move(categories)), stages_(std::move(stages)) {}

  /// What the scheduler must know of a lane that it cannot see itself.
  struct LaneView {
    bool is_served = false;  ///< there is code for its stage, and its job may open attempts
    std::string stage_name;
    std::string pool;  ///< or the stage itself where it is in none
  };

  /// Shares for up to `room` attempts, in order of turn.
  [[nodiscard]] std::vector<LaneShare> pick(const std::vector<LaneHead>& heads, std::uint32_t room,
                                            Timestamp now,
                                            const std::function<LaneView(const LaneHead&)>& view);

  // A round of claims. A job that cannot use what it was offered, because its own limits or its
  // pools are full, must not keep the slots empty: it is left out until the others were asked.

  void begin_claim();
  /// After a claim: whether others are to be asked at once for what these left.
  [[nodiscard]] bool has_others_to_ask(const std::vector<LaneShare>& asked, const Claims& claims,
                                       const std::vector<LaneHead>& heads);
  /// Nobody is left. Answers whether to begin anew, as something came up meanwhile.
  [[nodiscard]] bool end_round();
  /// Something came up: who was left out may have room now.
  void ask_afresh() { asks_afresh_ = true; }

  /// A rate limit with a hint holds its pool back: one 429 is met once, not by every item. So does
  /// a rate that is used up.
  void hold_back(const std::string& pool, Timestamp until);
  [[nodiscard]] bool is_held_back(const std::string& pool, Timestamp now) const;
  [[nodiscard]] bool holds_back_any() const { return !held_back_.empty(); }
  /// When the first pool is released; none: nothing is held back. Forgets those that were.
  [[nodiscard]] Timestamp next_release(Timestamp now);

 private:
  // Set in the constructor.
  std::set<std::string> categories_;
  std::set<std::string> stages_;

  // Owned by the loop.
  std::map<std::string, Timestamp> held_back_;
  JobId last_served_;
  std::set<JobId> passed_over_;  ///< in this round
  bool asks_afresh_ = false;     ///< something came up since it began
};

}  // namespace pawl::runtime
