#pragma once

/// What this engine claims next: the lanes that its last look at the store found, whose turn it is,
/// and which pools are held back. At most one claim is out, alone or with a commit.
///
/// Threads: whoever drives the loop.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/store/store.hpp"
#include "runtime/scheduler.hpp"

namespace pawl::runtime {

class Claimer {
 public:
  using View = std::function<Scheduler::LaneView(const LaneHead&)>;

  Claimer(std::set<std::string> categories, std::set<std::string> stages)
      : scheduler_(std::move(categories), std::move(stages)) {}

  /// Something came up: there may be work, or room for it.
  void want();
  /// The same, and somebody may have come who is to have the next turn.
  void look_afresh();
  /// What the last look found is not relied on any more: no commit claims by it.
  void forget_heads() { heads_until_ = no_time; }
  [[nodiscard]] bool is_wanted() const { return is_wanted_ && !is_out_; }
  [[nodiscard]] bool is_out() const { return is_out_; }
  /// The last look found work that waits for room.
  [[nodiscard]] bool has_backlog() const { return has_backlog_; }

  // A look at the lanes, and the claim that follows.

  void begin_look();
  /// What to claim for so much room, by what the look found. Nothing: `end` follows.
  [[nodiscard]] std::vector<LaneShare> plan(std::vector<LaneHead> heads, std::uint32_t room,
                                            Timestamp now, const View& view);
  void end() { is_out_ = false; }
  /// Returns whether the claim before had succeeded.
  [[nodiscard]] bool note_failure() { return !std::exchange(has_failed_, true); }
  void note_answer(const std::vector<LaneShare>& asked, const Claims& claims);

  // A claim that goes with a commit, by what the last look found.

  /// Nothing: none goes with it. Otherwise `begin` follows where it is sent.
  [[nodiscard]] std::vector<LaneShare> plan_refill(std::size_t room, Timestamp now,
                                                   const View& view);
  void begin() { is_out_ = true; }
  /// It found less than there was room for.
  void end_backlog() { has_backlog_ = false; }

  /// Nothing is claimed while it is blocked. Returns whether that is news.
  [[nodiscard]] bool set_blocked(bool is_blocked);

  // Pools that a rate limit holds back.

  void hold_back(const std::string& pool, Timestamp until, Timestamp now);
  [[nodiscard]] bool is_held_back(const std::string& pool, Timestamp now) const;
  /// When the next pool is released; none: nothing is held back.
  [[nodiscard]] Timestamp next_release() const { return next_release_; }
  /// Wants a claim for what is released by now.
  void release_due(Timestamp now);

 private:
  Scheduler scheduler_;
  std::vector<LaneHead> heads_;  ///< what the last look found
  Timestamp heads_until_;        ///< so long a commit may rely on it
  Timestamp next_release_;
  bool is_wanted_ = true;
  bool is_out_ = false;
  bool has_backlog_ = true;
  bool has_failed_ = false;  ///< the last claim
  bool is_blocked_ = false;
};

}  // namespace pawl::runtime
