#pragma once

/// Looks at the shared store after every step, and remembers what was promised: a broken invariant
/// is found at the step that broke it.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>

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

  /// Told each event of the log, once.
  std::function<void(const Event&)> on_event;

  /// What somebody was told is written. It has to stay.
  void acknowledge(std::span<const Step> steps, const Committed& answer);
  void acknowledge(const Act& act);
  /// Somebody is about to take an answer back.
  void forget_answer(ReviewId review) { answered_.erase(review); }
  void acknowledge_submission(JobId job, std::size_t items);
  /// The store was set back: nothing that was acknowledged has to be there, and the log is read
  /// again from its beginning.
  void forget();
  /// Everybody has had time to compare what he holds with the record.
  void expect_holdings() { may_differ_ = false; }
  /// What a subscriber was told: by then it has to be in the log, and what came before was told
  /// before.
  void told(const std::string& subscriber, const Event& event);

  /// What is in the log, and a subscriber was not told.
  [[nodiscard]] std::optional<Finding> missed_by(const std::string& subscriber) const;

  /// After a step: every job that changed is verified, and the new part of the log.
  [[nodiscard]] std::optional<Finding> look();
  [[nodiscard]] const std::optional<Finding>& found() const { return found_; }
  /// The same of everything, from the start, and whatever was acknowledged.
  [[nodiscard]] std::optional<Finding> look_at_everything();

 private:
  void find(std::string invariant, std::string message);
  void find_first(const Result<Verification>& checked);
  void verify_job(const Job& job);
  void read_log();
  void see(const Event& event);
  void check_acknowledged();

  /// The story of a task, as the log tells it.
  struct Story {
    AttemptNumber newest = 0;
    bool is_open = false;
  };
  using AttemptName = std::pair<TaskId, AttemptNumber>;

  Store& store_;
  std::optional<Finding> found_;
  bool may_differ_ = false;    ///< what workers hold, from what the store says
  std::map<JobId, Job> seen_;  ///< as they were when they were last verified
  EventSeq last_event_ = 0;
  std::map<TaskId, Story> stories_;
  std::set<JobId> cancelled_;
  std::map<JobId, std::size_t> purged_;          ///< items
  std::map<AttemptName, AttemptResult> closed_;  ///< acknowledged
  std::map<ReviewId, std::string> answered_;     ///< acknowledged, by whom
  std::map<JobId, std::size_t> submitted_;       ///< acknowledged items
  std::map<std::string, EventSeq> told_;         ///< the last one, by subscriber
};

}  // namespace pawl::simulation
