#include "views/output_changes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "codec/file_value.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/results.hpp"
#include "text/line_edits.hpp"
#include "views/outputs.hpp"

namespace pawl::views {
namespace {

using codec::file_of;
using codec::FileValue;
using text::EditKind;
using text::LineEdit;

/// Larger files count with this size, so that no sum of sizes that a stage made up overflows.
constexpr std::int64_t file_bytes_max = std::int64_t{1} << 40U;

/// What is compared of an output.
struct ComparedOutput {
  AttemptNumber attempt;
  std::string digest;
  std::int64_t bytes;
  std::vector<std::string> lines;
};

/// The recorded sizes of all files in the value, at any depth.
std::int64_t file_bytes_in(const Json& value) {
  if (!value.text().contains("\"$file\"")) return 0;
  if (const std::optional<FileValue> file = file_of(value)) {
    return std::clamp<std::int64_t>(file->size, 0, file_bytes_max);
  }
  std::int64_t bytes = 0;
  for (const Json& one : elements(value)) bytes += file_bytes_in(one);
  for (const auto& [name, one] : members(value)) bytes += file_bytes_in(one);
  return bytes;
}

std::vector<std::string> recorded_line(const FileValue& file) {
  return {"file " + file.name + ", " + std::to_string(file.size) + " bytes, " + file.sha256};
}

ComparedOutput compared(AttemptNumber attempt, const Json& output) {
  const Json text = canonical(output);
  return {.attempt = attempt,
          .digest = sha256_hex(text.text()),
          .bytes = static_cast<std::int64_t>(text.size()) + file_bytes_in(text),
          .lines = readable_lines(text, &recorded_line)};
}

OutputDifference difference_of(const ComparedOutput& before, const ComparedOutput& after) {
  OutputDifference difference{.from = before.attempt, .bytes = after.bytes - before.bytes};
  if (before.digest == after.digest) return difference;
  const std::vector<LineEdit> edits = text::line_edits(before.lines, after.lines);
  difference.lines_added = std::ranges::count(edits, EditKind::added, &LineEdit::kind);
  difference.lines_removed = std::ranges::count(edits, EditKind::removed, &LineEdit::kind);
  return difference;
}

}  // namespace

std::vector<OutputChange> output_changes(Records& records, const std::vector<Attempt>& attempts) {
  std::vector<OutputChange> changes;
  std::map<std::string, AttemptNumber> first_with_digest;
  std::optional<ComparedOutput> previous;
  for (const Attempt& attempt : attempts) {
    if (attempt.output.is_null()) continue;
    const Result<Json> output = whole_output(records, attempt.output);
    if (!output) continue;
    ComparedOutput now = compared(attempt.number, *output);
    OutputChange change{.attempt = attempt.number, .same_as = {}, .difference = {}};
    const auto [first, is_new] = first_with_digest.emplace(now.digest, attempt.number);
    if (!is_new) change.same_as = first->second;
    if (previous) change.difference = difference_of(*previous, now);
    changes.push_back(change);
    previous = std::move(now);
  }
  return changes;
}

}  // namespace pawl::views
