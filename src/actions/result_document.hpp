#pragma once

/// Reads what a command writes to $PAWL_RESULT. An unknown member is an error that names it, so
/// that a misspelt member is never silently lost.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/outcome.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

/// A file that the command wants to keep beside its output.
struct NamedFile {
  std::string name;
  std::string path;
  std::string type;  ///< a media type, or empty
};

/// What a stage wrote.
struct ResultDocument {
  enum class Kind : std::uint8_t { ok, needs_review, skipped };
  Kind outcome = Kind::ok;
  Json output;  ///< an object
  std::string summary;
  std::optional<Usage> usage;
  std::string model;
  std::vector<NamedFile> artifacts;
  std::vector<Json> alternatives;   ///< what else the command considered
  std::optional<StageError> error;  ///< if set, output, outcome and summary do not count
};

/// `invalid` says what is wrong with the text.
[[nodiscard]] Result<ResultDocument> parse_result_document(std::string_view text);

/// What a gate wrote.
struct VerdictDocument {
  Verdict verdict = Verdict::accepted;
  Feedback feedback;
  Usage usage;
};
[[nodiscard]] Result<VerdictDocument> parse_verdict_document(std::string_view text);

/// {"cost_usd","input_tokens","output_tokens","model"}, all of them optional.
[[nodiscard]] Result<Usage> usage_from(const Json& value, std::string* model = nullptr);

}  // namespace pawl::actions
