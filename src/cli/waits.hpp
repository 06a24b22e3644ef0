#pragma once

/// Reports what an unfinished item or stage is waiting for.

#include <string>

#include "cli/address.hpp"
#include "cli/output/render.hpp"

namespace pawl::cli {

/// "a person: review 318", "the next attempt, due in 41s", "stage convert"; several, if several
/// stages of an item are active. Empty if it has ended.
[[nodiscard]] Result<std::string> what_it_waits_for(Records& records, const Address& address,
                                                    const Times& times);

}  // namespace pawl::cli
