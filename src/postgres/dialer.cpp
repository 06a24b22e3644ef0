#include "postgres/dialer.hpp"

#include <algorithm>

namespace pawl::postgres {

namespace {

constexpr std::chrono::milliseconds first_pause{50};
constexpr std::chrono::milliseconds longest_pause{2'000};

}  // namespace

std::unique_ptr<Connection> Dialer::connect(const std::string& name, const std::string& set_up) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_ && Steady::now() < not_before_) {
      throw DbError(failure_->kind, failure_->state, failure_->message);
    }
  }
  try {
    auto made = std::make_unique<Connection>(Connection::Settings{
        .address = address_, .name = name, .set_up = set_up, .answer_within = answer_within_});
    const std::lock_guard lock(mutex_);
    failure_.reset();
    pause_ = {};
    return made;
  } catch (const DbError& error) {
    const std::lock_guard lock(mutex_);
    failure_ = Failure{.kind = error.kind, .state = error.state, .message = error.what()};
    pause_ = std::clamp(pause_ * 2, first_pause, longest_pause);
    not_before_ = Steady::now() + pause_;
    throw;
  }
}

}  // namespace pawl::postgres
