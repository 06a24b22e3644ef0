#include <algorithm>

#include "pawl/compat/legacy_import.hpp"

namespace pawl {

AttemptNumber attempt_number_for(const std::string& item, const RetryCounts& counts) {
  const auto known = counts.find(item);
  return known == counts.end() ? 1 : known->second + 1;
}

RetryCounts with_incremented(const std::string& item, RetryCounts counts) {
  ++counts[item];
  return counts;
}

RetryCounts merge_retry_counts(const OldFailures& failed,
                               std::span<const OldDeadLetter> dead_letters) {
  RetryCounts counts;
  for (const auto& [item, failure] : failed) counts[item] = failure.attempts;
  for (const OldDeadLetter& letter : dead_letters) {
    std::uint32_t& count = counts[letter.item_id];
    count = std::max(count, letter.failure_count);
  }
  return counts;
}

}  // namespace pawl
