#include "bench/engine_steps.hpp"

#include <chrono>
#include <utility>

#include "bench/chain.hpp"

namespace pawl::bench {

void SettledItems::note(const Event& event) {
  if (event.type != EventType::item_settled) return;
  {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  changed_.notify_one();
}

void SettledItems::wait_for(std::int64_t count) {
  std::unique_lock lock(mutex_);
  const auto there = [&] { return count_ >= count; };
  if (!changed_.wait_for(lock, std::chrono::seconds(30), there)) {
    give_up("an item did not settle within 30 seconds");
  }
}

EngineSteps::EngineSteps(std::shared_ptr<Store> store)
    : store_(std::move(store)), engine_(must(Engine::create(store_), "an engine")) {
  const Program program = chain();
  engine_->serve(program);
  engine_->start();
  job_ = must(engine_->submit(program.workflow(), std::vector<NewItem>{}, {.keep_open = true}),
              "a job");
  subscription_ = engine_->subscribe(0, [this](const Event& event) { settled_.note(event); });
}

double EngineSteps::next_item() {
  const Stopwatch watch;
  must(engine_->add_items(job_, {nth_item(number_++)}), "an item");
  settled_.wait_for(number_);
  return watch.seconds() * 1e3;
}

}  // namespace pawl::bench
