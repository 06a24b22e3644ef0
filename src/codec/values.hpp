#pragma once

/// The values that a store keeps as one column of compact JSON text. Default values are omitted.
/// Reading is strict: any text that `append_json` did not write is `corrupt`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/attempt.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/core/policy.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/review.hpp"

namespace pawl::codec {

/// The feedback of an attempt and everything else that is found in few attempts, as one column.
/// Feedback alone is written as older versions wrote it.
struct Findings {
  std::optional<Feedback> feedback;
  std::vector<Assessment> assessments = {};
  std::vector<Json> alternatives = {};
  Json action = {};
};

void append_json(std::string& out, const Feedback& value);
void append_json(std::string& out, const Findings& value);
void append_json(std::string& out, const std::vector<Assessment>& value);
void append_json(std::string& out, const StageError& value);
void append_json(std::string& out, const std::vector<ArtifactRecord>& value);
void append_json(std::string& out, const Usage& value);
void append_json(std::string& out, const Budget& value);
void append_json(std::string& out, const Tolerance& value);
void append_json(std::string& out, const Limits& value);
void append_json(std::string& out, const Answer& value);
void append_json(std::string& out, const Counts& value);
void append_json(std::string& out, const Decision& value);

template <class T>
[[nodiscard]] std::string to_json_text(const T& value) {
  std::string out;
  append_json(out, value);
  return out;
}

/// Reads text that `append_json` wrote; for each type above.
template <class T>
[[nodiscard]] Result<T> from_json_text(std::string_view text);

}  // namespace pawl::codec
