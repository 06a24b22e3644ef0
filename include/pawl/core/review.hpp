#pragma once

/// A question to a reviewer and its answer. A digest binds it to the attempts that were shown. A
/// closed review never changes; a new attempt closes an open one as superseded.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

enum class ReviewStatus : std::uint8_t { open = 1, answered = 2, closed = 3, superseded = 4 };
enum class ReviewOutcome : std::uint8_t {
  approve = 1,
  approve_with_edits = 2,
  request_changes = 3,
  reject = 4
};

/// A reviewer's answer.
struct Answer {
  ReviewOutcome outcome = ReviewOutcome::approve;
  std::string reviewer;
  std::string note;                      ///< the feedback of request_changes, the reason of reject
  std::optional<AttemptNumber> attempt;  ///< which attempt is approved; default: the newest shown
  std::optional<Json> edits;             ///< replaces the output downstream
  std::string digest;      ///< the digest of what the reviewer saw; empty: whatever is stored
  Timestamp effective_at;  ///< none: immediately; at most a minute away
  friend bool operator==(const Answer&, const Answer&) = default;
};

struct Review {
  ReviewId id;
  JobId job;
  ItemId item;
  TaskId task;
  std::uint32_t epoch = 1;
  ReviewReason reason = ReviewReason::policy;
  AttemptNumber attempt = 0;  ///< the newest attempt shown
  std::string digest;         ///< "sha256:…" over the attempts shown and the input
  Timestamp opened_at;
  std::vector<std::string> assigned;  ///< names and "group:NAME"; empty: everybody
  Timestamp due_at;                   ///< none: it is never due
  Timestamp notice_at;                ///< when the next notice is due; none: no more
  ReviewStatus status = ReviewStatus::open;
  std::string claimed_by;
  Timestamp claimed_until;
  std::optional<Answer> answer;
  Timestamp closed_at;
  friend bool operator==(const Review&, const Review&) = default;
};

}  // namespace pawl
