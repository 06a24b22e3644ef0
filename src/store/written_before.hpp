#pragma once

/// A batch that comes a second time, because its first answer was lost.

#include <string>

#include "pawl/store/store.hpp"

namespace pawl {

/// Nothing is written, and nothing of the first answer is known any more: who sent it reads back
/// what the store has.
inline std::unexpected<Error> written_before(WorkerId worker, BatchNumber batch) {
  return fail(ErrorCode::unavailable, "batch " + std::to_string(batch) + " of worker " +
                                          std::to_string(worker.value()) + " was written before");
}

}  // namespace pawl
