#pragma once

/// What today's workflow would have decided about a job that ran under an older one.
///
///   const auto replayed = pawl::replay(records, job, today);
///   if (!replayed->same()) std::cerr << pawl::text_of(*replayed);
///
/// Every closed attempt of the record is put to today's `decide`, with today's policies, and the
/// answer is compared with the decision that was recorded. So a change of a policy can be judged by
/// a real job before anybody runs it. Nothing is run and nothing is written: stages and gates have
/// effects outside, so what they said then stands. What people answered, and what budgets and
/// tolerances did to the job as a whole, is not decided again either.
///
/// Stages are matched by name. A changed decision can end a history earlier than it went: the
/// attempts after it would not have been made, and are counted as not reached.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/store/records.hpp"
#include "pawl/store/verify.hpp"

namespace pawl {

struct ReplayOptions {
  /// Finds today's custom decider by its name; an empty answer, or no lookup: its decisions are
  /// counted as not checked.
  std::function<Decider(std::string_view name)> decider;
  std::uint32_t page = 500;
};

/// One attempt about which today's code decides otherwise.
struct ReplayDifference {
  std::string item;   ///< its key; empty for a stage of the whole job
  std::string child;  ///< the key of a fan-out child; empty elsewhere
  std::string stage;
  AttemptNumber attempt = 0;
  Decision then;
  Decision today;
  std::string then_in_words;
  std::string today_in_words;
};

/// A stage of the record that today's workflow does not have.
struct StageGone {
  std::string stage;
  std::int64_t decisions = 0;  ///< of its attempts: there is nothing to compare them with
};

inline constexpr std::size_t differences_max = 1'000;

struct Replay {
  JobId job;
  std::int64_t decisions = 0;    ///< made again
  std::int64_t not_checked = 0;  ///< of deciders that nobody gave
  std::int64_t not_reached = 0;  ///< attempts that today's decisions would not have led to
  std::vector<ReplayDifference> differences;  ///< the first `differences_max`, by task and attempt
  std::int64_t difference_count = 0;
  std::vector<StageGone> stages_gone;   ///< with decisions in the record
  std::vector<std::string> stages_new;  ///< the record knows nothing of them

  /// Every decision of the record would be the same today. New stages do not change that.
  [[nodiscard]] bool same() const { return difference_count == 0 && stages_gone.empty(); }
};

/// `not_found` where there is no such job; else an error only where the store cannot be read.
[[nodiscard]] Result<Replay> replay(Records& records, JobId job, const Workflow& today,
                                    const ReplayOptions& options = {});

/// For people: a line for each difference and each stage that came or went, and what was checked.
[[nodiscard]] std::string text_of(const Replay& replay);
/// {"same":…,"checked":{…},"differences":[{"item":…,"then":{…},"today":{…}}],…}
[[nodiscard]] Json replay_document(const Replay& replay);

}  // namespace pawl
