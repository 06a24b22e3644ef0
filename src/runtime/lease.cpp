#include "runtime/lease.hpp"

#include <algorithm>
#include <utility>

namespace pawl::runtime {

namespace {

constexpr Duration again_after = std::chrono::milliseconds(500);
/// How long a renewal may still be under way after the lease has run out.
constexpr Duration patience = std::chrono::seconds(1);

}  // namespace

Timestamp Lease::over_at() const { return std::max(until_, sent_at_) + patience; }

bool Lease::may_judge_others(Timestamp now) const { return !has_failed_ && now >= judges_from_; }

Timestamp Lease::may_judge_again_at(Timestamp now) const {
  return std::max(judges_from_, now + again_after);
}

bool Lease::begin_renewal(Timestamp now) {
  next_renewal_ = now + (is_over_ ? again_after : length_ / 3);
  if (is_signing_on_ || std::exchange(is_renewing_, true)) return false;
  sent_at_ = now;
  return true;
}

bool Lease::renewed(Timestamp sent_at, Timestamp now) {
  if (std::exchange(has_failed_, false)) judges_from_ = now + length_ / 3;
  until_ = sent_at + length_;
  return std::exchange(is_over_, false);
}

bool Lease::renewal_failed(Timestamp now) {
  has_failed_ = true;
  next_renewal_ = std::min(next_renewal_, now + again_after);
  return now >= until_;
}

bool Lease::run_out(Timestamp now) {
  if (std::exchange(is_over_, true)) return false;
  next_renewal_ = std::min(next_renewal_, now + again_after);
  return true;
}

bool Lease::begin_sign_on() { return !std::exchange(is_signing_on_, true); }

void Lease::signed_on(Timestamp sent_at) {
  is_signing_on_ = false;
  until_ = sent_at + length_;
  is_over_ = false;
}

void Lease::sign_on_failed(Timestamp now) {
  is_signing_on_ = false;
  next_renewal_ = now + again_after;
}

}  // namespace pawl::runtime
