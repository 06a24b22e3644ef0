#pragma once

/// The stores on which the promises are tested.

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "contract/drive.hpp"
#include "pawl/store/postgres.hpp"
#include "postgres/postgres_place.hpp"

namespace pawl::driving {

/// A store in its own schema, which is dropped with the store.
inline std::shared_ptr<Store> open_temporary_postgres_store(const Clock& clock) {
  auto place = std::make_shared<PostgresPlace>();
  Result<std::shared_ptr<Store>> opened = open_postgres_store({.url = place->url()}, clock);
  if (!opened) {
    ADD_FAILURE() << opened.error().text();
    std::abort();
  }
  Store* store = opened->get();
  return {store, [owned = std::move(*opened), place](Store*) mutable {
            owned.reset();
            place.reset();
          }};
}

/// Every kind of store; add new ones here.
inline std::vector<StoreKind> store_kinds() {
  return {{.name = "memory", .open = [](const Clock& clock) { return open_memory_store(clock); }},
          {.name = "sqlite", .open = open_temporary_sqlite_store},
          {.name = "postgres", .open = open_temporary_postgres_store}};
}

}  // namespace pawl::driving
