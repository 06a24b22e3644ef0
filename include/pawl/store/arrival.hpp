#pragma once

/// The arrival of a job that was exported from another store: begin, add pieces, end. Use
/// `import_job` ("pawl/transfer/transfer.hpp"), which reads the file; this is the part that every
/// store performs in its transactions.
///
/// A job that is arriving is paused, says so in its labels, and refuses every operation, so that
/// nothing in it changes before it is complete. Records carry the ids of the other store. The
/// ordinals of items, children and job-wide tasks are all raised by the same number, so references
/// need no translation table. Records that change with time alone (scheduled retries, answers that
/// are not yet effective) must come after `ArrivedWhole`.
///
/// An arrived job is untrusted (I18): nothing in it runs and no other job adopts from it until it
/// is accepted, by `EndArrival::accepted_by` or by the operation `TrustJob`.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "pawl/core/event.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/audit.hpp"

namespace pawl {

/// The most ordinals that one arrival may reserve.
inline constexpr std::int64_t arrival_ordinals_max = std::int64_t{1} << 40;

/// Begins an arrival. `conflict` if the job's key is taken: the message names the job that has it.
struct BeginArrival {
  std::string export_id;
  Workflow workflow;
  Job job;  ///< as it was exported
  /// The originals of adopted items arrive as a job of their own, which has ended and whose
  /// counters are the sums of its records.
  std::optional<Job> originals;
  std::int64_t first_ordinal = 0;  ///< the lowest ordinal in the records
  std::int64_t last_ordinal = 0;
  std::string sha256;  ///< of the file: an interrupted arrival can only continue with the same file
  Actor by = {};       ///< who imports it; needs the right to submit
};

struct ArrivingItem {
  Item item;
  bool is_original = false;
};
struct ArrivingTask {
  Task task;  ///< never Running; without `edited_by`, which comes with its review
  std::string category;
  bool is_original = false;
};
struct ArrivingReview {
  Review review;
  bool stands = false;  ///< true: its edits are the output of its task
  bool is_original = false;
  std::vector<GivenAnswer> answers;  ///< the review of each is not read
};
/// One entry of the audit trail about this job.
struct ArrivingAudit {
  AuditEntry entry;
};
/// One row of the log.
struct ArrivingEvents {
  Timestamp at;
  std::vector<Event> events;
};
/// Everything that only people can change has arrived. The job gets the state it had.
struct ArrivedWhole {
  Job job;  ///< as it was exported
};
using ArrivingRecord = std::variant<ArrivingItem, ArrivingTask, Attempt, ArrivingReview,
                                    ArrivingEvents, ArrivingAudit, ArrivedWhole>;

/// Adds one piece. `conflict` if another import of the same export has added something meanwhile.
struct AddArrival {
  JobId job;
  std::int64_t from_line = 0;  ///< how far the previous pieces went
  std::int64_t to_line = 0;
  std::span<const ArrivingRecord> records;
};
/// Ends the arrival and releases the job: paused or ended, as it was.
struct EndArrival {
  JobId job;
  Job as_it_was;
  std::string accepted_by;  ///< a person, or a key that is trusted; empty: it stays untrusted
  bool is_accepted_by_key = false;
  /// Who imports it; needs the right to submit. A person who accepts it is this actor, and needs
  /// the right to trust jobs.
  Actor by = {};
};
using Arrival = std::variant<BeginArrival, AddArrival, EndArrival>;

/// The state of an arrival.
struct Arriving {
  JobId job;
  JobId originals;  ///< none: no item was adopted
  std::string export_id;
  std::int64_t shift = 0;            ///< new ordinal − old ordinal
  std::int64_t lines = 0;            ///< number of lines of the export that have arrived
  std::vector<std::int64_t> shifts;  ///< one per store it has been in; the first is `shift`
  std::string sha256;                ///< of the file; empty: begun by an older version
  std::int64_t first_ordinal = 0;    ///< the lowest ordinal reserved for it here
  std::int64_t last_ordinal = 0;
};

/// The side of a store that takes in jobs from other stores.
class Receiver {
 public:
  virtual ~Receiver() = default;
  /// Carries out one part of an arrival in one transaction.
  [[nodiscard]] virtual Result<Arriving> receive(const Arrival& arrival) = 0;
};

/// The arrival of this job, read from its labels; none: it is not arriving.
[[nodiscard]] std::optional<Arriving> arrival_of(const Job& job);
[[nodiscard]] bool is_arriving(const Job& job);

/// What is recorded about the moves of a job that arrived from elsewhere.
struct Moved {
  std::string export_id;  ///< of the newest move
  JobId originals;        ///< the job with the originals of its adopted items; none: there are none
  /// By how much its ordinals grew since each store it was in. Delays computed there depend on the
  /// ids of that store.
  std::vector<std::int64_t> shifts;
};
[[nodiscard]] std::optional<Moved> move_of(const Job& job);
/// Labels that contain only these shifts.
[[nodiscard]] Json labels_after_moves(const std::vector<std::int64_t>& shifts);
/// Labels of an import that was abandoned.
[[nodiscard]] Json labels_of_abandoned(const std::string& export_id);

}  // namespace pawl
