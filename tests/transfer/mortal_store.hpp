#pragma once

/// A store whose process dies in the middle of an import.

#include <memory>

#include "pawl/store/arrival.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::driving {

class MortalStore final : public store::ForwardingStore, public Receiver {
 public:
  /// `inner` must outlive this object.
  explicit MortalStore(Store& inner) : store::ForwardingStore({std::shared_ptr<Store>(), &inner}) {}
  int lives = 0;               ///< pieces of an import that are accepted before it dies
  bool dies_after_it = false;  ///< the next piece is written, but its answer is lost

  Receiver& receiver() override { return *this; }
  Result<Arriving> receive(const Arrival& arrival) override {
    if (lives-- > 0) return inner().receiver().receive(arrival);
    if (lives == -1 && dies_after_it) (void)inner().receiver().receive(arrival);
    return fail(ErrorCode::unavailable, "the process died");
  }
};

}  // namespace pawl::driving
