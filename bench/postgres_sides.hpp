#pragma once

/// Both sides of W1 on a PostgreSQL server.

#include <cstdint>
#include <memory>
#include <string>

#include "bench/bulk_rows.hpp"
#include "bench/chain.hpp"
#include "bench/served.hpp"

namespace pawl::bench {

[[nodiscard]] std::shared_ptr<Store> postgres_store(const std::string& url);

/// The rows of W1 in transactions of 1,000 steps, with as many items in flight as the engine's
/// default, oldest first, in its own schema.
[[nodiscard]] ServedSample limit_postgres(const std::string& server, std::int64_t items,
                                          Constants constants = Constants::sent);

/// One run of our engine over the chain in its own schema.
[[nodiscard]] ServedSample engine_on_postgres(const std::string& server, std::int64_t items);

/// The same with several processes of one engine each. Timed from the start signal, when all are
/// ready, until the first knows that the job has ended.
[[nodiscard]] ServedSample processes_on_postgres(const std::string& server, std::int64_t items,
                                                 unsigned processes);

/// The code of such a process: this program again, with `--drain URL`.
int drain(const std::string& url);

}  // namespace pawl::bench
