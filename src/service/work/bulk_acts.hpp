#pragma once

/// The work of operations: one act after the other on many records. Every act goes through the
/// engine in the name of whoever asked, and the store checks it when it is done, as it does any
/// other. Records are read page by page, so that a million need no more memory than a thousand.

#include <cstdint>
#include <string>
#include <vector>

#include "pawl/runtime/engine.hpp"
#include "pawl/store/dead_letters.hpp"
#include "service/work/operations.hpp"

namespace pawl::service {

/// retry_dead_letters, discard_dead_letters or purge_dead_letters.
using LetterVerb = Result<DeadLetterTally> (*)(Store&, const DeadLetterSelection&,
                                               const DeadLetterOrder&, const DeadLetterListener&);
/// `note` is the feedback of a retry, or the reason of a discard. The engine must outlive the work.
[[nodiscard]] OperationWork work_on_letters(Engine& engine, LetterVerb verb,
                                            DeadLetterSelection selection, std::string note,
                                            Actor by);

/// Which items of a job.
struct ItemSelection {
  ItemFilter filter;                ///< with the job
  std::optional<StageIndex> stage;  ///< only items that are at this stage
};
/// Reruns each item from this stage; empty: from every stage of it that has failed.
[[nodiscard]] OperationWork work_on_items_to_retry(Engine& engine, ItemSelection selection,
                                                   std::string from, std::string note, Actor by);
[[nodiscard]] OperationWork work_on_items_to_cancel(Engine& engine, ItemSelection selection,
                                                    Actor by);

/// A review, with what its reader saw of it.
struct ListedReview {
  ReviewId review;
  std::string digest;  ///< empty unless it is to be approved
};
/// Approves each review as it was seen. Refuses one whose gates have not all accepted its output,
/// and, if there are several, one of a stage with `bulk: false`.
[[nodiscard]] OperationWork work_on_reviews_to_approve(Engine& engine,
                                                       std::vector<ListedReview> reviews,
                                                       std::string note, Actor by);
[[nodiscard]] OperationWork work_on_reviews_to_claim(Engine& engine,
                                                     std::vector<ListedReview> reviews,
                                                     Duration lasting, bool steal, Actor by);
[[nodiscard]] OperationWork work_on_reviews_to_assign(Engine& engine,
                                                      std::vector<ListedReview> reviews,
                                                      std::vector<std::string> to, std::string note,
                                                      Actor by);

}  // namespace pawl::service
