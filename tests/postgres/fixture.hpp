#pragma once

/// Stores in a test's own schema, and the steps of a worker by hand.

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "contract/drive.hpp"
#include "pawl/store/postgres.hpp"
#include "postgres/postgres_place.hpp"

namespace pawl {

inline std::shared_ptr<Store> must_open(const PostgresOptions& options,
                                        const Clock& clock = system_clock()) {
  Result<std::shared_ptr<Store>> opened = open_postgres_store(options, clock);
  if (!opened) {
    ADD_FAILURE() << opened.error().text();
    std::abort();
  }
  return *opened;
}

inline void expect_sound(Store& store) {
  const Result<Verification> checked = verify(store.records());
  ASSERT_TRUE(checked) << checked.error().text();
  for (const Violation& one : checked->violations) {
    ADD_FAILURE() << one.invariant << ": " << one.message;
  }
}

/// A request for all Ready tasks, up to `max`.
inline ClaimRequest everything(Store& store, WorkerId worker, std::uint32_t max = 1'000) {
  ClaimRequest request{.worker = worker, .shares = {}};
  const auto heads = store.ready_lanes();
  EXPECT_TRUE(heads) << (heads ? "" : heads.error().text());
  if (!heads) return request;
  for (const LaneHead& head : *heads) {
    const bool is_new = request.shares.empty() || request.shares.back().job != head.job;
    if (is_new) request.shares.push_back({.job = head.job, .lanes = {}, .max = max});
    request.shares.back().lanes.push_back({.id = head.lane, .stage = head.stage});
  }
  return request;
}

}  // namespace pawl
