#pragma once

/// What a stage knows while it runs.
///
/// Threads: belongs to one attempt; use it from the stage's own thread.

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

/// The output of a stage this one needs.
struct Upstream {
  Json json;       ///< a reviewer's edits, where there are any
  Artifact typed;  ///< empty after a restart, or where a reviewer edited
  bool edited = false;
  StateKind state = StateKind::succeeded;  ///< skipped and failed ones have a null output
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

  /// The item's stable key, category and data; empty for a `scope: all` stage.
  [[nodiscard]] virtual const std::string& item_key() const = 0;
  [[nodiscard]] virtual const std::string& category() const = 0;
  [[nodiscard]] virtual const Json& data() const = 0;
  [[nodiscard]] virtual const Json& job_params() const = 0;
  [[nodiscard]] virtual const Json& job_labels() const = 0;
  [[nodiscard]] virtual const Json& stage_params() const = 0;

  /// 1, 2, 3 …: never reused, whatever crashed in between.
  [[nodiscard]] virtual AttemptNumber attempt() const = 0;
  [[nodiscard]] virtual std::uint32_t max_attempts() const = 0;
  [[nodiscard]] virtual Cause cause() const = 0;
  /// What was wrong with the attempt before; none on the first.
  [[nodiscard]] virtual const std::optional<Feedback>& feedback() const = 0;
  /// The same for every attempt at the same work, also after a crash.
  [[nodiscard]] virtual std::string idempotency_key() const = 0;
  /// When the attempt times out; none: never.
  [[nodiscard]] virtual Timestamp deadline() const = 0;

  /// A fan-out child's own part; null elsewhere.
  [[nodiscard]] virtual const ChildPart* child() const = 0;

  /// For stages whose work is done while the store does not take what it brought: such an attempt
  /// is not ended when the worker's lease runs out.
  virtual void set_waits_for_store(bool waits) = 0;

  /// The output of a stage this one needs, directly or through others. `not_found` when there is no
  /// such stage, or it has no output yet.
  [[nodiscard]] virtual Result<Upstream> upstream(std::string_view stage) = 0;
  /// Every closed attempt of this task, by number.
  [[nodiscard]] virtual Result<std::vector<Attempt>> history() = 0;
  /// Every item of the job once, in order, page by page: for `scope: all` stages. Stops early when
  /// the visitor answers false. `one.output(workflow(), "stage")` finds an output by name.
  [[nodiscard]] virtual Status for_each_item(
      const std::function<bool(const SettledItem&)>& visit) = 0;
  /// Every child of this task's expansion, in order: for joins and, by stage name, downstream.
  [[nodiscard]] virtual Status for_each_child(
      const std::function<bool(const EndedChild&)>& visit) = 0;
  [[nodiscard]] virtual Status for_each_child_of(
      std::string_view stage, const std::function<bool(const EndedChild&)>& visit) = 0;
};

}  // namespace pawl
