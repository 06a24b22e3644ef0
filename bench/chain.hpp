#pragma once

/// The workloads of the benchmarks: mostly items through a chain of five trivial stages, each of
/// which returns about 60 bytes of JSON.

#include <cstdint>
#include <filesystem>
#include <memory>

#include "bench/measure.hpp"
#include "bench/sample.hpp"
#include "pawl/pawl.hpp"

namespace pawl::bench {

inline constexpr std::int64_t chain_length = 5;

/// What every stage returns: 60 bytes.
[[nodiscard]] const Json& stage_output();

/// Five stages, each of which needs the one before.
[[nodiscard]] Program chain();
/// The same with a gate that rejects the first attempt of every stage.
[[nodiscard]] Program rejecting_chain();
/// One trivial stage.
[[nodiscard]] Program one_stage();
/// One stage that fails and is retried tomorrow.
[[nodiscard]] Program failing_stage();

/// The order of item keys: each greater than the one before, or pseudo-random (the SHA-256 of the
/// number, in hex).
enum class Keys : std::uint8_t { sequential, hashed };

inline constexpr std::int64_t items_per_page = 10'000;

/// The n-th item: its key and a little data.
[[nodiscard]] NewItem nth_item(std::int64_t n, Keys keys = Keys::sequential);
/// Items 0 … count, page by page.
[[nodiscard]] ItemSource items_up_to(std::int64_t count, Keys keys = Keys::sequential);

/// Submits a job over `items` items to the store, without an engine.
JobId submit_to(Store& store, const Program& program, std::int64_t items,
                Keys keys = Keys::sequential);

/// Starts an engine on the store and times it until the job has ended. Ends the program if the job
/// does not complete. Watches `database` meanwhile, if given.
[[nodiscard]] Sample run_to_the_end(const std::shared_ptr<Store>& store, const Program& program,
                                    JobId job, const std::filesystem::path& database = {});

/// Returns the value, or ends the program with the error: half a run is of no use.
template <class T>
T must(Result<T> result, std::string_view what) {
  if (!result) give_up(std::string(what) + ": " + result.error().text());
  return std::move(*result);
}

}  // namespace pawl::bench
