#pragma once

/// The text of one journal row: the events of one step. It is written on the hot path of every
/// step.
///
/// One event per line: type,item,task,attempt,code,count,when,text. Zeros are written as empty
/// fields, empty fields at the end are omitted, and '=' repeats the item or task of the previous
/// line. The text comes last, so it may contain commas; backslash, newline and NUL are escaped.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/event.hpp"
#include "pawl/core/result.hpp"

namespace pawl::codec {

inline constexpr std::size_t events_per_row = 16;

/// Appends the text of one row. Allocates only to grow `out`. Requires at most `events_per_row`
/// events. Does not write `seq`, `job` and `at`, which belong to the row.
void append_events(std::string& out, std::span<const Event> events);

/// The events of a row, with seq = row · 16 + position. `corrupt` if the text is damaged.
[[nodiscard]] Result<std::vector<Event>> read_events(std::string_view text, EventSeq row, JobId job,
                                                     Timestamp at);

}  // namespace pawl::codec
