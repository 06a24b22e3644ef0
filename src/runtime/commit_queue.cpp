#include "runtime/commit_queue.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace pawl::runtime {

namespace {

constexpr std::size_t batch_max = 1'024;
/// A commit waits for company until there are so many steps, and never longer than this.
constexpr std::size_t company_max = 64;
constexpr Duration company_wait_max = std::chrono::milliseconds(10);
constexpr Duration backoff_min = std::chrono::milliseconds(50);
constexpr Duration backoff_max = std::chrono::seconds(5);

}  // namespace

bool CommitQueue::is_empty() const { return pending_.empty() && parts_.empty() && !is_out(); }

Timestamp CommitQueue::next_wake() const {
  if (phase_ == Phase::in_doubt) return lookup_at_;
  return phase_ == Phase::idle ? company_until_ : no_time;
}

std::shared_ptr<Batch> CommitQueue::take_part() {
  if (parts_.empty()) return nullptr;
  std::shared_ptr<Batch> part = std::move(parts_.front());
  parts_.pop_front();
  return part;
}

std::shared_ptr<Batch> CommitQueue::take_pending() {
  auto batch = std::make_shared<Batch>();
  batch->number = ++last_;
  if (pending_.size() <= batch_max) {
    batch->steps = std::exchange(pending_, std::exchange(spare_, {}));
  } else {
    const auto end = pending_.begin() + batch_max;
    batch->steps.assign(std::make_move_iterator(pending_.begin()), std::make_move_iterator(end));
    pending_.erase(pending_.begin(), end);
  }
  return batch;
}

bool CommitQueue::waits_for_company(bool may_wait, Timestamp now) {
  if (!may_wait || pending_.size() >= company_max) {
    company_until_ = no_time;
    return false;
  }
  if (company_until_ == no_time) company_until_ = now + company_wait_max;
  if (now < company_until_) return true;
  company_until_ = no_time;
  return false;
}

void CommitQueue::sent(Batch& batch, WorkerId by) {
  phase_ = Phase::sent;
  batch.sent_by = by;
}

void CommitQueue::acknowledged(const Batch& batch, WorkerId worker) {
  if (batch.sent_by == worker) acknowledged_ = batch.number;
  backoff_ = Duration::zero();
}

void CommitQueue::recycle(Batch& batch) {
  batch.steps.clear();
  if (spare_.capacity() < batch.steps.capacity()) spare_ = std::move(batch.steps);
}

void CommitQueue::repeat(std::shared_ptr<Batch> batch) {
  batch->number = ++last_;
  batch->refill = {};
  parts_.push_front(std::move(batch));
}

void CommitQueue::halve(Batch& batch) {
  const auto middle = batch.steps.begin() + static_cast<std::ptrdiff_t>(batch.steps.size() / 2);
  for (const auto& [begin, end] :
       {std::pair(middle, batch.steps.end()), std::pair(batch.steps.begin(), middle)}) {
    auto half = std::make_shared<Batch>();
    half->number = ++last_;
    half->steps.assign(std::make_move_iterator(begin), std::make_move_iterator(end));
    parts_.push_front(std::move(half));
  }
}

void CommitQueue::hold(std::shared_ptr<Batch> batch, Timestamp now) {
  phase_ = Phase::in_doubt;
  held_ = std::move(batch);
  backoff_ = std::clamp(backoff_ * 2, backoff_min, backoff_max);
  lookup_at_ = now + backoff_;
}

bool CommitQueue::is_lookup_due(Timestamp now) const {
  return phase_ == Phase::in_doubt && now >= lookup_at_;
}

std::shared_ptr<Batch> CommitQueue::take_held() {
  phase_ = Phase::looking_up;
  return std::exchange(held_, nullptr);
}

}  // namespace pawl::runtime
