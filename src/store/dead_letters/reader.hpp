#pragma once

/// Reads dead letters out of a store, no more of each than is asked for.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "pawl/store/dead_letters.hpp"

namespace pawl::store {

class DeadLetterReader {
 public:
  explicit DeadLetterReader(Store& store) : records_(store.records()), now_(store.now()) {}

  /// How much of a letter its reader wants.
  enum class Want : std::uint8_t {
    row,    ///< what the task says: stage, cause, attempts
    named,  ///< with the item's key and category
    whole,  ///< with the error and the failure history
  };

  /// Shows every letter the query selects, by id, after its cursor, until `see` answers false. One
  /// that is purged meanwhile is passed over.
  Status each(const DeadLetterQuery& query, Want want, const std::function<bool(DeadLetter&)>& see);
  /// Asked before each letter that `each` reads, selected or not: whether it should go on.
  void ask(std::function<bool()> goes_on) { goes_on_ = std::move(goes_on); }
  /// After `each`: the last letter that was read if the query's `read_max` ended it; else none.
  [[nodiscard]] TaskId cut_at() const { return cut_at_; }

  /// The letter of a task. `refused` when the task has not failed, `not_found` when the filter
  /// does not select it or its item is gone.
  Result<DeadLetter> select(const Task& task, const std::optional<Filter>& filter, Want want);

  /// Adds the error, the failure history and the signature, unless the letter has them.
  Status complete(DeadLetter& letter);

  Result<Workflow> workflow_of(JobId job);

 private:
  /// A letter in the making.
  struct Draft {
    DeadLetter letter;
    Want has = Want::row;
  };
  Result<Draft> draft(const Task& task);
  Status fill(Draft& draft, Want want);
  Status name_item(DeadLetter& letter);
  Status tell_failures(DeadLetter& letter);
  Status tell_rejection(DeadLetter& letter);
  Result<bool> matches(Draft& draft, const Filter& filter);

  Records& records_;
  Timestamp now_;
  std::map<JobId, Workflow> workflows_;  ///< few: emptied when it grows
  std::function<bool()> goes_on_;
  TaskId cut_at_;
};

}  // namespace pawl::store
