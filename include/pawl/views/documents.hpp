#pragma once

/// The JSON documents that people and programs read: `--json`, the API, logs.
///
/// Field names are stable, in snake_case, and use the terms of the model. Times are RFC 3339 in
/// UTC. An absent value is null. Fields may be added, never renamed.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "pawl/core/attempt.hpp"
#include "pawl/core/event.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

class Store;
struct AuditCheck;
struct AuditEntry;
struct DeadLetter;
struct DeadLetterQuery;
struct Person;
struct Replay;
struct Tally;
struct TokenRecord;
struct Verification;

[[nodiscard]] Json job_document(const Job& job, const Workflow& workflow);

/// `tasks` are the stored tasks of the item, without children. A stage without a row shows the
/// state that follows from the others: waiting, skipped or cancelled. `job_cancelled` is the job's
/// cancel, if one is in force. `joins` says how often each fan-out has joined its children (see
/// `joins_of`): those attempts are not retries.
[[nodiscard]] Json item_document(const Item& item, const Workflow& workflow,
                                 const std::vector<Task>& tasks,
                                 std::optional<CancelCause> job_cancelled = std::nullopt,
                                 const std::map<TaskId, AttemptNumber>& joins = {});
/// How many attempts of a task began to join the children of an expansion. `closed` are its closed
/// attempts, oldest first. A join that is tried again counts once.
[[nodiscard]] AttemptNumber joins_of(const Task& task, const std::vector<Attempt>& closed);

[[nodiscard]] Json attempt_document(const Attempt& attempt, std::string_view stage);

/// The key is null for a review of a job-wide task. Only a review of a fan-out child has a child.
[[nodiscard]] Json review_document(const Review& review, std::string_view item_key,
                                   std::string_view stage, std::string_view child = {});

/// Empty names are shown as null: an event of a job has no item, an event of an item has no stage,
/// and only a task of a fan-out has a child.
/// `data` contains what `code`, `count`, `when` and `text` mean for this event type.
[[nodiscard]] Json event_document(const Event& event, std::string_view item_key,
                                  std::string_view stage, std::string_view child = {});

/// The letter with its `failure_history`.
[[nodiscard]] Json dead_letter_document(const DeadLetter& letter);
/// Writes every selected letter as a JSON document on one line, newline included, in order of their
/// ids. Returns how many. Ignores the query's cursor and limit.
[[nodiscard]] Result<std::int64_t> export_dead_letters(
    Store& store, const DeadLetterQuery& query,
    const std::function<Status(std::string_view line)>& write);

/// {"ok":…,"checked":{…},"violations":[{"invariant":…,"message":…}],"explained":{…}}; see
/// docs/reference/verify.md.
[[nodiscard]] Json verification_document(const Verification& verification);

/// {"same":…,"checked":{…},"differences":[{"item":…,"then":{…},"today":{…}}],…}
[[nodiscard]] Json replay_document(const Replay& replay);

[[nodiscard]] Json person_document(const Person& person);
/// Without the digest of the secret.
[[nodiscard]] Json token_document(const TokenRecord& token);
/// One entry of the audit trail, with everything that its digest covers.
[[nodiscard]] Json audit_document(const AuditEntry& entry);
/// {"ok":…,"entries":…,"head":…,"faults":[…]}
[[nodiscard]] Json audit_check_document(const AuditCheck& check);
/// {"count":1000,"is_more":true}
[[nodiscard]] Json tally_document(const Tally& tally);

[[nodiscard]] Json feedback_document(const Feedback& feedback);
[[nodiscard]] Json error_document(const StageError& error);
/// {"error":{"code","message","help"}}, for a request that failed. Without the passwords of
/// addresses.
[[nodiscard]] Json failure_document(const Error& error);

}  // namespace pawl
