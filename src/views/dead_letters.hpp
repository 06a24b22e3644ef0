#pragma once

/// Dead letters: those of an item or a stage, their ids and their documents.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/dead_letters.hpp"
#include "views/address.hpp"

namespace pawl::views {

/// The failed tasks at the address, including the failed children of the newest expansion, unless
/// the address names one child or leaves them out.
[[nodiscard]] Result<std::vector<TaskId>> dead_letters_at(Records& records, const Address& address);

/// Letters of this stage that match the filter; none if neither is given. An empty filter text is
/// an error, because it must not select everything.
[[nodiscard]] Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                                          const std::string& stage);

/// The id that names only this letter.
[[nodiscard]] std::string letter_id(Records& records, TaskId task, JobId job,
                                    const std::string& key, const std::string& stage,
                                    const std::string& child);
[[nodiscard]] std::string letter_id(Records& records, const DeadLetter& letter);
/// The same for what an operation on letters reports; "task 65537" if the letter was not found.
[[nodiscard]] std::string letter_id(Records& records, const DeadLetterAnswer& answer);

/// Finds later jobs in which the items of letters have succeeded. Keeps what it has read.
class Superseding {
 public:
  explicit Superseding(Records& records) : records_(records) {}
  /// The newest trusted job of the same workflow, submitted after that of the letter, in which the
  /// item with the same key has succeeded; none if there is none among the newest fifty.
  [[nodiscard]] JobId job_of(const DeadLetter& letter);

 private:
  [[nodiscard]] const std::vector<JobId>& newest_jobs(JobId like);

  Records& records_;
  std::map<JobId, std::string> workflows_;                 ///< the name of a job's workflow
  std::map<std::string, std::vector<JobId>> newest_jobs_;  ///< by the name of their workflow
};

/// The JSON document of a letter, with its "id" and "superseded_by".
[[nodiscard]] Json letter_document(Records& records, const DeadLetter& letter, JobId superseded_by);
[[nodiscard]] Json group_document(const DeadLetterGroup& group);

}  // namespace pawl::views
