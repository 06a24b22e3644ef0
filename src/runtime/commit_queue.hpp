#pragma once

/// Steps on their way to the store.
///
/// One batch is out at a time, so only of the newest can it be unknown whether it was written.
/// Meanwhile the next one fills. No step is dropped: it leaves with the answer to its batch.
///
/// Threads: whoever drives the loop.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "pawl/store/store.hpp"

namespace pawl::runtime {

/// Steps that are committed together.
struct Batch {
  BatchNumber number = 0;
  WorkerId sent_by;
  std::vector<Step> steps;
  Refill refill;
};

class CommitQueue {
 public:
  /// The reference is good until the next one is added.
  Step& add(Step step) { return pending_.emplace_back(std::move(step)); }

  [[nodiscard]] std::size_t pending() const { return pending_.size(); }
  [[nodiscard]] bool is_out() const { return phase_ != Phase::idle; }
  /// Nothing waits, and nothing is out.
  [[nodiscard]] bool is_empty() const;
  /// When the loop has something to do here although nothing has come in; none: never.
  [[nodiscard]] Timestamp next_wake() const;

  // Sending. First the parts of a batch that was refused, then what is pending.

  /// Null: there is none.
  [[nodiscard]] std::shared_ptr<Batch> take_part();
  [[nodiscard]] std::shared_ptr<Batch> take_pending();
  /// Whether the pending steps wait for more of them: the disk takes as long for one step as for
  /// many. `may_wait`: no thread would begin anything sooner because of the answer.
  [[nodiscard]] bool waits_for_company(bool may_wait, Timestamp now);
  void sent(Batch& batch, WorkerId by);

  // Answers.

  void answered() { phase_ = Phase::idle; }
  /// The store has the batch.
  void acknowledged(const Batch& batch, WorkerId worker);
  /// Gives the memory of an answered batch to the next one.
  void recycle(Batch& batch);
  /// Sends it again under a new number, without what it was to claim.
  void repeat(std::shared_ptr<Batch> batch);
  /// It was refused, perhaps for one step: sends its halves, one after the other.
  void halve(Batch& batch);

  // Trouble: whether the batch was written is not known.

  /// Holds on to the batch until it is looked up, after a pause that grows.
  void hold(std::shared_ptr<Batch> batch, Timestamp now);
  [[nodiscard]] bool is_lookup_due(Timestamp now) const;
  [[nodiscard]] std::shared_ptr<Batch> take_held();

  /// The newest batch that the store has acknowledged to this worker; 0: none.
  [[nodiscard]] BatchNumber newest_acknowledged() const { return acknowledged_; }
  void set_newest_acknowledged(BatchNumber number) { acknowledged_ = number; }

 private:
  enum class Phase : std::uint8_t { idle, sent, in_doubt, looking_up };

  std::vector<Step> pending_;
  std::vector<Step> spare_;  ///< an emptied batch's, to be filled again
  std::deque<std::shared_ptr<Batch>> parts_;
  Phase phase_ = Phase::idle;
  BatchNumber last_ = 0;
  BatchNumber acknowledged_ = 0;
  Timestamp company_until_;  ///< so long the pending steps may wait for more
  std::shared_ptr<Batch> held_;
  Timestamp lookup_at_;
  Duration backoff_{0};
};

}  // namespace pawl::runtime
