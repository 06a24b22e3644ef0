#pragma once

/// The context of one attempt: what a stage can read while it runs.
///
/// Threads: it belongs to one attempt; use it only from the stage's own thread.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/attempt.hpp"
#include "pawl/core/item.hpp"
#include "pawl/runtime/stage.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/results.hpp"

namespace pawl {

/// The output of a stage that this one needs.
struct Upstream {
  Json json;       ///< the reviewer's edits, if there are any
  Artifact typed;  ///< empty after a restart, or if a reviewer edited the output
  bool edited = false;
  StateKind state = StateKind::succeeded;  ///< a skipped or failed stage has a null output
};

/// One ended child, as a join sees it.
struct EndedChild {
  std::string key;
  StateKind state = StateKind::succeeded;
  Json data;
  Json output;
};

class Context {
 public:
  virtual ~Context() = default;

  [[nodiscard]] virtual JobId job() const = 0;
  [[nodiscard]] virtual const Workflow& workflow() const = 0;
  [[nodiscard]] virtual const std::string& stage_name() const = 0;
  [[nodiscard]] virtual const Task& task() const = 0;

  /// The item's stable key, category and data; empty for a job-wide stage.
  [[nodiscard]] virtual const std::string& item_key() const = 0;
  [[nodiscard]] virtual const std::string& category() const = 0;
  [[nodiscard]] virtual const Json& data() const = 0;
  [[nodiscard]] virtual const Json& job_params() const = 0;
  [[nodiscard]] virtual const Json& job_labels() const = 0;
  [[nodiscard]] virtual const Json& stage_params() const = 0;

  /// 1, 2, 3 …: never reused, even after a crash.
  [[nodiscard]] virtual AttemptNumber attempt() const = 0;
  [[nodiscard]] virtual std::uint32_t max_attempts() const = 0;
  [[nodiscard]] virtual Cause cause() const = 0;
  /// What was wrong with the previous attempt; none on the first.
  [[nodiscard]] virtual const std::optional<Feedback>& feedback() const = 0;
  /// The same for every attempt at the same work, even after a crash.
  [[nodiscard]] virtual std::string idempotency_key() const = 0;
  /// When the attempt times out; none: never.
  [[nodiscard]] virtual Timestamp deadline() const = 0;

  /// The key and data of a fan-out child; null for other tasks.
  [[nodiscard]] virtual const ChildPart* child() const = 0;

  /// Records what this attempt runs: a command line, an address, the digest of a prompt. Call it
  /// before the work begins, so that an attempt that hangs has it too. Without it, and if it is
  /// longer than 8 KiB, the record shows the name of the handler.
  virtual void set_action(Json action) = 0;

  /// For a stage that has finished its work while the store does not yet accept the result: such an
  /// attempt is not ended when the worker's lease expires.
  virtual void set_waits_for_store(bool waits) = 0;

  /// The output of a stage that this one needs, directly or indirectly. `invalid` if this stage
  /// does not need it; the error names the missing need. `not_found` if there is no such stage, or
  /// it has no output.
  [[nodiscard]] virtual Result<Upstream> upstream(std::string_view stage) = 0;
  /// Every closed attempt of this task, by number.
  [[nodiscard]] virtual Result<std::vector<Attempt>> history() = 0;
  /// Visits every item of the job once, in order, page by page: for job-wide stages. Stops early if
  /// the visitor returns false. `one.output(workflow(), "stage")` finds an output by name.
  [[nodiscard]] virtual Status for_each_item(
      const std::function<bool(const SettledItem&)>& visit) = 0;
  /// Visits every child of this task's expansion, in order: for joins. The second function is for
  /// downstream stages and takes the name of the stage, which must be upstream of this one.
  [[nodiscard]] virtual Status for_each_child(
      const std::function<bool(const EndedChild&)>& visit) = 0;
  [[nodiscard]] virtual Status for_each_child_of(
      std::string_view stage, const std::function<bool(const EndedChild&)>& visit) = 0;
};

}  // namespace pawl
