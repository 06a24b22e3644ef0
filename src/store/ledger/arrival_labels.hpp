#pragma once

/// What the labels of a job record about its arrival from another store.

#include <cstdint>
#include <string>
#include <vector>

#include "pawl/store/arrival.hpp"

namespace pawl::store {

/// Labels of a job that is arriving. `arrival_of` reads them.
[[nodiscard]] Json labels_of(const Arriving& at);

/// The labels that the job had in the other store, with a note of the move. `move_of` reads it.
[[nodiscard]] Json labels_after(const Job& as_it_was, const std::string& export_id, JobId originals,
                                const std::vector<std::int64_t>& shifts);

}  // namespace pawl::store
