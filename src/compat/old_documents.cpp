#include "compat/old_documents.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/codec/rfc3339.hpp"

namespace pawl::compat {

namespace {

constexpr std::int64_t attempts_bound = 1'000'000;

std::string kind_of_value(const Json& value) {
  if (value.is_null()) return "null";
  if (is_object(value)) return "an object";
  if (is_array(value)) return "a list";
  if (is_string(value)) return "a text";
  if (is_number(value)) return "the number " + value.text();
  return value.text();
}

/// Reads the members of one object, each once; what nobody asked for is noted as ignored. A member
/// that is null counts as missing, as the old writer meant it.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string path, ReadingNotes& notes)
      : path_(std::move(path)), notes_(notes) {
    if (!is_object(object)) {
      fault("", "an object", object);
      return;
    }
    for (auto& [key, value] : members(object)) fields_.push_back({key, std::move(value)});
  }
  ObjectReader(const ObjectReader&) = delete;
  ObjectReader& operator=(const ObjectReader&) = delete;
  ~ObjectReader() {
    for (const Field& field : fields_) {
      if (!field.used) notes_.ignored.push_back(path_to(field.key));
    }
  }

  [[nodiscard]] std::string path_to(std::string_view key) const {
    if (path_.empty()) return std::string(key);
    return key.empty() ? path_ : path_ + "." + std::string(key);
  }

  /// Null when it is missing.
  Json any(std::string_view key) {
    const auto field = std::ranges::find(fields_, key, &Field::key);
    if (field == fields_.end()) return {};
    field->used = true;
    return field->value;
  }
  /// Known, and of no use here.
  void pass_over(std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) (void)any(key);
  }

  std::string text(std::string_view key) {
    const Json value = any(key);
    if (value.is_null()) return {};
    Result<std::string> read = JsonView(value).string();
    if (!read) fault(key, "a text", value);
    return read.value_or("");
  }
  std::uint32_t count(std::string_view key) { return count_from(any(key), key); }
  std::uint32_t count_from(const Json& value, std::string_view key) {
    if (value.is_null()) return 0;
    const Result<std::int64_t> read = JsonView(value).integer();
    if (!read || *read < 0 || *read > attempts_bound) {
      fault(key, "a count from 0 to " + std::to_string(attempts_bound), value);
      return 0;
    }
    return static_cast<std::uint32_t>(*read);
  }
  Timestamp time(std::string_view key) {
    const Json value = any(key);
    if (value.is_null()) return no_time;
    const Result<std::string> read = JsonView(value).string();
    const Result<Timestamp> at = read ? parse_rfc3339(*read) : fail(ErrorCode::invalid, "");
    if (!at) fault(key, "a time such as 2025-01-11T10:00:00Z", value);
    return at.value_or(no_time);
  }
  std::vector<Json> list(std::string_view key) {
    const Json value = any(key);
    if (!value.is_null() && !is_array(value)) fault(key, "a list", value);
    return elements(value);
  }
  std::vector<std::pair<std::string, Json>> object(std::string_view key) {
    const Json value = any(key);
    if (!value.is_null() && !is_object(value)) fault(key, "an object", value);
    return members(value);
  }
  std::vector<std::string> texts(std::string_view key) {
    std::vector<std::string> out;
    for (std::size_t i = 0; const Json& element : list(key)) {
      Result<std::string> read = JsonView(element).string();
      if (read) {
        out.push_back(std::move(*read));
      } else {
        fault(std::string(key) + "[" + std::to_string(i) + "]", "a text", element);
      }
      ++i;
    }
    return out;
  }

  void fault(std::string_view key, std::string_view expected, const Json& found) {
    const std::string path = path_to(key);
    notes_.faults.push_back((path.empty() ? "the document" : path) + ": expected " +
                            std::string(expected) + ", found " + kind_of_value(found));
  }

 private:
  struct Field {
    std::string key;
    Json value;
    bool used = false;
  };
  std::string path_;
  ReadingNotes& notes_;
  std::vector<Field> fields_;
};

/// A name alone, "Timeout", or with its facts, {"CommandFailed": {"exit_code": 1}}.
std::pair<std::string, Json> tagged(ObjectReader& reader, std::string_view key) {
  const Json value = reader.any(key);
  if (value.is_null()) return {};
  if (Result<std::string> name = JsonView(value).string()) return {std::move(*name), {}};
  const auto facts = members(value);
  if (facts.size() == 1) return facts.front();
  reader.fault(key, "a name, or an object with one name", value);
  return {};
}

OldResult result_from(const std::string& key, const Json& document, const std::string& path,
                      ReadingNotes& notes) {
  ObjectReader reader(document, path, notes);
  OldResult result{.item_id = reader.text("item_id")};
  if (result.item_id.empty()) result.item_id = key;
  const auto [status, facts] = tagged(reader, "status");
  // What has no status was only ever written for a success.
  result.succeeded = status.empty() || status == "Success" || status == "success" ||
                     status == "completed" || status == "Completed";
  result.error = reader.text("error");
  if (result.error.empty()) result.error = JsonView(facts).string().value_or("");
  if (result.error.empty() && !result.succeeded) result.error = status;
  result.output = reader.any("output");
  result.ended_at = reader.time("completed_at");
  reader.pass_over({"commits", "duration", "worktree_path", "branch_name", "worktree_session_id",
                    "files_modified", "json_log_location", "cleanup_status"});
  return result;
}

OldFailure failure_from(const Json& document, const std::string& path, ReadingNotes& notes) {
  ObjectReader reader(document, path, notes);
  OldFailure failure{.attempts = reader.count("attempts"),
                     .last_error = reader.text("last_error"),
                     .last_attempt = reader.time("last_attempt")};
  reader.pass_over({"item_id", "worktree_info"});
  return failure;
}

OldFailedAttempt attempt_from(const Json& document, const std::string& path, ReadingNotes& notes) {
  ObjectReader reader(document, path, notes);
  OldFailedAttempt attempt{.attempt_number = reader.count("attempt_number"),
                           .at = reader.time("timestamp")};
  const auto [type, facts] = tagged(reader, "error_type");
  attempt.error_type = type;
  attempt.error_message = reader.text("error_message");
  if (const auto code = field(facts, "exit_code").json()) attempt.exit_code = code->text();
  reader.pass_over({"stack_trace", "error_context", "agent_id", "step_failed", "duration_ms",
                    "json_log_location"});
  return attempt;
}

OldDeadLetter letter_from(const Json& document, const std::string& path, ReadingNotes& notes) {
  ObjectReader reader(document, path, notes);
  OldDeadLetter letter{.item_id = reader.text("item_id"),
                       .item_data = reader.any("item_data"),
                       .first_attempt = reader.time("first_attempt"),
                       .last_attempt = reader.time("last_attempt"),
                       .failure_count = reader.count("failure_count")};
  const std::string history = reader.path_to("failure_history");
  for (std::size_t i = 0; const Json& entry : reader.list("failure_history")) {
    letter.failure_history.push_back(
        attempt_from(entry, history + "[" + std::to_string(i++) + "]", notes));
  }
  if (is_object(document) && letter.item_id.empty()) {
    notes.faults.push_back(reader.path_to("item_id") + ": expected the item's id, found none");
  }
  reader.pass_over(
      {"error_signature", "reprocess_eligible", "manual_review_required", "worktree_artifacts"});
  return letter;
}

/// What has no name cannot be found again.
void refuse_empty_ids(const std::vector<std::string>& ids, std::string_view path,
                      ReadingNotes& notes) {
  if (std::ranges::find(ids, "") == ids.end()) return;
  notes.faults.push_back(std::string(path) + ": expected the items' ids, found an empty one");
}

}  // namespace

OldCheckpoint old_checkpoint_from(const Json& document, ReadingNotes& notes) {
  OldCheckpoint old;
  ObjectReader reader(document, "", notes);
  old.job_id = reader.text("job_id");
  old.work_items = reader.list("work_items");
  for (const auto& [id, value] : reader.object("agent_results")) {
    old.agent_results.push_back(result_from(id, value, "agent_results." + id, notes));
    refuse_empty_ids({old.agent_results.back().item_id}, "agent_results", notes);
  }
  old.completed_agents = reader.texts("completed_agents");
  for (const auto& [id, value] : reader.object("failed_agents")) {
    old.failed_order.push_back(id);
    old.failed_agents.emplace(id, failure_from(value, "failed_agents." + id, notes));
  }
  old.pending_items = reader.texts("pending_items");
  for (const auto& [id, value] : reader.object("item_retry_counts")) {
    old.counted_order.push_back(id);
    old.item_retry_counts.emplace(id, reader.count_from(value, "item_retry_counts." + id));
  }
  refuse_empty_ids(old.completed_agents, "completed_agents", notes);
  refuse_empty_ids(old.failed_order, "failed_agents", notes);
  refuse_empty_ids(old.pending_items, "pending_items", notes);
  refuse_empty_ids(old.counted_order, "item_retry_counts", notes);
  reader.pass_over({"config", "started_at", "updated_at", "checkpoint_version",
                    "checkpoint_format_version", "parent_worktree", "reduce_phase_state",
                    "total_items", "successful_count", "failed_count", "is_complete",
                    "agent_template", "reduce_commands", "variables", "setup_output",
                    "setup_completed", "workflow_hash"});
  return old;
}

std::vector<OldDeadLetter> old_dead_letters_from(const std::vector<Json>& documents,
                                                 ReadingNotes& notes) {
  std::vector<OldDeadLetter> letters;
  const auto add = [&](const Json& document, const std::string& path) {
    letters.push_back(letter_from(document, path, notes));
  };
  const auto add_all = [&](const Json& list, const std::string& path) {
    for (std::size_t i = 0; const Json& document : elements(list)) {
      add(document, path + "[" + std::to_string(i++) + "]");
    }
  };
  for (std::size_t line = 1; const Json& document : documents) {
    const std::string where =
        documents.size() == 1 ? "dead letters" : "dead letters, line " + std::to_string(line);
    ++line;
    const Json items = field(document, "items").json().value_or(Json());
    if (is_array(document)) {
      add_all(document, where);
    } else if (is_array(items)) {
      add_all(items, where + ".items");
    } else if (is_object(items)) {
      for (const auto& [id, letter] : members(items)) add(letter, where + ".items." + id);
    } else {
      add(document, where);
    }
  }
  return letters;
}

}  // namespace pawl::compat
