#include "pawl/compat/legacy_import.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>
#include <utility>

#include "compat/old_documents.hpp"
#include "pawl/codec/item_key.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/store/records.hpp"

namespace pawl {

namespace {

using compat::OldCheckpoint;
using compat::OldResult;
using compat::ReadingNotes;

constexpr JsonLimits document_limits{.depth = 64, .bytes = std::size_t{1} << 30U};
constexpr std::size_t items_per_chunk = 1'000;
/// Of all items together: each becomes a record, and a count is quickly written.
constexpr std::size_t attempts_max = 1'000'000;
constexpr std::string_view no_record = "imported without a record";

/// One document, or one on each line.
Result<std::vector<Json>> documents_in(std::string_view text) {
  Result<Json> whole = parse_json(text, document_limits);
  if (whole) return std::vector<Json>{std::move(*whole)};
  std::vector<Json> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<Json> document = parse_json(line, document_limits);
    // A document over several lines has its fault where the whole was read.
    if (!document) return std::unexpected(std::move(whole.error()));
    lines.push_back(std::move(*document));
  }
  return lines;
}

Attempt failed_attempt(AttemptNumber number, std::string message) {
  Attempt attempt;
  attempt.number = number;
  attempt.cause = number == 1 ? Cause::first : Cause::error_retry;
  attempt.result = AttemptResult::failure;
  attempt.error = StageError{.message = std::move(message)};
  attempt.decision = Decision{
      .kind = DecisionKind::retry, .rule = Rule::imported, .next_cause = Cause::error_retry};
  return attempt;
}

void set_time(Attempt& attempt, Timestamp at) {
  attempt.opened_at = attempt.started_at = attempt.ended_at = at;
  attempt.decision.next_run_at = attempt.decision.kind == DecisionKind::retry ? at : no_time;
}

void tell(Attempt& attempt, const OldFailedAttempt& old) {
  attempt.error->message =
      old.error_message.empty() ? "failed without a message" : old.error_message;
  attempt.error->code = old.exit_code.empty() ? old.error_type : old.exit_code;
  if (old.error_type == "Timeout") {
    attempt.result = AttemptResult::timed_out;
    attempt.error->kind = ErrorKind::timeout;
  } else if (!old.exit_code.empty()) {
    attempt.error->kind = ErrorKind::exit;
  }
  set_time(attempt, old.at);
}

/// Older versions numbered every entry 1. Numbers that are not a rising sequence mean nothing; the
/// order of the entries then does.
std::vector<OldFailedAttempt> numbered(std::vector<OldFailedAttempt> history) {
  const bool rising =
      std::ranges::adjacent_find(history, std::ranges::greater_equal{},
                                 &OldFailedAttempt::attempt_number) == history.end();
  if (rising && (history.empty() || history.front().attempt_number > 0)) return history;
  std::ranges::stable_sort(history, {}, &OldFailedAttempt::at);
  for (AttemptNumber next = 1; OldFailedAttempt & entry : history) entry.attempt_number = next++;
  return history;
}

/// Turns what the old documents say of each id into items.
class Planner {
 public:
  Planner(OldCheckpoint old, std::vector<OldDeadLetter> letters)
      : old_(std::move(old)),
        letters_(std::move(letters)),
        derived_(merge_retry_counts(old_.failed_agents, letters_)) {
    for (const std::string& id : old_.pending_items) add_id(id), pending_.insert(id);
    for (const std::string& id : old_.completed_agents) add_id(id), completed_.insert(id);
    for (std::size_t i = 0; i < old_.agent_results.size(); ++i) {
      const OldResult& result = old_.agent_results[i];
      add_id(result.item_id);
      results_[result.item_id] = i;
      if (result.succeeded) completed_.insert(result.item_id);
    }
    for (const std::string& id : old_.failed_order) add_id(id);
    for (const std::string& id : old_.counted_order) add_id(id);
    for (std::size_t i = 0; i < letters_.size(); ++i) {
      add_id(letters_[i].item_id);
      // Several entries of one item are one letter: the newest, with what all of them tell.
      const auto [known, is_new] = letter_of_.emplace(letters_[i].item_id, i);
      if (!is_new) merge(letters_[known->second], letters_[i]);
    }
  }

  Result<ImportPlan> plan() {
    std::size_t attempts = 0;
    for (const std::string& id : ids_) attempts += failed_before(id, history_of(id));
    if (attempts > attempts_max) {
      return fail(ErrorCode::invalid, "the items have more than " + std::to_string(attempts_max) +
                                          " attempts between them");
    }
    ImportPlan plan{.job_id = old_.job_id};
    for (std::size_t i = 0; i < old_.work_items.size(); ++i) {
      const Json& data = old_.work_items[i];
      plan.items.push_back(item(id_of(data, i), data));
    }
    for (const std::string& id : ids_) {
      if (taken_.contains(id)) continue;
      const auto letter = letter_of_.find(id);
      plan.items.push_back(
          item(id, letter == letter_of_.end() ? Json() : letters_[letter->second].item_data));
    }
    return plan;
  }

 private:
  void add_id(const std::string& id) {
    if (known_.insert(id).second) ids_.push_back(id);
  }

  static void merge(OldDeadLetter& into, const OldDeadLetter& other) {
    into.failure_history.insert(into.failure_history.end(), other.failure_history.begin(),
                                other.failure_history.end());
    into.failure_count = std::max(into.failure_count, other.failure_count);
    into.last_attempt = std::max(into.last_attempt, other.last_attempt);
  }

  /// The id under which the rest of the checkpoint knows this work item: its own, or its place.
  std::string id_of(const Json& data, std::size_t place) {
    std::string own = item_key(data);
    for (const std::string& id :
         {own, "item_" + std::to_string(place), "item-" + std::to_string(place)}) {
      if (known_.contains(id) && !taken_.contains(id)) return id;
    }
    return own;
  }

  ImportedItem item(const std::string& id, const Json& data) {
    ImportedItem made{.key = id, .data = data};
    if (!taken_.insert(id).second) return made;  // an equal item: nothing is known of this one
    const bool is_completed = completed_.contains(id);
    const bool is_dead = letter_of_.contains(id) && !pending_.contains(id);
    fail_before(made);
    if (is_completed) {
      made.state = ImportState::completed;
      succeed(made);
    } else if (is_dead) {
      made.state = ImportState::dead;
      if (made.attempts.empty()) made.attempts.push_back(failed_attempt(1, std::string(no_record)));
      Decision& last = made.attempts.back().decision;
      last = Decision{
          .kind = DecisionKind::fail, .rule = Rule::imported, .fail_cause = FailCause::exhausted};
    } else if (!made.attempts.empty()) {
      made.state = ImportState::due;
    }
    return made;
  }

  [[nodiscard]] std::vector<OldFailedAttempt> history_of(const std::string& id) const {
    const auto letter = letter_of_.find(id);
    if (letter == letter_of_.end()) return {};
    return numbered(letters_[letter->second].failure_history);
  }
  /// What the newest result says, where it is a failure.
  [[nodiscard]] const OldResult* failed_result_of(const std::string& id) const {
    const auto result = results_.find(id);
    if (result == results_.end()) return nullptr;
    const OldResult& found = old_.agent_results[result->second];
    return found.succeeded ? nullptr : &found;
  }
  /// How many attempts failed: the most that any source knows of.
  [[nodiscard]] AttemptNumber failed_before(const std::string& id,
                                            const std::vector<OldFailedAttempt>& history) const {
    const auto count_in = [&](const RetryCounts& counts) {
      return attempt_number_for(id, counts) - 1;
    };
    AttemptNumber total = std::max(count_in(old_.item_retry_counts), count_in(derived_));
    if (!history.empty()) total = std::max(total, history.back().attempt_number);
    if (failed_result_of(id) != nullptr) total = std::max<AttemptNumber>(total, 1);
    return total;
  }

  /// Attempts 1 … n that failed.
  void fail_before(ImportedItem& made) {
    const std::vector<OldFailedAttempt> history = history_of(made.key);
    const AttemptNumber total = failed_before(made.key, history);
    const OldResult* const failed_result = failed_result_of(made.key);

    for (AttemptNumber number = 1; number <= total; ++number) {
      made.attempts.push_back(failed_attempt(number, std::string(no_record)));
    }
    for (const OldFailedAttempt& entry : history)
      tell(made.attempts[entry.attempt_number - 1], entry);
    const auto unknown = [&](AttemptNumber number) {
      return made.attempts[number - 1].error->message == no_record;
    };
    const auto failure = old_.failed_agents.find(made.key);
    if (failure != old_.failed_agents.end() && failure->second.attempts > 0 &&
        unknown(failure->second.attempts) && !failure->second.last_error.empty()) {
      Attempt& told = made.attempts[failure->second.attempts - 1];
      told.error->message = failure->second.last_error;
      set_time(told, failure->second.last_attempt);
    }
    if (failed_result != nullptr && unknown(total)) {
      if (!failed_result->error.empty()) made.attempts.back().error->message = failed_result->error;
      set_time(made.attempts.back(), failed_result->ended_at);
    }
    const auto letter = letter_of_.find(made.key);
    if (letter != letter_of_.end() && total > 0) {
      const OldDeadLetter& old = letters_[letter->second];
      if (made.attempts.front().ended_at == no_time)
        set_time(made.attempts.front(), old.first_attempt);
      if (made.attempts.back().ended_at == no_time)
        set_time(made.attempts.back(), old.last_attempt);
    }
  }

  void succeed(ImportedItem& made) {
    Attempt attempt;
    attempt.number = static_cast<AttemptNumber>(made.attempts.size() + 1);
    attempt.cause = attempt.number == 1 ? Cause::first : Cause::error_retry;
    attempt.decision = Decision{.kind = DecisionKind::complete, .rule = Rule::imported};
    attempt.summary = no_record;
    if (const auto result = results_.find(made.key); result != results_.end()) {
      const OldResult& old = old_.agent_results[result->second];
      attempt.summary = "imported";
      attempt.output = old.output;
      set_time(attempt, old.ended_at);
    }
    made.attempts.push_back(std::move(attempt));
  }

  OldCheckpoint old_;
  std::vector<OldDeadLetter> letters_;
  RetryCounts derived_;
  std::vector<std::string> ids_;  ///< every id once, in the order of first mention
  std::unordered_set<std::string> known_;
  std::unordered_set<std::string> pending_;
  std::unordered_set<std::string> completed_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::size_t> results_;
  std::unordered_map<std::string, std::size_t> letter_of_;
};

/// Attempts without a time of their own get that of their neighbour before, or of the import: times
/// never run backwards.
void fill_times(std::vector<Attempt>& attempts, Timestamp now) {
  Timestamp latest = no_time;
  for (Attempt& attempt : attempts) {
    if (attempt.ended_at == no_time && latest != no_time) set_time(attempt, latest);
    latest = std::max(latest, attempt.ended_at);
  }
  Timestamp earliest = now;
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
    if (attempt->ended_at == no_time || attempt->ended_at > earliest) set_time(*attempt, earliest);
    earliest = attempt->ended_at;
  }
}

NewItem new_item(const ImportedItem& item, Timestamp now) {
  NewItem fresh{.key = item.key, .data = item.data};
  if (item.attempts.empty()) return fresh;
  fresh.history = ItemHistory{.attempts = item.attempts,
                              .succeeded = item.state == ImportState::completed,
                              .dead = item.state == ImportState::dead};
  fill_times(fresh.history->attempts, now);
  return fresh;
}

/// The job for this import; one that an earlier import left unfinished is read from the start
/// again.
Result<Job> job_for(Store& store, const Workflow& workflow, const ImportPlan& plan,
                    const CheckpointJob& options) {
  std::vector<std::pair<std::string, Json>> labels = members(options.labels);
  labels.emplace_back("imported_from", plan.job_id);
  NewJob fresh{.workflow = workflow,
               .params = options.params,
               .labels = Json::object(labels),
               .budget = options.budget,
               .tolerate_failures = options.tolerate_failures,
               .by = options.by};
  if (!plan.job_id.empty()) fresh.key = "import/" + plan.job_id;
  Result<Job> job = store.create_job(fresh);
  if (!job || !job->submission_open || job->items.total == 0) return job;
  return store.act(ReopenSubmission{.job = job->id}, options.by);
}

}  // namespace

Result<ImportPlan> read_checkpoint(std::string_view checkpoint,
                                   std::optional<std::string_view> dead_letters) {
  const Result<Json> document = parse_json(checkpoint, document_limits);
  if (!document) {
    return fail(ErrorCode::invalid, "checkpoint: " + document.error().message,
                document.error().help);
  }
  ReadingNotes notes;
  OldCheckpoint old = old_checkpoint_from(*document, notes);
  std::vector<OldDeadLetter> letters;
  if (dead_letters) {
    const Result<std::vector<Json>> documents = documents_in(*dead_letters);
    if (!documents) {
      return fail(ErrorCode::invalid, "dead letters: " + documents.error().message,
                  documents.error().help);
    }
    letters = old_dead_letters_from(*documents, notes);
  }
  if (!notes.faults.empty()) {
    std::string all;
    for (const std::string& fault : notes.faults) all += (all.empty() ? "" : "\n") + fault;
    return fail(ErrorCode::invalid, std::move(all));
  }
  Result<ImportPlan> plan = Planner(std::move(old), std::move(letters)).plan();
  if (plan) plan->ignored = std::move(notes.ignored);
  return plan;
}

bool looks_like_checkpoint(std::string_view text) {
  const Result<std::vector<Json>> documents = documents_in(text);
  if (!documents || documents->empty()) return false;
  const auto has_any = [](const Json& document, std::span<const std::string_view> names) {
    return std::ranges::any_of(
        names, [&](std::string_view name) { return field(document, name).json().has_value(); });
  };
  constexpr std::array<std::string_view, 4> of_checkpoint = {"work_items", "completed_agents",
                                                             "failed_agents", "agent_results"};
  constexpr std::array<std::string_view, 1> of_letter = {"failure_history"};
  const Json& first = documents->front();
  if (has_any(first, of_checkpoint) || has_any(first, of_letter)) return true;
  const std::vector<Json> letters =
      elements(is_object(first) ? field(first, "items").json().value_or(Json()) : first);
  return !letters.empty() && has_any(letters.front(), of_letter);
}

Result<Job> import_checkpoint(Store& store, const Workflow& workflow, const ImportPlan& plan,
                              const CheckpointJob& options) {
  if (workflow.first_stages().size() != 1) {
    std::string names;
    for (const StageIndex stage : workflow.first_stages()) {
      names += (names.empty() ? "" : ", ") + workflow.stage(stage).name;
    }
    return fail(ErrorCode::invalid,
                "workflow '" + workflow.name() + "' has " +
                    std::to_string(workflow.first_stages().size()) + " first stages (" + names +
                    ")",
                "import into a workflow with one, to which the old attempts belong");
  }
  const Result<Job> job = job_for(store, workflow, plan, options);
  if (!job || !job->submission_open) return job;

  const Timestamp now = store.now();
  std::size_t done = 0;
  do {
    std::vector<NewItem> chunk;
    for (; done < plan.items.size() && chunk.size() < items_per_chunk; ++done) {
      chunk.push_back(new_item(plan.items[done], now));
    }
    const Result<Added> added =
        store.add_items({.job = job->id, .items = chunk, .close = done == plan.items.size()});
    if (!added) return std::unexpected(added.error());
  } while (done < plan.items.size());
  return store.records().job(job->id);
}

}  // namespace pawl
