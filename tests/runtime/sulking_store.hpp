#pragma once

/// A store that does not answer, answers too late, or refuses, as a test requests.

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "contract/records_decorator.hpp"
#include "store/forwarding_store.hpp"
#include "world.hpp"

namespace pawl::testing_world {

/// A store that refuses to commit on request.
class Sulking final : public store::ForwardingStore {
 public:
  explicit Sulking(std::shared_ptr<Store> store)
      : store::ForwardingStore(std::move(store)), reads(inner().records()) {}
  Records& records() override { return reads; }

  driving::RecordsDecorator reads;
  int commits = 0;
  int to_miss = 0;  ///< how many commits are not executed after one was refused
  bool sulks = false;
  bool is_damaged = false;
  bool refuses_skips = false;
  std::atomic<bool> is_away = false;  ///< answers neither renewals nor sweeps
  bool writes_all_the_same = false;   ///< the batch is written, but the answer is lost
  int refused = 0;
  std::atomic<int> payloads_to_refuse = 0;
  ItemId bad_item;                   ///< every batch with a step of this item is refused
  bool refuses_substitutes = false;  ///< refuses even the failure that replaces a refused result

  Status renew(WorkerId worker, Timestamp holds_since) override {
    if (is_away) return fail(ErrorCode::unavailable, "nobody answers");
    return inner().renew(worker, holds_since);
  }
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    if (sulks && writes_all_the_same) (void)inner().submit(job, items);
    if (sulks) return fail(ErrorCode::unavailable, "the disk is full");
    return inner().submit(job, items);
  }
  Result<Claims> claim(const ClaimRequest& request) override {
    if (sulks && writes_all_the_same) (void)inner().claim(request);
    if (sulks) return fail(ErrorCode::unavailable, "the disk is full");
    return inner().claim(request);
  }
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    ++commits;
    if (is_damaged) return fail(ErrorCode::corrupt, "the database disk image is malformed");
    if (sulks) {
      ++refused;
      if (writes_all_the_same) (void)inner().commit(worker, batch, steps, refill);
      return fail(ErrorCode::unavailable, "the disk is full");
    }
    const auto is_substitute = [](const Step& step) {
      return step.closed && step.closed->error && step.closed->error->code == "refused_by_store";
    };
    const bool has_bad_one =
        bad_item && std::ranges::any_of(steps, [&](const Step& step) {
          return step.next.item == bad_item && (refuses_substitutes || !is_substitute(step));
        });
    if (refused > 0 && to_miss > 0) {
      --to_miss;
      return fail(ErrorCode::unavailable, "nobody answers");
    }
    const bool has_skip = refuses_skips && std::ranges::any_of(steps, [](const Step& step) {
                            return step.next.kind() == StateKind::skipped;
                          });
    if (has_bad_one || has_skip) {
      ++refused;
      return fail(ErrorCode::invalid, "invalid byte sequence: \xf6\n");
    }
    return inner().commit(worker, batch, steps, refill);
  }
  Result<Swept> sweep(const SweepRequest& request) override {
    if (is_away) return fail(ErrorCode::unavailable, "nobody answers");
    return inner().sweep(request);
  }
  Result<std::string> keep_payload(std::string_view bytes) override {
    if (payloads_to_refuse > 0) {
      --payloads_to_refuse;
      return fail(ErrorCode::unavailable, "the disk is full");
    }
    return inner().keep_payload(bytes);
  }
};

class StoreTrouble : public testing::Test {
 protected:
  std::unique_ptr<Engine> engine_with(EngineOptions options = {.threads = 0}) {
    return std::move(*Engine::create(store, std::move(options), clock));
  }
  /// One stage that always succeeds.
  static Program plain() {
    WorkflowBuilder build("plain");
    build.stage("work", succeed);
    return built(build);
  }

  ManualClock clock;
  std::shared_ptr<Sulking> store = std::make_shared<Sulking>(open_memory_store(clock));
};

}  // namespace pawl::testing_world
