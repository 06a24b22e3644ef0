#pragma once

/// The lease of this worker, by its own clock: when to renew it, when it is over, and whether the
/// worker may judge the leases of others.
///
/// Threads: whoever drives the loop.

#include "pawl/core/time.hpp"

namespace pawl::runtime {

class Lease {
 public:
  Lease(Duration length, Timestamp now)
      : length_(length), until_(now + length), next_renewal_(now + length / 3) {}

  [[nodiscard]] Timestamp next_renewal() const { return next_renewal_; }
  /// When it counts as over. A renewal that is under way gets a moment more.
  [[nodiscard]] Timestamp over_at() const;
  /// It ran out and could not be renewed. Nothing is begun before a renewal succeeds.
  [[nodiscard]] bool is_over() const { return is_over_; }
  /// A worker that cannot renew its own lease does not judge those of others. After a time without
  /// the store everybody's lease has run out, so the others get the time to renew theirs.
  [[nodiscard]] bool may_judge_others(Timestamp now) const;
  [[nodiscard]] Timestamp may_judge_again_at(Timestamp now) const;

  /// Plans the next renewal. Returns whether to send one now: there is at most one under way.
  [[nodiscard]] bool begin_renewal(Timestamp now);
  [[nodiscard]] Timestamp sent_at() const { return sent_at_; }
  void end_renewal() { is_renewing_ = false; }
  /// The renewal was for an id that this worker no longer has.
  void renew_at_once(Timestamp now) { next_renewal_ = now; }
  /// Returns whether the lease had been over.
  [[nodiscard]] bool renewed(Timestamp sent_at, Timestamp now);
  /// Returns whether the lease has run out meanwhile.
  [[nodiscard]] bool renewal_failed(Timestamp now);
  /// Returns whether this is news.
  [[nodiscard]] bool run_out(Timestamp now);

  /// The worker was taken for dead and signs on again. Returns whether to send that now.
  [[nodiscard]] bool begin_sign_on();
  void signed_on(Timestamp sent_at);
  void sign_on_failed(Timestamp now);

 private:
  const Duration length_;
  Timestamp until_;
  Timestamp next_renewal_;
  Timestamp sent_at_;  ///< the newest renewal
  Timestamp judges_from_;
  bool is_renewing_ = false;
  bool is_signing_on_ = false;
  bool has_failed_ = false;  ///< the last renewal
  bool is_over_ = false;
};

}  // namespace pawl::runtime
