#pragma once

/// The dead letters that a body selects, and the numbers of records in bodies.

#include <vector>

#include "pawl/store/dead_letters.hpp"
#include "service/api/call.hpp"

namespace pawl::service {

/// job, stage, filter, ids and all.
[[nodiscard]] std::vector<Field> letter_selection_fields();

/// `invalid` if nothing is selected, or by ids and in another way; `not_found` for an unknown job.
[[nodiscard]] Result<DeadLetterSelection> letters_selected_by(Records& records, const Fields& body);

/// The numbers in a list of a body, each once. `invalid` with everything that is none, or if there
/// are none or more than ten thousand. `what` names the member.
[[nodiscard]] Result<std::vector<std::int64_t>> numbers_in(const Json& list, std::string_view what);

}  // namespace pawl::service
