#pragma once

/// What something that has not ended is waiting for.

#include <string>

#include "cli/address.hpp"
#include "cli/render.hpp"

namespace pawl::cli {

/// "a person: review 318", "the next attempt, due in 41s", "stage convert"; several, where several
/// stages of an item are under way. Empty when it has ended.
[[nodiscard]] Result<std::string> what_it_waits_for(Records& records, const Address& address,
                                                    const Times& times);

}  // namespace pawl::cli
