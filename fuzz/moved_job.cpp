/// Whatever the bytes of an export: it is brought in, or refused by its line with nothing written;
/// and what was brought in can be exported, and brought in again.
///
/// The last line holds counts and a digest that no chance would hit, so the same lines are tried
/// with a last line that is right.

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/arrival.hpp"
#include "pawl/transfer/transfer.hpp"
#include "transfer/lines.hpp"

namespace {

using namespace pawl;

std::string written(const transfer::Line& line) {
  return std::visit([](const auto& one) { return transfer::line_of(one); }, line);
}

/// A line that was read is written and read back as the same.
void check_line(const transfer::Line& line) {
  const std::string text = written(line);
  require(text.ends_with('\n'), "a line without an end");
  const auto again = transfer::read_line(std::string_view(text).substr(0, text.size() - 1));
  // An id of zero is not written; who looks through the whole export refuses it.
  const bool has_ids = text.find("\"id\":") != std::string::npos;
  require(again || !has_ids, again ? "" : "a line that does not read back: " + text);
  require(!again || written(*again) == text, "a line that reads back as another: " + text);
}

/// The lines before the last, with a last one that says what they are.
std::string sealed(std::string_view text) {
  std::string lines;
  transfer::LastLine last;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (transfer::is_last_line(one)) break;
    lines += one;
    lines += '\n';
    const Result<transfer::Line> line = transfer::read_line(one);
    if (!line) continue;
    check_line(*line);
    MovedCounts& counts = last.moved;
    if (std::holds_alternative<ArrivingItem>(*line)) ++counts.items;
    if (std::holds_alternative<ArrivingTask>(*line)) ++counts.tasks;
    if (std::holds_alternative<transfer::MovedAttempt>(*line)) ++counts.attempts;
    if (std::holds_alternative<ArrivingReview>(*line)) ++counts.reviews;
    if (const auto* row = std::get_if<ArrivingEvents>(&*line)) {
      counts.events += static_cast<std::int64_t>(row->events.size());
    }
    const auto* piece = std::get_if<transfer::PayloadPiece>(&*line);
    if (piece != nullptr && piece->offset == 0) ++counts.payloads;
  }
  last.sha256 = sha256_hex(lines);
  return lines + transfer::line_of(last);
}

bool all_arriving(Records& records) {
  const auto jobs = records.jobs({});
  return jobs && std::ranges::all_of(*jobs, [](const Job& job) { return is_arriving(job); });
}

/// Answers the export of the job that arrived; empty when it was refused.
std::string moved(const std::string& text) {
  static const ManualClock clock;
  const auto store = open_memory_store(clock);
  const std::uint64_t before = store->change_mark();
  std::istringstream in(text);
  const Result<Imported> job = import_job(*store, in, {.records_per_chunk = 5});
  if (!job) {
    const Error& error = job.error();
    require(!error.message.empty(), "refused without a reason");
    require(error.message.starts_with("line ") || error.message.starts_with("the export ") ||
                error.message.starts_with("the file is empty"),
            "refused without a place: " + error.text());
    // What cannot be seen in a line or in the sums is found by the store, piece by piece: then the
    // job is there, and nothing of it can run.
    const bool is_held = error.code == ErrorCode::corrupt && all_arriving(store->records());
    require(store->change_mark() == before || is_held, "something was written: " + error.text());
    return {};
  }
  if (!job->released) {
    require(!job->verified.ok(), "held back without a reason");
    return {};
  }
  std::ostringstream out;
  const Result<Exported> exported =
      export_job(store->records(), job->job.id, out, {.export_id = "e"});
  require(exported.has_value(), exported ? "" : "cannot be exported: " + exported.error().text());
  return out.str();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)moved(text);
  const std::string exported = moved(sealed(text));
  if (exported.empty()) return 0;
  require(!moved(exported).empty(), "what was moved once cannot be moved again");
  return 0;
}
