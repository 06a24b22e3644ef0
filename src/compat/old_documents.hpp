#pragma once

/// The old runner's documents as values, before anything is concluded from them.

#include <string>
#include <string_view>
#include <vector>

#include "pawl/compat/legacy_import.hpp"
#include "pawl/core/json.hpp"

namespace pawl::compat {

/// One entry of `agent_results`.
struct OldResult {
  std::string item_id;
  bool succeeded = false;
  std::string error;
  Json output;
  Timestamp ended_at;
};

struct OldCheckpoint {
  std::string job_id;
  std::vector<Json> work_items;
  std::vector<OldResult> agent_results;
  std::vector<std::string> completed_agents;
  std::vector<std::string> failed_order;  ///< ids of failed_agents as the text has them
  OldFailures failed_agents;
  std::vector<std::string> pending_items;
  std::vector<std::string> counted_order;
  RetryCounts item_retry_counts;
};

/// What reading found that is not in the values.
struct ReadingNotes {
  std::vector<std::string> faults;   ///< "failed_agents.a.attempts: expected a count, found a text"
  std::vector<std::string> ignored;  ///< paths of unknown fields
};

[[nodiscard]] OldCheckpoint old_checkpoint_from(const Json& document, ReadingNotes& notes);
[[nodiscard]] std::vector<OldDeadLetter> old_dead_letters_from(const std::vector<Json>& documents,
                                                               ReadingNotes& notes);

}  // namespace pawl::compat
