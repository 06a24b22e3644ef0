#pragma once

/// Shared formatting of the documents: times, absent names and amounts of money.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "codec/object_writer.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/core/review.hpp"

namespace pawl::views {

inline void write_time(codec::ObjectWriter& object, std::string_view key, Timestamp time) {
  object.write(key, time == no_time ? Json{} : Json{rfc3339(time)});
}

inline Json name_or_null(std::string_view name) { return name.empty() ? Json{} : Json{name}; }

inline void write_name(codec::ObjectWriter& object, std::string_view key, std::string_view name) {
  object.write(key, name_or_null(name));
}

template <class E>
void write_word(codec::ObjectWriter& object, std::string_view key, const std::optional<E>& value) {
  write_name(object, key, value ? name_of(*value) : std::string_view{});
}

template <class T>
void write_optional(codec::ObjectWriter& object, std::string_view key,
                    const std::optional<T>& value) {
  object.write(key, value ? Json{*value} : Json{});
}

/// The members of an answer to a review.
inline void write_answer(codec::ObjectWriter& object, const Answer& answer) {
  object.write("outcome", answer.outcome);
  write_name(object, "reviewer", answer.reviewer);
  write_name(object, "note", answer.note);
  write_optional(object, "attempt_number", answer.attempt);
  object.write("edits", answer.edits.value_or(Json{}));
  write_name(object, "digest", answer.digest);
  write_time(object, "effective_at", answer.effective_at);
}

inline double seconds_of(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }
inline double dollars_of(std::int64_t microusd) { return static_cast<double>(microusd) / 1e6; }

}  // namespace pawl::views
