#include "views/dead_letters.hpp"

#include <utility>

#include "pawl/codec/names.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/views/documents.hpp"
#include "views/document_writer.hpp"
#include "views/outputs.hpp"

namespace pawl::views {
namespace {

constexpr std::uint32_t page_size = 500;

/// The failed children of the newest expansion.
Status add_children(Records& records, const Task& parent, std::vector<TaskId>& letters) {
  const TaskFilter failed{.state = StateKind::failed, .parent = parent.id, .limit = page_size};
  return each_row(records, failed, [&](const Task& child) {
    const bool is_current = child.child && child.child->expansion == parent.expansion;
    if (child.kind() == StateKind::failed && is_current) letters.push_back(child.id);
  });
}

template <class E>
Json word_or_null(const std::optional<E>& value) {
  return value ? Json(name_of(*value)) : Json();
}

}  // namespace

Result<std::vector<TaskId>> dead_letters_at(Records& records, const Address& address) {
  std::vector<TaskId> letters;
  if (address.is_child()) {
    const Result<std::optional<Task>> child = current_child(records, address);
    if (!child) return std::unexpected(child.error());
    if (*child && (*child)->kind() == StateKind::failed) letters.push_back((*child)->id);
    return letters;
  }
  const Result<std::vector<Task>> tasks = tasks_at(records, address);
  if (!tasks) return std::unexpected(tasks.error());
  for (const Task& task : *tasks) {
    if (task.kind() == StateKind::failed) letters.push_back(task.id);
    if (task.expansion == 0 || address.child) continue;
    if (const Status added = add_children(records, task, letters); !added) {
      return std::unexpected(added.error());
    }
  }
  return letters;
}

Result<std::optional<Filter>> letter_filter(const std::optional<std::string>& filter,
                                            const std::string& stage) {
  if (!filter && stage.empty()) return std::optional<Filter>();
  // Parse the filter alone first, so that errors name the columns of the user's text.
  if (filter) {
    Result<Filter> alone = parse_dead_letter_filter(*filter);
    if (!alone) return std::unexpected(std::move(alone.error()));
    if (stage.empty()) return std::optional<Filter>(std::move(*alone));
  }
  std::string both = "stage = " + quoted_for_filter(stage);
  if (filter) both += " and (" + *filter + ")";
  Result<Filter> parsed = parse_dead_letter_filter(both);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  return std::optional<Filter>(std::move(*parsed));
}

std::string letter_id(Records& records, TaskId task, JobId job, const std::string& key,
                      const std::string& stage, const std::string& child) {
  std::string id = address_of(job, key, stage, child);
  if (!child.empty()) return id;
  const Result<Task> row = records.task(task);
  return row && row->expansion > 0 ? id + "[]" : id;
}

std::string letter_id(Records& records, const DeadLetter& letter) {
  return letter_id(records, letter.task, letter.job, letter.item_key, letter.stage,
                   letter.child_key);
}

std::string letter_id(Records& records, const DeadLetterAnswer& answer) {
  if (!answer.job) return "task " + std::to_string(answer.task.value());
  return letter_id(records, answer.task, answer.job, answer.item_key, answer.stage,
                   answer.child_key);
}

JobId Superseding::job_of(const DeadLetter& letter) {
  if (!letter.item) return {};
  for (const JobId later : newest_jobs(letter.job)) {
    if (later <= letter.job) break;
    const Result<Item> item = records_.item(later, letter.item_key);
    if (item && item->state == ItemState::succeeded) return later;
  }
  return {};
}

/// The newest first. Untrusted jobs are left out: nobody here has seen what they did.
const std::vector<JobId>& Superseding::newest_jobs(JobId like) {
  constexpr std::uint32_t jobs_max = 50;
  const auto [workflow, is_new] = workflows_.try_emplace(like);
  if (is_new) {
    const Result<Job> job = records_.job(like);
    if (job) workflow->second = job->workflow_name;
  }
  const auto [jobs, is_unread] = newest_jobs_.try_emplace(workflow->second);
  if (!is_unread || workflow->second.empty()) return jobs->second;
  const Result<std::vector<Job>> read = records_.jobs(
      {.ended = std::nullopt, .workflow_name = workflow->second, .before = {}, .limit = jobs_max});
  if (!read) return jobs->second;
  for (const Job& job : *read) {
    if (is_trusted(job.trust)) jobs->second.push_back(job.id);
  }
  return jobs->second;
}

Json letter_document(Records& records, const DeadLetter& letter, JobId superseded_by) {
  const Json document = with_member(dead_letter_document(letter), "id", letter_id(records, letter));
  return with_member(document, "superseded_by",
                     superseded_by ? Json(superseded_by.value()) : Json());
}

Json group_document(const DeadLetterGroup& group) {
  std::vector<Json> examples;
  for (const TaskId task : group.examples) examples.emplace_back(task.value());
  return Json::object({{"error", group.signature},
                       {"workflow", group.workflow},
                       {"stage", group.stage},
                       {"count", group.count},
                       {"first", rfc3339(group.first)},
                       {"last", rfc3339(group.last)},
                       {"examples", Json::array(examples)},
                       {"filter", group.filter}});
}

}  // namespace pawl::views

namespace pawl {

using namespace views;

Json dead_letter_document(const DeadLetter& letter) {
  std::vector<Json> history;
  for (const FailedAttempt& attempt : letter.failure_history) {
    history.push_back(Json::object({{"attempt_number", attempt.number},
                                    {"epoch", attempt.epoch},
                                    {"result", name_of(attempt.result)},
                                    {"error_class", word_or_null(attempt.error_class)},
                                    {"message", attempt.message},
                                    {"at", rfc3339(attempt.at)}}));
  }
  return Json::object(
      {{"task", letter.task.value()},
       {"item", name_or_null(letter.item_key)},
       {"child", name_or_null(letter.child_key)},
       {"category", name_or_null(letter.category)},
       {"stage", letter.stage},
       {"job", letter.job.value()},
       {"failure_count", letter.failure_count},
       {"attempts", letter.attempts},
       {"cause", name_of(letter.cause)},
       {"error_class", word_or_null(letter.error_class)},
       {"error_kind", word_or_null(letter.error_kind)},
       {"code", name_or_null(letter.code)},
       {"error", letter.error},
       {"signature", letter.signature},
       {"failed_at", letter.failed_at == no_time ? Json() : Json(rfc3339(letter.failed_at))},
       {"discarded", letter.discarded},
       {"failure_history", Json::array(history)}});
}

Result<std::int64_t> export_dead_letters(
    Store& store, const DeadLetterQuery& query,
    const std::function<Status(std::string_view line)>& write) {
  std::int64_t count = 0;
  Status written;
  const Status read = each_dead_letter(store, query, [&](const DeadLetter& letter) {
    written = write(dead_letter_document(letter).text() + "\n");
    count += written ? 1 : 0;
    return written.has_value();
  });
  if (!read) return std::unexpected(read.error());
  if (!written) return std::unexpected(written.error());
  return count;
}

}  // namespace pawl
