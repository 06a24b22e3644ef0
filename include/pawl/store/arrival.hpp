#pragma once

/// How a job that was exported from another store arrives in this one: begun, brought in piece by
/// piece, ended. Use `import_job` ("pawl/moving/moving.hpp"), which reads the file; this is the
/// part that every store does in its transactions.
///
/// A job that is arriving is paused, says so in its labels, and is refused to every act, so that
/// nothing of it moves before it is whole. Records carry the ids they had in the other store; the
/// ordinals of items, children and job-wide tasks are all raised by the same number, so references
/// need no table. What time moves by itself (scheduled retries, answers that wait for their moment)
/// must come after `ArrivedWhole`.
///
/// What has arrived is untrusted (I18): nothing of it runs and nobody adopts from it until it is
/// accepted, by `EndArrival::accepted_by` or by the act `TrustJob`.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pawl/core/event.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/review.hpp"

namespace pawl {

/// How many ordinals one arrival may reserve.
inline constexpr std::int64_t arrival_ordinals_max = std::int64_t{1} << 40;

/// `conflict` where the job's key is taken: the message names the job that has it.
struct BeginArrival {
  std::string export_id;
  Workflow workflow;
  Job job;  ///< as it was exported
  /// Items that the job's own were adopted from come along as a job of their own, which has ended;
  /// with the counters that its records add up to.
  std::optional<Job> originals;
  std::int64_t first_ordinal = 0;  ///< of everything that the records name
  std::int64_t last_ordinal = 0;
  std::string sha256;  ///< of the file: only the same file may go on with this arrival
};

struct ArrivingItem {
  Item item;
  bool is_original = false;
};
struct ArrivingTask {
  Task task;  ///< never Running; without `edited_by`, which its review brings
  std::string category;
  bool is_original = false;
};
struct ArrivingReview {
  Review review;
  bool stands = false;  ///< its edits are the output of its task
  bool is_original = false;
};
/// One row of the log.
struct ArrivingEvents {
  Timestamp at;
  std::vector<Event> events;
};
/// Everything that nothing but people moves is there: the job gets the state it had.
struct ArrivedWhole {
  Job job;  ///< as it was exported
};
using ArrivingRecord =
    std::variant<ArrivingItem, ArrivingTask, Attempt, ArrivingReview, ArrivingEvents, ArrivedWhole>;

/// A piece. `conflict` when another import of the same export has brought something meanwhile.
struct AddArrival {
  JobId job;
  std::int64_t from_line = 0;  ///< how far the pieces before have come
  std::int64_t to_line = 0;
  std::span<const ArrivingRecord> records;
};
/// The job is released: paused or ended as it was.
struct EndArrival {
  JobId job;
  Job as_it_was;
  std::string accepted_by;  ///< empty: it stays untrusted
};
using Arrival = std::variant<BeginArrival, AddArrival, EndArrival>;

/// Where an arrival stands.
struct Arriving {
  JobId job;
  JobId originals;  ///< none: no item was adopted
  std::string export_id;
  std::int64_t shift = 0;            ///< new ordinal − old ordinal
  std::int64_t lines = 0;            ///< of the export, already here
  std::vector<std::int64_t> shifts;  ///< since every store it was in; the first is `shift`
  std::string sha256;                ///< of the file; empty: begun by an older version
  std::int64_t first_ordinal = 0;    ///< of those that are reserved for it here
  std::int64_t last_ordinal = 0;
};

/// Of a job that is arriving; read from its labels.
[[nodiscard]] std::optional<Arriving> arrival_of(const Job& job);
[[nodiscard]] bool is_arriving(const Job& job);

/// What is remembered of the moves of a job that arrived from elsewhere.
struct Moved {
  std::string export_id;  ///< of the newest
  JobId originals;        ///< holds what its items were adopted from; none: nothing
  /// By how much its ordinals grew since each store it was in: delays drawn there were drawn by the
  /// ids of that store.
  std::vector<std::int64_t> shifts;
};
[[nodiscard]] std::optional<Moved> move_of(const Job& job);
/// Labels that say nothing but by how much ordinals grew.
[[nodiscard]] Json labels_after_moves(const std::vector<std::int64_t>& shifts);
/// Labels of an import that was given up.
[[nodiscard]] Json labels_of_abandoned(const std::string& export_id);

}  // namespace pawl
