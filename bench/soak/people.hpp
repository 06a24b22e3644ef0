#pragma once

/// Everybody beside the engine: who submits, who answers, who operates, who only looks. Each does
/// one turn at a time, so that the caller says how often.

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_set>

#include "bench/soak/tally.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/records.hpp"

namespace pawl::soak {

/// Submits waves of items, some of them as commands, while not too much is under way.
class Submitter {
 public:
  Submitter(Engine& engine, Tally& tally, Workflow mixed, Workflow commands, std::string project,
            std::int64_t items);
  void turn();
  /// The jobs that have not ended yet, as far as they were looked at.
  [[nodiscard]] std::int64_t unfinished();

 private:
  Engine& engine_;
  Tally& tally_;
  Workflow mixed_;
  Workflow commands_;
  std::string project_;
  std::int64_t items_;
  std::int64_t waves_ = 0;
  std::int64_t next_ = 0;
  std::deque<JobId> open_;
};

/// Answers the questions that are open, each in one of the four ways.
class Reviewer {
 public:
  Reviewer(Engine& engine, Tally& tally) : engine_(engine), tally_(tally) {}
  void turn();

 private:
  void answer(const Review& review);

  std::int64_t turns_ = 0;
  ReviewId seen_;
  std::unordered_set<std::int64_t> refused_;  ///< those of a cancelled job stay open
  Engine& engine_;
  Tally& tally_;
};

/// Cancels a job now and then, retries dead letters or gives them up, purges what is old.
class Operator {
 public:
  Operator(Engine& engine, Tally& tally) : engine_(engine), tally_(tally) {}
  void turn();

 private:
  void cancel_one();
  void tend_dead_letters();
  void purge_one();

  Engine& engine_;
  Tally& tally_;
  std::int64_t turns_ = 0;
  JobId purged_up_to_;
};

/// Looks at lists, at a job, and at every event as it comes.
class Onlooker {
 public:
  Onlooker(Store& store, Tally& tally) : store_(store), tally_(tally) {}
  void turn();

 private:
  Store& store_;
  Tally& tally_;
  EventSeq seen_ = 0;
};

}  // namespace pawl::soak
