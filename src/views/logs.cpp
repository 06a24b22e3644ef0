#include "views/logs.hpp"

#include <utility>

#include "pawl/codec/json.hpp"

namespace pawl::views {
namespace {

std::string_view stream_of(ArtifactKind kind) {
  if (kind == ArtifactKind::standard_output) return "stdout";
  return kind == ArtifactKind::standard_error ? "stderr" : "";
}

/// The whole log if it was stored, else its end from the record.
Result<std::string> text_of(Records& records, const ArtifactRecord& artifact) {
  if (!artifact.sha256.empty()) return records.payload(artifact.sha256);
  return field(artifact.summary, "tail").string().value_or("");
}

}  // namespace

Result<std::vector<Log>> logs_of(Records& records, const std::vector<TaskAttempts>& all,
                                 const std::optional<std::uint32_t>& only) {
  std::vector<Log> logs;
  for (const TaskAttempts& one : all) {
    for (const Attempt& attempt : one.attempts) {
      if (only && attempt.number != *only) continue;
      for (const ArtifactRecord& artifact : attempt.artifacts) {
        const std::string_view stream = stream_of(artifact.kind);
        if (stream.empty()) continue;
        Result<std::string> text = text_of(records, artifact);
        if (!text) return std::unexpected(text.error());
        logs.push_back({one.name(), attempt.number, stream, std::move(*text), artifact.size});
      }
    }
  }
  return logs;
}

Json log_document(const Log& log) {
  return Json::object({{"stage", log.task},
                       {"attempt_number", log.attempt},
                       {"stream", log.stream},
                       {"size", log.size},
                       {"running", log.is_running},
                       {"text", log.text}});
}

}  // namespace pawl::views
