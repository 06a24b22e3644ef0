#pragma once

/// The people around the engine: submitters, reviewers, operators and onlookers. Each does one turn
/// at a time, so that the caller decides how often.

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>

#include "bench/soak/tally.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/records.hpp"

namespace pawl::soak {

/// Submits waves of items, some of them as commands, while not too much is in progress.
class Submitter {
 public:
  Submitter(Engine& engine, WorkTally& tally, Workflow mixed, Workflow commands,
            std::string project, std::int64_t items);
  void turn();
  /// The jobs that have not ended yet, as last seen.
  [[nodiscard]] std::int64_t unfinished();

 private:
  Engine& engine_;
  WorkTally& tally_;
  Workflow mixed_;
  Workflow commands_;
  std::string project_;
  std::int64_t items_;
  std::int64_t waves_ = 0;
  std::int64_t next_ = 0;
  std::deque<JobId> open_;
};

/// Answers open reviews, each in one of the four ways.
class Reviewer {
 public:
  Reviewer(Engine& engine, WorkTally& tally) : engine_(engine), tally_(tally) {}
  void turn();

 private:
  void answer(const Review& review);

  std::int64_t turns_ = 0;
  ReviewId seen_;
  std::unordered_set<std::int64_t> refused_;  ///< reviews of a cancelled job stay open
  Engine& engine_;
  WorkTally& tally_;
};

/// Sometimes cancels a job, retries or discards dead letters, and purges what is old.
class Operator {
 public:
  Operator(Engine& engine, WorkTally& tally) : engine_(engine), tally_(tally) {}
  void turn();

 private:
  void cancel_one();
  void tend_dead_letters();
  void purge_one();

  Engine& engine_;
  WorkTally& tally_;
  std::int64_t turns_ = 0;
  JobId purged_up_to_;
};

/// Reads lists, a job, and every event as it arrives.
class Onlooker {
 public:
  Onlooker(Store& store, WorkTally& tally) : store_(store), tally_(tally) {}
  void turn();

 private:
  Store& store_;
  WorkTally& tally_;
  EventSeq seen_ = 0;
};

}  // namespace pawl::soak
