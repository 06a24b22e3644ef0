#pragma once

/// The store that W7 serves: large, with reviews that wait, dead letters, and room for more work.

#include <cstdint>
#include <filesystem>

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

struct ServiceStore {
  std::filesystem::path project;  ///< the store is `.pawl/pawl.db` in it
  std::int64_t items = 0;         ///< of the completed jobs 1 to `jobs`, numbered from 1
  std::int64_t jobs = 0;
  std::int64_t attempts = 0;  ///< ten of each item
  std::int64_t reviews = 0;   ///< that wait
  std::int64_t dead_letters = 0;
  double seconds = 0;  ///< that it took to make it

  [[nodiscard]] std::filesystem::path path() const { return project / ".pawl/pawl.db"; }
  [[nodiscard]] std::int64_t items_of_a_job() const { return items / jobs; }
};

/// Creates it, the first time it is called. Later calls return the same one, with what was done to
/// it since.
[[nodiscard]] const ServiceStore& service_store(const Plan& plan);

/// Creates a project with an empty store in a folder.
void make_project(const std::filesystem::path& project);

/// Submits a job of so many items with one command each, `/bin/true`. From its own process, as
/// `pawl run` does.
[[nodiscard]] JobId submit_commands(const std::filesystem::path& project, std::int64_t items);

}  // namespace pawl::bench
