#pragma once

/// What today's workflow would have decided about a job that ran under an older one.
///
///   const auto replayed = pawl::replay(records, job, today);
///   if (!replayed->same()) std::cerr << pawl::text_of(*replayed);
///
/// Passes every closed attempt of the record to today's `decide`, with today's policies, and
/// compares the answer with the recorded decision. So a policy change can be tested on a real job
/// before it is used. Nothing is run and nothing is written. Stages and gates have outside effects,
/// so their recorded results stand. Answers of reviewers, and the effects of budgets and tolerances
/// on the job as a whole, are not decided again either.
///
/// Stages are matched by name. A different decision can end a history earlier than recorded. The
/// attempts after it would not have been made; they are counted as not reached.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/records.hpp"
#include "pawl/store/verify.hpp"

namespace pawl {

struct ReplayOptions {
  /// Finds today's custom decider by name. If it returns an empty function, or is not set, the
  /// decider's decisions are counted as not checked.
  std::function<Decider(std::string_view name)> decider;
  std::uint32_t page = 500;
};

/// One attempt for which today's code decides differently.
struct ReplayDifference {
  std::string item;   ///< its key; empty for a job-wide stage
  std::string child;  ///< the key of a fan-out child; empty for other tasks
  std::string stage;
  AttemptNumber attempt = 0;
  Decision then;
  Decision today;
  std::string then_in_words;
  std::string today_in_words;
};

/// A stage of the record that does not exist in today's workflow.
struct StageGone {
  std::string stage;
  std::int64_t decisions = 0;  ///< of its attempts; they cannot be compared
};

inline constexpr std::size_t differences_max = 1'000;

struct Replay {
  JobId job;
  std::int64_t decisions = 0;    ///< decided again
  std::int64_t not_checked = 0;  ///< by custom deciders that were not supplied
  std::int64_t not_reached = 0;  ///< attempts that would not have been made with today's decisions
  std::vector<ReplayDifference> differences;  ///< the first `differences_max`, by task and attempt
  std::int64_t difference_count = 0;
  std::vector<StageGone> stages_gone;   ///< those with decisions in the record
  std::vector<std::string> stages_new;  ///< stages that are not in the record

  /// True if every recorded decision would be the same today. New stages do not matter.
  [[nodiscard]] bool same() const { return difference_count == 0 && stages_gone.empty(); }
};

/// `not_found` if there is no such job. Any other error means that the store cannot be read.
[[nodiscard]] Result<Replay> replay(Records& records, JobId job, const Workflow& today,
                                    const ReplayOptions& options = {});

/// For people: one line for each difference and each added or removed stage, and a summary of what
/// was checked.
[[nodiscard]] std::string text_of(const Replay& replay);

}  // namespace pawl
