// Lines to values, strictly: what `line_of` does not write is refused.

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "codec/base64.hpp"
#include "codec/journal.hpp"
#include "codec/object_reader.hpp"
#include "codec/values.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/workflow.hpp"
#include "pawl/store/acts.hpp"
#include "transfer/lines.hpp"

namespace pawl::transfer {

using codec::decode;
using codec::events_per_row;
using codec::Fit;
using codec::ObjectReader;

namespace {

constexpr ErrorCode bad = ErrorCode::invalid;
constexpr JsonLimits line_limits{.depth = 1'000, .bytes = export_line_max, .members = 1'000'000};
/// A job is not moved more often, and a workflow has fewer stages.
constexpr std::size_t shifts_max = 10'000;
constexpr std::size_t stages_max = 100'000;
/// Assignees are looked up one by one; answers are given by people.
constexpr std::size_t assigned_max = 1'000;
constexpr std::size_t answers_max = 1'000;
/// Older exports say with their format whether they are signed.
constexpr std::int64_t old_signed_format = 2;

/// Reads a member that `append_json` wrote.
template <class T>
auto stored_as(T& out) {
  return [&out](const Json& json) -> Status {
    Result<T> value = codec::from_json_text<T>(json.text());
    if (!value) return fail(bad, value.error().message);
    out = std::move(*value);
    return {};
  };
}
template <class T>
auto stored_as(std::optional<T>& out) {
  return [&out](const Json& json) -> Status { return stored_as(out.emplace())(json); };
}

Status read_numbers(const Json& json, std::span<std::int64_t> places) {
  if (codec::has_more_elements(json, places.size())) {
    return fail(bad, "a list must have " + std::to_string(places.size()) + " numbers");
  }
  const std::vector<Json> numbers = elements(json);
  if (numbers.size() != places.size()) {
    return fail(bad, "a list must have " + std::to_string(places.size()) + " numbers");
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (const Fit fit = decode(numbers[i], places[i])) return fail(bad, "a count " + fit->wanted);
  }
  return {};
}

auto stages_into(std::vector<StateCounts>& out) {
  return [&out](const Json& json) -> Status {
    if (codec::has_more_elements(json, stages_max)) {
      return fail(bad, "the job has more than " + std::to_string(stages_max) + " stages");
    }
    for (const Json& row : elements(json)) {
      if (Status read = read_numbers(row, out.emplace_back().by_kind); !read) return read;
    }
    return {};
  };
}

Result<Line> read_header(const Json& json) {
  // A newer one may say more than we know.
  const std::int64_t format = field(json, "format").integer().value_or(0);
  if (format > export_format) {
    return fail(ErrorCode::refused,
                "the export has format " + std::to_string(format) + ", and this pawl reads up to " +
                    std::to_string(export_format),
                "import it with a newer pawl");
  }
  Header value;
  value.is_signed = format == old_signed_format;
  ObjectReader reader(json, "the header", bad);
  reader.need("format", value.format)
      .need("pawl", value.pawl)
      .need("at", value.at)
      .need("export", value.export_id);
  if (format > old_signed_format) reader.read("signed", value.is_signed);
  if (Status read = reader.finish(); !read) return std::unexpected(read.error());
  if (value.export_id.empty()) return fail(bad, "the header names no export");
  return value;
}

Result<Line> read_workflow(const Json& json) {
  std::string hash;
  Json definition;
  const Status read = ObjectReader(json, "the workflow", bad)
                          .need("hash", hash)
                          .need("definition", definition)
                          .finish();
  if (!read) return std::unexpected(read.error());
  Result<Workflow> workflow = workflow_from(definition);
  if (!workflow) return fail(bad, workflow.error().message, workflow.error().help);
  if (workflow->hash() != hash) {
    return fail(bad, "the workflow '" + workflow->name() + "' has the hash " + workflow->hash() +
                         " here, and had " + hash);
  }
  return *std::move(workflow);
}

Status read_stage(const Json& json, StageIndex& out) {
  std::int64_t number = 0;
  if (const Fit fit = decode(json, number)) return fail(bad, "a paused stage " + fit->wanted);
  if (!std::in_range<std::uint16_t>(number)) return fail(bad, "a paused stage is out of range");
  out = static_cast<StageIndex>(number);
  return {};
}

Result<Line> read_job(const Json& json) {
  Job job;
  std::int64_t priority = 0;
  std::array<std::int64_t, 5> items{};
  std::int64_t rejected = 0;
  std::int64_t adopted_rejected = 0;
  const Status read =
      ObjectReader(json, "the job", bad)
          .need("id", job.id)
          .read("key", job.key)
          .need("params", job.params)
          .need("labels", job.labels)
          .read_with("budget", stored_as(job.budget))
          .read_with("tolerate_failures", stored_as(job.tolerate_failures))
          .need("parallel", job.parallel)
          .need("priority", priority)
          .need("submitted_at", job.submitted_at)
          .read("deadline_at", job.deadline_at)
          .read("ended_at", job.ended_at)
          .need("submission_open", job.submission_open)
          .need("generation", job.generation)
          .read("paused", job.paused)
          .read("cancelled", job.cancelled)
          .read("submitted_by", job.submitted_by)
          .read_list("paused_stages", job.paused_stages, read_stage, stages_max)
          .read("near_budgets", job.near_budgets)
          .read("reduce_ordinal", job.reduce_ordinal)
          .read_with("items", [&](const Json& list) { return read_numbers(list, items); })
          .read("rejected_items", rejected)
          .read("adopted_rejected_items", adopted_rejected)
          .need("attempts_opened", job.attempts_opened)
          .need("dead_letters", job.dead_letters)
          .need("failed_tasks", job.failed_tasks)
          .need("decisions_since_progress", job.decisions_since_progress)
          .need("last_progress_at", job.last_progress_at)
          .read_with("used", stored_as(job.used))
          .read_with("stages", stages_into(job.stages))
          .read_with("children", stages_into(job.children))
          .finish();
  if (!read) return std::unexpected(read.error());
  if (!std::in_range<std::int32_t>(priority)) return fail(bad, "the job's priority is too large");
  job.priority = static_cast<std::int32_t>(priority);
  job.items = {.total = items[0],
               .succeeded = items[1],
               .failed = items[2],
               .cancelled = items[3],
               .rejected = rejected,
               .adopted = items[4],
               .adopted_rejected = adopted_rejected};
  if (std::ranges::adjacent_find(job.paused_stages, std::ranges::greater_equal()) !=
      job.paused_stages.end()) {
    return fail(bad, "the job's paused stages must be in order");
  }
  if (job.generation < 1) return fail(bad, "the job's generation must be positive");
  if (!job.has_ended() && job.paused == PauseCause::none) {
    return fail(bad, "the job has neither ended nor is it paused");
  }
  if (!job.labels.is_null() && !is_object(job.labels)) {
    return fail(bad, "the job's labels must be an object");
  }
  return job;
}

Result<Line> read_original_job(const Json& json) {
  OriginalJob value;
  const auto shift = [](const Json& one, std::int64_t& out) -> Status {
    if (const Fit fit = decode(one, out)) return fail(bad, "a shift " + fit->wanted);
    return {};
  };
  const Status read = ObjectReader(json, "the job of adopted items", bad)
                          .read_list("shifts", value.shifts, shift, shifts_max)
                          .finish();
  if (!read) return std::unexpected(read.error());
  return value;
}

Result<Line> read_payload(const Json& json) {
  PayloadPiece value;
  std::string bytes;
  const Status read = ObjectReader(json, "the payload", bad)
                          .need("sha256", value.sha256)
                          .need("size", value.size)
                          .need("offset", value.offset)
                          .need("bytes", bytes)
                          .finish();
  if (!read) return std::unexpected(read.error());
  std::optional<std::string> decoded = codec::from_base64(bytes);
  if (!decoded) return fail(bad, "the payload's bytes are not base64");
  value.bytes = *std::move(decoded);
  const auto length = static_cast<std::int64_t>(value.bytes.size());
  if (value.size < 0 || value.offset < 0 || value.offset > value.size ||
      length > value.size - value.offset) {
    return fail(bad, "the payload's pieces do not add up");
  }
  return value;
}

Status read_any(const Json& json, Json& value) {
  value = json;
  return {};
}

Result<Line> read_attempt(const Json& json) {
  MovedAttempt value;
  Attempt& attempt = value.attempt;
  const Status read = ObjectReader(json, "the attempt", bad)
                          .need("task", attempt.task)
                          .need("number", attempt.number)
                          .need("epoch", attempt.epoch)
                          .need("round", attempt.round)
                          .need("cause", attempt.cause)
                          .read("worker", attempt.worker)
                          .read("ran", attempt.ran)
                          .need("opened_at", attempt.opened_at)
                          .need("started_at", attempt.started_at)
                          .need("ended_at", attempt.ended_at)
                          .need("result", attempt.result)
                          .read_with("error", stored_as(attempt.error))
                          .read("verdict", attempt.verdict)
                          .read("verdict_reason", attempt.verdict_reason)
                          .read_with("feedback", stored_as(attempt.feedback))
                          .read_with("gates", stored_as(attempt.assessments))
                          .read("summary", attempt.summary)
                          .read("output", attempt.output)
                          .read_with("artifacts", stored_as(attempt.artifacts))
                          .read_list("alternatives", attempt.alternatives, read_any)
                          .read("action", attempt.action)
                          .read_with("usage", stored_as(attempt.usage))
                          .read("decider", attempt.decider)
                          .read_with("counts_before", stored_as(attempt.counts_before))
                          .read("attempts_cap", attempt.attempts_cap)
                          .read("cancelled_by", attempt.cancelled_by)
                          .read("graceful", attempt.graceful)
                          .read_with("decision", stored_as(attempt.decision))
                          .read("original", value.is_original)
                          .finish();
  if (!read) return std::unexpected(read.error());
  if (attempt.number == 0) return fail(bad, "an attempt's number must be positive");
  return value;
}

Status read_state(const Json& json, TaskState& state) {
  StateKind kind{};
  ObjectReader reader(json, "the task's state", bad);
  reader.need("kind", kind);
  switch (kind) {
    case StateKind::waiting: {
      std::int64_t satisfied = 0;
      reader.need("satisfied", satisfied);
      state = Waiting{std::bit_cast<std::uint64_t>(satisfied)};
      break;
    }
    case StateKind::ready:
      state = Ready{};
      break;
    case StateKind::running:
      return fail(bad, "the task is running");
    case StateKind::retry_scheduled:
      reader.need("next_run_at", state.emplace<RetryScheduled>().next_run_at);
      break;
    case StateKind::awaiting_review:
      reader.need("reason", state.emplace<AwaitingReview>().reason);
      break;
    case StateKind::expanded: {
      auto& expanded = state.emplace<Expanded>();
      reader.need("children", expanded.children)
          .need("open", expanded.open)
          .need("failed", expanded.failed);
      break;
    }
    case StateKind::succeeded:
      reader.need("attempt", state.emplace<Succeeded>().attempt);
      break;
    case StateKind::skipped:
      reader.need("reason", state.emplace<Skipped>().reason);
      break;
    case StateKind::failed: {
      auto& failed = state.emplace<Failed>();
      reader.need("cause", failed.cause).read("discarded", failed.discarded);
      break;
    }
    case StateKind::cancelled:
      reader.need("cause", state.emplace<Cancelled>().cause);
      break;
  }
  return reader.finish();
}

Result<Line> read_task(const Json& json) {
  ArrivingTask value;
  Task& task = value.task;
  const auto child = [&](const Json& part) {
    ChildPart& own = task.child.emplace();
    return ObjectReader(part, "the child", bad)
        .need("parent", own.parent)
        .need("expansion", own.expansion)
        .need("key", own.key)
        .need("data", own.data)
        .finish();
  };
  const Status read =
      ObjectReader(json, "the task", bad)
          .need("id", task.id)
          .read("item", task.item)
          .read("category", value.category)
          .need("version", task.version)
          .need("epoch", task.epoch)
          .need("round", task.round)
          .need("expansion", task.expansion)
          .need("attempts", task.attempts)
          .read_with("counts", stored_as(task.counts))
          .need("cause", task.cause)
          .read_with("state", [&](const Json& state) { return read_state(state, task.state); })
          .read_with("feedback", stored_as(task.feedback))
          .read_with("child", child)
          .read("original", value.is_original)
          .finish();
  if (!read) return std::unexpected(read.error());
  if (task.version < 1) return fail(bad, "a task's version must be positive");
  return value;
}

Status read_name(const Json& json, std::string& out) {
  if (const Fit fit = decode(json, out)) return fail(bad, "an assignee " + fit->wanted);
  return {};
}

Status read_given_answer(const Json& json, GivenAnswer& given) {
  return ObjectReader(json, "an answer", bad)
      .read_with("answer", stored_as(given.answer))
      .read("by", given.by_kind)
      .need("given_at", given.given_at)
      .read("fate", given.fate)
      .read("ended_at", given.ended_at)
      .finish();
}

Result<Line> read_review(const Json& json) {
  ArrivingReview value;
  Review& review = value.review;
  const Status read = ObjectReader(json, "the review", bad)
                          .need("id", review.id)
                          .read("item", review.item)
                          .need("task", review.task)
                          .need("epoch", review.epoch)
                          .need("reason", review.reason)
                          .need("attempt", review.attempt)
                          .need("digest", review.digest)
                          .need("opened_at", review.opened_at)
                          .read_list("assigned", review.assigned, read_name, assigned_max)
                          .read("due_at", review.due_at)
                          .read("notice_at", review.notice_at)
                          .need("status", review.status)
                          .read("claimed_by", review.claimed_by)
                          .read("claimed_until", review.claimed_until)
                          .read_with("answer", stored_as(review.answer))
                          .read_list("answers", value.answers, read_given_answer, answers_max)
                          .read("closed_at", review.closed_at)
                          .read("stands", value.stands)
                          .read("original", value.is_original)
                          .finish();
  if (!read) return std::unexpected(read.error());
  const bool wants_answer =
      review.status == ReviewStatus::answered || review.status == ReviewStatus::closed;
  if (wants_answer && !review.answer) return fail(bad, "an answered review has no answer");
  if (value.stands && (!review.answer || !review.answer->edits)) {
    return fail(bad, "a review without edits cannot stand for an output");
  }
  if (Status good = check_assignees({}, review.assigned); !good) {
    return fail(bad, "the review's assignees: " + good.error().message);
  }
  std::uint32_t number = 0;
  for (GivenAnswer& given : value.answers) given.number = ++number;
  return value;
}

Result<Line> read_item(const Json& json) {
  ArrivingItem value;
  Item& item = value.item;
  const Status read = ObjectReader(json, "the item", bad)
                          .need("id", item.id)
                          .need("key", item.key)
                          .read("category", item.category)
                          .need("data", item.data)
                          .read("data_sha256", item.data_sha256)
                          .need("submitted_at", item.submitted_at)
                          .need("state", item.state)
                          .read("cancelled", item.cancelled)
                          .need("sinks_left", item.sinks_left)
                          .need("failed_tasks", item.failed_tasks)
                          .read("adopted_from", item.adopted_from)
                          .read("original", value.is_original)
                          .finish();
  if (!read) return std::unexpected(read.error());
  if (item.key.empty()) return fail(bad, "an item's key must not be empty");
  return value;
}

Status read_event(const Json& json, Event& event) {
  std::int64_t code = 0;
  Status read = ObjectReader(json, "the event", bad)
                    .need("type", event.type)
                    .read("item", event.item)
                    .read("task", event.task)
                    .read("attempt", event.attempt)
                    .read("code", code)
                    .read("count", event.count)
                    .read("when", event.when)
                    .read("text", event.text)
                    .read("by", event.by)
                    .finish();
  if (!read) return read;
  if (!std::in_range<std::int32_t>(code)) return fail(bad, "an event's code is too large");
  // Who trusted the job in another store is not to be believed in this one.
  if (event.type == EventType::job_imported || event.type == EventType::job_trusted) {
    return fail(bad, "an export has no event '" + std::string(name_of(event.type)) + "'");
  }
  event.code = static_cast<std::int32_t>(code);
  return {};
}

Result<Line> read_events_line(const Json& json) {
  ArrivingEvents value;
  const Status read = ObjectReader(json, "the events", bad)
                          .need("at", value.at)
                          .read_list("list", value.events, read_event, events_per_row)
                          .finish();
  if (!read) return std::unexpected(read.error());
  if (value.at < no_time) return fail(bad, "events cannot be older than 1970");
  if (value.events.empty() || value.events.size() > events_per_row) {
    return fail(bad, "a line has 1 to " + std::to_string(events_per_row) + " events");
  }
  return value;
}

Result<Line> read_audit(const Json& json) {
  ArrivingAudit value;
  AuditEntry& entry = value.entry;
  const Status read = ObjectReader(json, "the audit entry", bad)
                          .need("at", entry.at)
                          .read("actor", entry.actor.name)
                          .need("kind", entry.actor.kind)
                          .need("method", entry.actor.method)
                          .read("address", entry.actor.address)
                          .need("act", entry.act)
                          .read("target", entry.target)
                          .read("details", entry.details)
                          .read("reason", entry.reason)
                          .read("before", entry.before)
                          .read("after", entry.after)
                          .read("origin", entry.origin)
                          .finish();
  if (!read) return std::unexpected(read.error());
  if (entry.at < no_time) return fail(bad, "audit entries cannot be older than 1970");
  if (!is_act_name(entry.act)) {
    return fail(bad, "the audit entry of a job has no act '" + entry.act + "'");
  }
  if (entry.actor.name.size() > actor_name_max) {
    return fail(bad, "the name of who acted is too long");
  }
  for (const std::string& digest : {entry.before, entry.after}) {
    if (!digest.empty() && !is_sha256_hex(digest)) {
      return fail(bad, "the audit entry has something that is not a digest");
    }
  }
  return value;
}

Result<Line> read_due(const Json& json) {
  if (Status read = ObjectReader(json, "the line", bad).finish(); !read) {
    return std::unexpected(read.error());
  }
  return DueFollows{};
}

Result<Line> read_last(const Json& json) {
  LastLine value;
  const Status read = ObjectReader(json, "the last line", bad)
                          .need("items", value.moved.items)
                          .need("tasks", value.moved.tasks)
                          .need("attempts", value.moved.attempts)
                          .need("reviews", value.moved.reviews)
                          .need("events", value.moved.events)
                          .read("audit", value.moved.audit_entries)
                          .need("payloads", value.moved.payloads)
                          .need("sha256", value.sha256)
                          .finish();
  if (!read) return std::unexpected(read.error());
  return value;
}

Result<Line> read_signature(const Json& json) {
  codec::Signature value;
  std::string algorithm;
  const Status read = ObjectReader(json, "the signature", bad)
                          .need("algorithm", algorithm)
                          .need("public_key", value.public_key)
                          .need("value", value.value)
                          .finish();
  if (!read) return std::unexpected(read.error());
  if (algorithm != "ed25519") return fail(bad, "a signature is of the algorithm 'ed25519'");
  return value;
}

struct Kind {
  std::string_view name;
  Result<Line> (*read)(const Json&);
};
constexpr std::array kinds{
    Kind{"attempt", read_attempt},
    Kind{"task", read_task},
    Kind{"item", read_item},
    Kind{"review", read_review},
    Kind{"events", read_events_line},
    Kind{"audit", read_audit},
    Kind{"payload", read_payload},
    Kind{"pawl_export", read_header},
    Kind{"workflow", read_workflow},
    Kind{"job", read_job},
    Kind{"original_job", read_original_job},
    Kind{"due", read_due},
    Kind{"end", read_last},
    Kind{"signature", read_signature},
};

}  // namespace

Result<Line> read_line(std::string_view text) {
  const Result<Json> json = parse_json(text, line_limits);
  if (!json) return fail(bad, "not JSON: " + json.error().message);
  const auto found = members(*json);
  if (found.size() != 1) return fail(bad, "not a line of an export");
  const auto& [name, value] = found.front();
  const auto* const kind = std::ranges::find(kinds, std::string_view(name), &Kind::name);
  if (kind == kinds.end()) return fail(bad, "an export has no line '" + name + "'");
  return kind->read(value);
}

}  // namespace pawl::transfer
