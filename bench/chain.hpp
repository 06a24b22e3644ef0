#pragma once

/// The work that every benchmark carries out: items through a chain of five trivial stages, each
/// of which returns about 60 bytes of JSON.

#include <cstdint>
#include <memory>

#include "bench/measure.hpp"
#include "pawl/pawl.hpp"

namespace pawl::bench {

inline constexpr std::int64_t chain_length = 5;

/// What every stage returns: 60 bytes.
[[nodiscard]] const Json& stage_output();

/// Five stages, each of which needs the one before.
[[nodiscard]] Program chain();
/// The same with a gate that rejects the first attempt of every stage.
[[nodiscard]] Program rejecting_chain();
/// One stage that fails and is to be tried again tomorrow.
[[nodiscard]] Program failing_stage();

/// The n-th item: a key that grows, and a little data.
[[nodiscard]] NewItem nth_item(std::int64_t n);
/// Items 0 … count, by the page.
[[nodiscard]] ItemSource items_up_to(std::int64_t count);

/// Submits `items` items to a fresh engine on `store`, then times it from its start until the job
/// has ended. Ends the program when the job does not complete. `count_transactions`, where given,
/// is asked before and after.
[[nodiscard]] Sample run_to_the_end(const std::shared_ptr<Store>& store, const Program& program,
                                    std::int64_t items,
                                    const std::function<std::int64_t()>& count_transactions = {});

/// The value, or the end of the program with the error: a benchmark has no use for half a run.
template <class T>
T must(Result<T> result, std::string_view what) {
  if (!result) give_up(std::string(what) + ": " + result.error().text());
  return std::move(*result);
}

}  // namespace pawl::bench
