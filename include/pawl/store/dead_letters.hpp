#pragma once

/// Dead letters: Failed tasks that nobody has retried or discarded. They never expire: a person
/// inspects them and then retries, discards or purges them.
///
/// Every function reads the store one page at a time, so a million letters need no more memory than
/// a hundred. Threads: same rules as the store.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/filter.hpp"
#include "pawl/store/records.hpp"

namespace pawl {

/// One attempt that failed, timed out or was rejected.
struct FailedAttempt {
  AttemptNumber number = 0;
  std::uint32_t epoch = 1;
  AttemptResult result = AttemptResult::failure;
  std::optional<ErrorClass> error_class;  ///< none if a gate rejected the output
  std::string message;
  Timestamp at;
  friend bool operator==(const FailedAttempt&, const FailedAttempt&) = default;
};

struct DeadLetter {
  TaskId task;
  JobId job;
  ItemId item;            ///< none for a job-wide task
  std::string item_key;   ///< empty for a job-wide task
  std::string child_key;  ///< for a fan-out child
  std::string category;
  std::string stage;
  FailCause cause = FailCause::final_error;
  bool discarded = false;
  std::optional<ErrorClass> error_class;  ///< of the newest failure
  std::optional<ErrorKind> error_kind;
  std::string code;
  std::string error;      ///< the newest failure; "rejected in review: …" if a reviewer rejected it
  std::string signature;  ///< see `error_signature`
  Timestamp failed_at;
  AttemptNumber attempts = 0;
  std::uint32_t failure_count = 0;  ///< over all epochs
  std::vector<FailedAttempt> failure_history;
};

/// The fields: error, error_class, error_kind, code, stage, item, category, job, cause,
/// failure_count, attempts, age, discarded, signature.
[[nodiscard]] const std::vector<FilterField>& dead_letter_fields();
[[nodiscard]] Result<Filter> parse_dead_letter_filter(std::string_view text);

/// What failures of one kind have in common: "final exit 65: encrypted pdf". Numbers, hexadecimal
/// digits, quoted texts, paths and addresses are removed from the message.
[[nodiscard]] std::string error_signature(std::optional<ErrorClass> error_class,
                                          std::optional<ErrorKind> kind, std::string_view code,
                                          std::string_view message);

/// Selects dead letters. All conditions must hold. Every function that changes letters refuses a
/// selection without tasks and filter unless `all` is set.
struct DeadLetterSelection {
  JobId job;                  ///< none: every job
  std::vector<TaskId> tasks;  ///< empty: no restriction by id
  std::optional<Filter> filter;
  bool all = false;
};

struct DeadLetterQuery {
  JobId job;
  std::optional<Filter> filter;
  bool include_discarded = false;  ///< a filter that uses `discarded` includes them too
  TaskId after;
  std::uint32_t limit = 100;
  /// The most letters to read, selected or not, so that a filter that selects few of many letters
  /// takes no longer than others. 0: no bound.
  std::uint32_t read_max = 0;
};
struct DeadLetterPage {
  std::vector<DeadLetter> letters;
  /// `after` of the next page; none: this is the last page. With `read_max`, a page that is not
  /// full, or even empty, may be followed by others.
  TaskId next;
};

[[nodiscard]] Result<DeadLetterPage> list_dead_letters(Store& store, const DeadLetterQuery& query);

/// Calls `see` for every selected letter, in order of their ids, until it returns false. Ignores
/// the query's cursor and limits.
[[nodiscard]] Status each_dead_letter(Store& store, const DeadLetterQuery& query,
                                      const std::function<bool(const DeadLetter&)>& see);

/// One letter, discarded or not. `not_found` if there is no such task, `refused` if it has not
/// failed.
[[nodiscard]] Result<DeadLetter> show_dead_letter(Store& store, TaskId task);

/// The result of an operation on one letter.
struct DeadLetterAnswer {
  TaskId task;
  ItemId item;
  JobId job;
  std::string item_key;
  std::string stage;
  std::string child_key = {};    ///< for a fan-out child
  std::optional<Error> refusal;  ///< none: done, or would be done without dry_run
};
using DeadLetterListener = std::function<void(const DeadLetterAnswer&)>;

/// How many letters were handled and how many were refused. If `dry_run` is set, nothing was
/// changed.
struct DeadLetterTally {
  std::int64_t done = 0;
  std::int64_t refused = 0;
  bool dry_run = false;
  friend bool operator==(const DeadLetterTally&, const DeadLetterTally&) = default;
};

struct DeadLetterOrder {
  std::string by;
  std::string note;  ///< the feedback for a retry, or the reason for a discard
  bool dry_run = false;
  Actor actor = {};  ///< who does it; without a name: the local user, under the name `by`
  /// Asked before each letter that is read, selected or not. If it returns false, the operation
  /// ends there, and its tally is that of the letters before. Empty: it goes on to the end.
  std::function<bool()> goes_on = {};
};

/// Makes each selected task Ready again, with a new epoch; its attempt numbers continue. `each` is
/// called for every letter as it is handled.
[[nodiscard]] Result<DeadLetterTally> retry_dead_letters(Store& store,
                                                         const DeadLetterSelection& selection,
                                                         const DeadLetterOrder& order,
                                                         const DeadLetterListener& each = {});
/// Marks each selected letter as handled. `invalid` without a reason in `order.note`.
[[nodiscard]] Result<DeadLetterTally> discard_dead_letters(Store& store,
                                                           const DeadLetterSelection& selection,
                                                           const DeadLetterOrder& order,
                                                           const DeadLetterListener& each = {});
/// Deletes the items of the selected letters that were discarded, with all their records. `each` is
/// called once per item, as far as the memory of ten thousand items goes.
[[nodiscard]] Result<DeadLetterTally> purge_dead_letters(Store& store,
                                                         const DeadLetterSelection& selection,
                                                         const DeadLetterOrder& order,
                                                         const DeadLetterListener& each = {});

/// Dead letters with the same signature at one stage of one workflow.
struct DeadLetterGroup {
  std::string signature;
  std::string workflow;
  std::string stage;
  std::int64_t count = 0;
  Timestamp first;
  Timestamp last;
  std::vector<TaskId> examples;  ///< the oldest few, by id
  std::string filter;            ///< selects the letters of this signature and stage
};
struct DeadLetterAnalysis {
  std::vector<DeadLetterGroup> groups;  ///< the largest first
  std::int64_t letters = 0;
  std::int64_t ungrouped = 0;  ///< letters of signatures beyond `dead_letter_groups_max`
  bool is_cut = false;         ///< `read_max` was reached: there may be more letters
};
inline constexpr std::size_t dead_letter_groups_max = 1'000;
inline constexpr std::size_t dead_letter_examples_max = 5;

/// Groups the letters by signature. Ignores the query's cursor and limit, not its `read_max`.
[[nodiscard]] Result<DeadLetterAnalysis> analyse_dead_letters(Store& store,
                                                              const DeadLetterQuery& query);

}  // namespace pawl
