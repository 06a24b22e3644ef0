#pragma once

/// An engine with a job to which items are added one by one, each after the one before has settled.

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "pawl/pawl.hpp"

namespace pawl::bench {

/// Lets a thread wait for the next settled item.
class SettledItems {
 public:
  void note(const Event& event);
  void wait_for(std::int64_t count);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t count_ = 0;
};

class EngineSteps {
 public:
  explicit EngineSteps(std::shared_ptr<Store> store);
  /// Runs the next item until its end is durable and reported. Returns how many milliseconds it
  /// took.
  double next_item();
  void stop() { engine_->stop(); }

 private:
  SettledItems settled_;
  std::shared_ptr<Store> store_;
  std::unique_ptr<Engine> engine_;
  JobId job_;
  Subscription subscription_;
  std::int64_t number_ = 0;
};

}  // namespace pawl::bench
