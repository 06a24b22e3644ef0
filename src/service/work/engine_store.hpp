#pragma once

/// A store whose acts go through an engine, so that the engine reacts to them at once.

#include <memory>

#include "pawl/runtime/engine.hpp"
#include "store/forwarding_store.hpp"

namespace pawl::service {

class EngineStore : public store::ForwardingStore {
 public:
  /// The engine must outlive it.
  explicit EngineStore(Engine& engine)
      : ForwardingStore(std::shared_ptr<Store>(std::shared_ptr<Store>(), &engine.store())),
        engine_(engine) {}

  using Store::act;
  Result<Job> act(const Act& act, const Actor& actor) override { return engine_.act(act, actor); }

 private:
  Engine& engine_;
};

}  // namespace pawl::service
