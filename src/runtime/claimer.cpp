#include "runtime/claimer.hpp"

namespace pawl::runtime {

namespace {

/// How long commits may claim by what the last look found. Whoever submits meanwhile from another
/// process waits no longer than this for a turn.
constexpr Duration heads_hold = std::chrono::milliseconds(50);

}  // namespace

void Claimer::want() {
  is_wanted_ = true;
  scheduler_.ask_afresh();
}

void Claimer::look_afresh() {
  forget_heads();
  want();
}

void Claimer::begin_look() {
  is_out_ = true;
  is_wanted_ = false;
  scheduler_.begin_claim();
}

std::vector<LaneShare> Claimer::plan(std::vector<LaneHead> heads, std::uint32_t room, Timestamp now,
                                     const View& view) {
  heads_ = std::move(heads);
  heads_until_ = now + heads_hold;
  std::vector<LaneShare> shares = scheduler_.pick(heads_, room, now, view);
  has_backlog_ = !shares.empty() || (room == 0 && !heads_.empty());
  if (shares.empty() && scheduler_.end_round()) is_wanted_ = true;
  return shares;
}

void Claimer::note_answer(const std::vector<LaneShare>& asked, const Claims& claims) {
  has_failed_ = false;
  if (scheduler_.has_others_to_ask(asked, claims, heads_)) is_wanted_ = true;
}

std::vector<LaneShare> Claimer::plan_refill(std::size_t room, Timestamp now, const View& view) {
  if (!has_backlog_ || is_out_ || is_blocked_ || now >= heads_until_) return {};
  return scheduler_.pick(heads_, static_cast<std::uint32_t>(room), now, view);
}

bool Claimer::set_blocked(bool is_blocked) {
  return std::exchange(is_blocked_, is_blocked) != is_blocked;
}

void Claimer::hold_back(const std::string& pool, Timestamp until, Timestamp now) {
  scheduler_.hold_back(pool, until);
  next_release_ = scheduler_.next_release(now);
}

bool Claimer::is_held_back(const std::string& pool, Timestamp now) const {
  return scheduler_.holds_back_any() && scheduler_.is_held_back(pool, now);
}

void Claimer::release_due(Timestamp now) {
  if (next_release_ == no_time || now < next_release_) return;
  next_release_ = scheduler_.next_release(now);
  want();
}

}  // namespace pawl::runtime
