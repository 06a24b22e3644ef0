#pragma once

/// Brings in what an older MapReduce runner left behind: its checkpoint and its dead letters.
///
/// Reading is pure and tolerant of what is missing: an old checkpoint without retry counts gets
/// them from its failed agents and its dead letters, the larger of the two where both exist, so
/// that the next attempt's number is right. It is strict about what is there: every value of a
/// wrong type is reported, all at once, with its path.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "pawl/store/store.hpp"

namespace pawl {

/// Attempts so far, by item.
using RetryCounts = std::unordered_map<std::string, std::uint32_t>;

/// The number of an item's next attempt: 1 for a fresh one.
[[nodiscard]] AttemptNumber attempt_number_for(const std::string& item, const RetryCounts& counts);

/// The same counts with one more attempt of the item.
[[nodiscard]] RetryCounts with_incremented(const std::string& item, RetryCounts counts);

/// One entry of `failed_agents`.
struct OldFailure {
  std::uint32_t attempts = 0;
  std::string last_error;
  Timestamp last_attempt;
};

/// One entry of a dead letter's `failure_history`.
struct OldFailedAttempt {
  AttemptNumber attempt_number = 0;  ///< 0: not given
  Timestamp at;
  std::string error_type;
  std::string error_message;
  std::string exit_code;  ///< of a command that failed; else empty
};

/// One item of the old dead-letter queue.
struct OldDeadLetter {
  std::string item_id;
  Json item_data;
  Timestamp first_attempt;
  Timestamp last_attempt;
  std::uint32_t failure_count = 0;
  std::vector<OldFailedAttempt> failure_history;
};

using OldFailures = std::unordered_map<std::string, OldFailure>;

/// Attempts so far from both sources; the larger where both know an item.
[[nodiscard]] RetryCounts merge_retry_counts(const OldFailures& failed,
                                             std::span<const OldDeadLetter> dead_letters);

/// Where an item of the checkpoint stands.
enum class ImportState : std::uint8_t {
  fresh,      ///< never tried
  due,        ///< tried, to be tried again
  dead,       ///< a dead letter, and stays one
  completed,  ///< its output stands
};

struct ImportedItem {
  std::string key;
  Json data;
  ImportState state = ImportState::fresh;
  /// Numbered 1 … n without a gap. What the old system kept no record of says so.
  std::vector<Attempt> attempts;
};

struct ImportPlan {
  std::string job_id;
  std::vector<ImportedItem> items;  ///< in the order of `work_items`; items known only by id follow
  std::vector<std::string> ignored;  ///< paths of fields that mean nothing here, in order
};

/// Reads a checkpoint and, where given, the dead letters: an array, an object with `items`, a
/// single item, or one JSON document per line. `invalid` tells everything that is wrong, one fault
/// a line.
[[nodiscard]] Result<ImportPlan> read_checkpoint(
    std::string_view checkpoint, std::optional<std::string_view> dead_letters = std::nullopt);

/// Whether the text is a checkpoint or dead letters of the old runner, by the names of its fields.
[[nodiscard]] bool looks_like_checkpoint(std::string_view text);

/// What the new job has besides its items.
struct CheckpointJob {
  Json params = {};
  Json labels = {};  ///< `imported_from` is added
  Budget budget = {};
  Tolerance tolerate_failures = {};
  Actor by = {};  ///< who imports it
};

/// Creates a job with the plan's items, as the old system left them, at the workflow's first stage.
/// `invalid` when the workflow has several first stages: the old attempts would have no home.
/// Importing the same old job into the same workflow again adds nothing and answers the same job.
[[nodiscard]] Result<Job> import_checkpoint(Store& store, const Workflow& workflow,
                                            const ImportPlan& plan,
                                            const CheckpointJob& options = {});

}  // namespace pawl
