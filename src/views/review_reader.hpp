#pragma once

/// Reads many reviews, as lists do. Remembers their jobs, so that the next review of the same job
/// costs less.

#include "pawl/store/records.hpp"
#include "views/remembered.hpp"
#include "views/reviews.hpp"

namespace pawl::views {

class ReviewReader {
 public:
  /// `now` tells what is overdue.
  ReviewReader(Records& records, Timestamp now) : records_(records), now_(now) {}

  /// The job that asks a question, as it was when it was read first.
  struct Asker {
    Job job;
    Workflow workflow;

    /// Whether its reviews need answers. Those of a cancelled or untrusted job do not.
    [[nodiscard]] bool asks() const { return !job.cancelled && is_trusted(job.trust); }
    [[nodiscard]] const StageDefinition& stage(const Review& review) const {
      return workflow.stage(stage_of(review.task));
    }
  };
  /// Valid until the next call.
  [[nodiscard]] Result<const Asker*> asker_of(const Review& review);
  /// Whether the review needs an answer.
  [[nodiscard]] Result<bool> is_asked(const Review& review);

  /// Everything about the review but its input and its outputs.
  [[nodiscard]] Result<ShownReview> read(const Review& review);

 private:
  Records& records_;
  Timestamp now_;
  Remembered<JobId, Asker> askers_{50};
};

}  // namespace pawl::views
