#pragma once

/// What an unfinished item or stage is waiting for.

#include <functional>
#include <string>

#include "views/address.hpp"

namespace pawl::views {

/// A moment in the style that the reader asked for: "9m ago".
using TimeText = std::function<std::string(Timestamp)>;

/// "a person: review 318", "the next attempt, due in 41s", "stage convert"; several, if several
/// stages of an item are active. Empty if it has ended.
[[nodiscard]] Result<std::string> wait_reason(Records& records, const Address& address,
                                              Timestamp now, const TimeText& time_text);

}  // namespace pawl::views
