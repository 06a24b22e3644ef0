#pragma once

/// A store whose process dies in the middle of an import.

#include <memory>

#include "store/forwarding_store.hpp"

namespace pawl::driving {

class MortalStore final : public ForwardingStore {
 public:
  /// `inner` must outlive this object.
  explicit MortalStore(Store& inner) : ForwardingStore({std::shared_ptr<Store>(), &inner}) {}
  int lives = 0;               ///< pieces of an import that are accepted before it dies
  bool dies_after_it = false;  ///< the next piece is written, but its answer is lost

  Result<Arriving> receive(const Arrival& arrival) override {
    if (lives-- > 0) return inner().receive(arrival);
    if (lives == -1 && dies_after_it) (void)inner().receive(arrival);
    return fail(ErrorCode::unavailable, "the process died");
  }
};

}  // namespace pawl::driving
