#include "store/pending_answers.hpp"

namespace pawl::store {

Result<bool> has_pending_answer(Records& records, JobId job) {
  const auto answered = records.reviews({.job = job, .status = ReviewStatus::answered, .limit = 1});
  if (!answered) return std::unexpected(answered.error());
  return !answered->empty();
}

}  // namespace pawl::store
