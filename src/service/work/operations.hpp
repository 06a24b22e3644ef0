#pragma once

/// Acts on many records at once: retry every dead letter that matches, approve twenty reviews. Each
/// runs in the background, one after the other, and can be watched. They are kept in memory: after
/// a restart of the daemon an operation that was not finished is unknown, and may be started again;
/// what it had done stays done.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"
#include "pawl/store/clock.hpp"

namespace pawl::service {

/// What a client asks for.
struct OperationOrder {
  std::string id;    ///< chosen by the client: 1 to 64 letters, digits, '.', '-' and '_'
  std::string kind;  ///< "dead_letters.retry"
  /// The selection and the rest, as the client gave them. A member of more than a kilobyte is kept
  /// only as {"omitted_bytes":…}.
  Json details;
  Actor by;
  std::optional<std::int64_t> expected;  ///< how many records it is about, if that is known
};

/// How far an operation is.
struct OperationState {
  enum class Phase : std::uint8_t {
    waiting,
    running,
    finished,   ///< it came to its end; some records may have been refused
    cancelled,  ///< by a person, or because the daemon stopped
    failed,     ///< it could not go on; `error` says why
  };
  OperationOrder order;
  Phase phase = Phase::waiting;
  std::int64_t done = 0;
  std::int64_t refused = 0;
  std::vector<Json> refusals;  ///< the first hundred: {"id","error"}
  std::optional<Error> error;
  Timestamp asked_at;
  Timestamp started_at;
  Timestamp ended_at;

  [[nodiscard]] bool has_ended() const { return ended_at != no_time; }
};
[[nodiscard]] Json operation_document(const OperationState& state);

/// What an operation reports, and asks, as it goes on.
class OperationProgress {
 public:
  virtual ~OperationProgress() = default;
  virtual void did() = 0;
  /// The record stays as it is. An error of the store itself (`unavailable`, `corrupt`) ends the
  /// operation.
  virtual void refused(const std::string& id, const Error& why) = 0;
  /// Whether it should go on. False: somebody cancelled it, the daemon stops, or the store failed.
  [[nodiscard]] virtual bool goes_on() const = 0;
};
/// The acts themselves; run on the thread of the operations. An error ends it as failed.
using OperationWork = std::function<Status(OperationProgress& progress)>;

class Operations {
 public:
  /// The clock must outlive it.
  explicit Operations(const Clock& clock);
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  ~Operations();

  /// How many may wait, how many ended ones are kept, and for how long.
  static constexpr std::size_t waiting_max = 100;
  static constexpr std::size_t ended_max = 1'000;
  static constexpr Duration kept_for = std::chrono::hours(24);
  static constexpr std::size_t refusals_max = 100;

  /// Starts it after those that were started before. The same order by the same person again
  /// returns the first one, also if it has ended; `conflict` for another order under this id,
  /// `invalid` for an id of another form, `unavailable` if too many wait or the daemon stops.
  [[nodiscard]] Result<OperationState> start(OperationOrder order, OperationWork work);
  /// The first one, if this order was given before; `conflict` and `invalid` as above.
  [[nodiscard]] Result<std::optional<OperationState>> find_same(const OperationOrder& order) const;
  /// `not_found`, also for one that was forgotten.
  [[nodiscard]] Result<OperationState> find(const std::string& id) const;
  /// Newest first: those that have not ended, and the ended ones of the last day.
  [[nodiscard]] std::vector<OperationState> all() const;
  /// Ends it after the record that it is at; one that waits at once. What it has done stays.
  /// Changes nothing if it has ended.
  [[nodiscard]] Result<OperationState> cancel(const std::string& id);
  /// Waits until it has ended.
  [[nodiscard]] Result<OperationState> wait(const std::string& id) const;
  /// Ends the running one and starts no other.
  void stop();

 private:
  class Queue;
  std::unique_ptr<Queue> queue_;
};

}  // namespace pawl::service
