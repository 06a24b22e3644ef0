#pragma once

/// A store whose process dies in the middle of an import.

#include <memory>

#include "store/forwarding_store.hpp"

namespace pawl::driving {

class MortalStore final : public ForwardingStore {
 public:
  /// `inner` must outlive it.
  explicit MortalStore(Store& inner) : ForwardingStore({std::shared_ptr<Store>(), &inner}) {}
  int lives = 0;               ///< pieces of an arrival that are taken before it dies
  bool dies_after_it = false;  ///< the piece after them is written, and nobody learns of it

  Result<Arriving> receive(const Arrival& arrival) override {
    if (lives-- > 0) return inner().receive(arrival);
    if (lives == -1 && dies_after_it) (void)inner().receive(arrival);
    return fail(ErrorCode::unavailable, "the process died");
  }
};

}  // namespace pawl::driving
