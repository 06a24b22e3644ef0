#pragma once

/// Checks the shared store after every step and remembers what was acknowledged, so that a broken
/// invariant is found at the step that broke it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"
#include "pawl/store/verify.hpp"

namespace pawl::simulation {

struct Finding {
  std::string invariant;
  std::string message;
  friend bool operator==(const Finding&, const Finding&) = default;
};

class Watch {
 public:
  explicit Watch(Store& store) : store_(store) {}

  /// Called once with each event of the log.
  std::function<void(const Event&)> on_event;

  /// These steps were acknowledged as written. They must stay.
  void acknowledge(std::span<const Step> steps, const Committed& answer);
  void acknowledge(const Act& act, const Actor& by);
  void acknowledge_submission(JobId job, std::size_t items);
  /// The store was set back: acknowledged writes may be missing, and the log is read again from its
  /// beginning.
  void forget();
  /// Every worker has had time to compare what it holds with the record.
  void expect_holdings() { may_differ_ = false; }
  /// A subscriber received this event: it must be in the log, and all earlier ones must have been
  /// received before.
  void told(const std::string& subscriber, const Event& event);

  /// An event in the log that a subscriber did not receive.
  [[nodiscard]] std::optional<Finding> missed_by(const std::string& subscriber) const;

  /// After a step: verifies every job that changed, and the new part of the log.
  [[nodiscard]] std::optional<Finding> look();
  [[nodiscard]] const std::optional<Finding>& found() const { return found_; }
  /// The same for everything from the start, and for all that was acknowledged.
  [[nodiscard]] std::optional<Finding> look_at_everything();

 private:
  void find(std::string invariant, std::string message);
  void find_first(const Result<Verification>& checked);
  void verify_job(const Job& job);
  void read_log();
  void see(const Event& event);
  void check_acknowledged();

  /// The history of a task in the log.
  struct Story {
    AttemptNumber newest = 0;
    bool is_open = false;
  };
  using AttemptName = std::pair<TaskId, AttemptNumber>;

  Store& store_;
  std::optional<Finding> found_;
  bool may_differ_ = false;    ///< what workers hold may differ from the store
  std::map<JobId, Job> seen_;  ///< as last verified
  EventSeq last_event_ = 0;
  std::map<TaskId, Story> stories_;
  std::set<JobId> cancelled_;
  std::map<JobId, std::size_t> purged_;                  ///< items
  std::map<AttemptName, AttemptResult> closed_;          ///< acknowledged
  std::set<std::pair<ReviewId, std::string>> answered_;  ///< acknowledged, and by whom
  std::map<JobId, std::size_t> submitted_;               ///< acknowledged items
  std::map<std::string, EventSeq> told_;                 ///< the last one, by subscriber
};

}  // namespace pawl::simulation
