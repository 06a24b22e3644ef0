#pragma once

/// Times a lone item on the store that grows and, right after it, on one that is nearly empty. The
/// machine's other users slow both down, so what the second does not explain is the store's.

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
  LoneItems(Engine& engine, Tally& tally, std::function<std::shared_ptr<Store>()> fresh);

  /// None where an item did not get through.
  [[nodiscard]] std::optional<Passage> pass();

 private:
  [[nodiscard]] double milliseconds_through(Engine& engine);
  void renew_twin();

  Engine& engine_;
  Tally& tally_;
  std::function<std::shared_ptr<Store>()> fresh_;
  Program program_;
  std::unique_ptr<Engine> twin_;
  int passed_ = 0;  ///< by this twin
};

}  // namespace pawl::soak
