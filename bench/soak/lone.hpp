#pragma once

/// Times a lone item on the store that grows and, right after it, on one that is nearly empty.
/// Other users of the machine slow both down, so a difference is due to the store.

#include <functional>
#include <memory>
#include <optional>

#include "bench/soak/limits.hpp"
#include "bench/soak/tally.hpp"
#include "pawl/runtime/engine.hpp"

namespace pawl::soak {

class LoneItems {
 public:
  /// `fresh` opens an empty store of the same kind.
  LoneItems(Engine& engine, WorkTally& tally, std::function<std::shared_ptr<Store>()> fresh);

  /// None if an item did not complete.
  [[nodiscard]] std::optional<Passage> pass();

 private:
  [[nodiscard]] double milliseconds_through(Engine& engine);
  void renew_twin();

  Engine& engine_;
  WorkTally& tally_;
  std::function<std::shared_ptr<Store>()> fresh_;
  Program program_;
  std::unique_ptr<Engine> twin_;
  int passed_ = 0;  ///< by this twin
};

}  // namespace pawl::soak
