#include "runtime/status_board.hpp"

#include <utility>

namespace pawl::runtime {

std::uint32_t StatusBoard::spare_room() const {
  const std::int64_t room = static_cast<std::int64_t>(parallel_) - open_ - arriving_;
  if (has_stopped_ || is_draining_ || !is_store_up_ || room < 0) return 0;
  return static_cast<std::uint32_t>(room);
}

bool StatusBoard::announce_claim() {
  claim_in_flight_ = true;
  if (!is_draining_) return true;
  claim_in_flight_ = false;
  return false;
}

void StatusBoard::set_trouble(std::string text) {
  const MutexLock lock(mutex_);
  trouble_ = std::move(text);
}

bool StatusBoard::set_fault(const Error& error) {
  const MutexLock lock(mutex_);
  if (fault_) return false;
  fault_ = error;
  return true;
}

void StatusBoard::add_forgotten(std::size_t results) {
  const MutexLock lock(mutex_);
  forgotten_results_ += static_cast<std::int64_t>(results);
}

EngineStatus StatusBoard::status(std::int64_t abandoned) const {
  // Whoever drains must not see nothing while a claim may still bring something.
  const std::int64_t may_come = is_draining_ && claim_in_flight_ ? 1 : 0;
  const MutexLock lock(mutex_);
  return {.open_attempts = may_come + arriving_ + open_,
          .abandoned = abandoned,
          .store_available = is_store_up_,
          .trouble = trouble_,
          .forgotten_results = forgotten_results_,
          .commits = commits_,
          .commit_time = Duration{commit_time_},
          .fault = fault_};
}

}  // namespace pawl::runtime
