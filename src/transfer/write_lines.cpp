// Values to lines. What has its default value is left out.

#include <bit>

#include "codec/base64.hpp"
#include "codec/object_writer.hpp"
#include "codec/values.hpp"
#include "pawl/codec/workflow.hpp"
#include "transfer/lines.hpp"

namespace pawl::transfer {
namespace {

using codec::ObjectWriter;

/// A line with one member; `body` writes what is in it.
template <class Body>
std::string line_with(std::string_view name, const Body& body) {
  std::string out;
  {
    ObjectWriter line(out);
    ObjectWriter object(line.member(name));
    body(object);
  }
  out += '\n';
  return out;
}

template <class Tag>
void write_id(ObjectWriter& object, std::string_view key, Id<Tag> id) {
  object.write_unless<std::int64_t>(key, id.value(), 0);
}

template <class T>
void write_value(ObjectWriter& object, std::string_view key, const T& value) {
  codec::append_json(object.member(key), value);
}
template <class T>
void write_value(ObjectWriter& object, std::string_view key, const std::optional<T>& value) {
  if (value) write_value(object, key, *value);
}

void write_numbers(ObjectWriter& object, std::string_view key,
                   std::span<const std::int64_t> numbers) {
  object.write(key, Json::array(std::vector<Json>(numbers.begin(), numbers.end())));
}

void write_stages(ObjectWriter& object, std::string_view key,
                  const std::vector<StateCounts>& stages) {
  std::vector<Json> rows;
  for (const StateCounts& one : stages) {
    rows.push_back(Json::array(std::vector<Json>(one.by_kind.begin(), one.by_kind.end())));
  }
  object.write(key, Json::array(rows));
}

void write_state(ObjectWriter& task, const TaskState& state) {
  ObjectWriter object(task.member("state"));
  object.write("kind", kind_of(state));
  struct Facts {
    ObjectWriter& object;
    void operator()(const Waiting& it) const {
      object.write("satisfied", std::bit_cast<std::int64_t>(it.satisfied));
    }
    void operator()(const Ready&) const {}
    void operator()(const Running&) const {}
    void operator()(const RetryScheduled& it) const { object.write("next_run_at", it.next_run_at); }
    void operator()(const AwaitingReview& it) const { object.write("reason", it.reason); }
    void operator()(const Expanded& it) const {
      object.write("children", it.children);
      object.write("open", it.open);
      object.write("failed", it.failed);
    }
    void operator()(const Succeeded& it) const { object.write("attempt", it.attempt); }
    void operator()(const Skipped& it) const { object.write("reason", it.reason); }
    void operator()(const Failed& it) const {
      object.write("cause", it.cause);
      object.write_unless("discarded", it.discarded, false);
    }
    void operator()(const Cancelled& it) const { object.write("cause", it.cause); }
  };
  std::visit(Facts{object}, state);
}

void write_event(std::string& out, const Event& event) {
  ObjectWriter object(out);
  object.write("type", event.type);
  write_id(object, "item", event.item);
  write_id(object, "task", event.task);
  object.write_unless<std::uint32_t>("attempt", event.attempt, 0);
  object.write_unless<std::int64_t>("code", event.code, 0);
  object.write_unless<std::int64_t>("count", event.count, 0);
  object.write_unless("when", event.when, no_time);
  object.write_unless("text", event.text, {});
  object.write_unless("by", event.by, {});
}

/// Their numbers are their places.
void write_answers(ObjectWriter& review, std::span<const GivenAnswer> answers) {
  std::string& list = review.member("answers");
  list += '[';
  for (const GivenAnswer& given : answers) {
    if (&given != &answers.front()) list += ',';
    ObjectWriter object(list);
    write_value(object, "answer", given.answer);
    object.write_unless("by", given.by_kind, ActorKind::person);
    object.write("given_at", given.given_at);
    object.write_unless("fate", given.fate, AnswerFate::counts);
    object.write_unless("ended_at", given.ended_at, no_time);
  }
  list += ']';
}

constexpr std::string_view last_line_start = R"({"end":)";

}  // namespace

std::string line_of(const Header& value) {
  return line_with("pawl_export", [&](ObjectWriter& object) {
    object.write("format", value.format);
    object.write("pawl", value.pawl);
    object.write("at", value.at);
    object.write("export", value.export_id);
    object.write_unless("signed", value.is_signed, false);
  });
}

std::string line_of(const Workflow& value) {
  return line_with("workflow", [&](ObjectWriter& object) {
    object.write("hash", value.hash());
    object.write("definition", describe(value.definition()));
  });
}

std::string line_of(const Job& job) {
  return line_with("job", [&](ObjectWriter& object) {
    write_id(object, "id", job.id);
    object.write_unless("key", job.key, {});
    object.write("params", job.params);
    object.write("labels", job.labels);
    write_value(object, "budget", job.budget);
    write_value(object, "tolerate_failures", job.tolerate_failures);
    object.write("parallel", job.parallel);
    object.write("priority", std::int64_t{job.priority});
    object.write("submitted_at", job.submitted_at);
    object.write_unless("deadline_at", job.deadline_at, no_time);
    object.write_unless("ended_at", job.ended_at, no_time);
    object.write("submission_open", job.submission_open);
    object.write("generation", job.generation);
    object.write_unless("paused", job.paused, PauseCause::none);
    object.write_if_set("cancelled", job.cancelled);
    object.write_unless("submitted_by", job.submitted_by, {});
    if (!job.paused_stages.empty()) {
      std::vector<std::int64_t> stages;
      for (const StageIndex stage : job.paused_stages) stages.push_back(at(stage));
      write_numbers(object, "paused_stages", stages);
    }
    object.write_unless<std::uint32_t>("near_budgets", job.near_budgets, 0);
    object.write_unless<std::int64_t>("reduce_ordinal", job.reduce_ordinal, 0);
    const std::array items{job.items.total, job.items.succeeded, job.items.failed,
                           job.items.cancelled, job.items.adopted};
    write_numbers(object, "items", items);
    object.write_unless<std::int64_t>("rejected_items", job.items.rejected, 0);
    object.write_unless<std::int64_t>("adopted_rejected_items", job.items.adopted_rejected, 0);
    object.write("attempts_opened", job.attempts_opened);
    object.write("dead_letters", job.dead_letters);
    object.write("failed_tasks", job.failed_tasks);
    object.write("decisions_since_progress", job.decisions_since_progress);
    object.write("last_progress_at", job.last_progress_at);
    write_value(object, "used", job.used);
    write_stages(object, "stages", job.stages);
    write_stages(object, "children", job.children);
  });
}

std::string line_of(const OriginalJob& value) {
  return line_with("original_job",
                   [&](ObjectWriter& object) { write_numbers(object, "shifts", value.shifts); });
}

std::string line_of(const PayloadPiece& value) {
  return line_with("payload", [&](ObjectWriter& object) {
    object.write("sha256", value.sha256);
    object.write("size", value.size);
    object.write("offset", value.offset);
    object.write("bytes", codec::to_base64(value.bytes));
  });
}

std::string line_of(const MovedAttempt& value) {
  return line_with("attempt", [&](ObjectWriter& object) {
    const Attempt& attempt = value.attempt;
    write_id(object, "task", attempt.task);
    object.write("number", attempt.number);
    object.write("epoch", attempt.epoch);
    object.write("round", attempt.round);
    object.write("cause", attempt.cause);
    write_id(object, "worker", attempt.worker);
    object.write_unless("ran", attempt.ran, true);
    object.write("opened_at", attempt.opened_at);
    object.write("started_at", attempt.started_at);
    object.write("ended_at", attempt.ended_at);
    object.write("result", attempt.result);
    write_value(object, "error", attempt.error);
    object.write_if_set("verdict", attempt.verdict);
    object.write_unless("verdict_reason", attempt.verdict_reason, {});
    write_value(object, "feedback", attempt.feedback);
    if (!attempt.assessments.empty()) write_value(object, "gates", attempt.assessments);
    object.write_unless("summary", attempt.summary, {});
    object.write_unless("output", attempt.output, Json{});
    if (!attempt.artifacts.empty()) write_value(object, "artifacts", attempt.artifacts);
    if (!attempt.alternatives.empty()) {
      object.write("alternatives", Json::array(attempt.alternatives));
    }
    object.write_unless("action", attempt.action, Json{});
    write_value(object, "usage", attempt.usage);
    object.write_unless("decider", attempt.decider, {});
    write_value(object, "counts_before", attempt.counts_before);
    object.write_if_set("attempts_cap", attempt.attempts_cap);
    object.write_if_set("cancelled_by", attempt.cancelled_by);
    object.write_unless("graceful", attempt.graceful, false);
    write_value(object, "decision", attempt.decision);
    object.write_unless("original", value.is_original, false);
  });
}

std::string line_of(const ArrivingTask& value) {
  return line_with("task", [&](ObjectWriter& object) {
    const Task& task = value.task;
    write_id(object, "id", task.id);
    write_id(object, "item", task.item);
    object.write_unless("category", value.category, {});
    object.write("version", task.version);
    object.write("epoch", task.epoch);
    object.write("round", task.round);
    object.write("expansion", task.expansion);
    object.write("attempts", task.attempts);
    write_value(object, "counts", task.counts);
    object.write("cause", task.cause);
    write_state(object, task.state);
    write_value(object, "feedback", task.feedback);
    if (task.child) {
      ObjectWriter child(object.member("child"));
      write_id(child, "parent", task.child->parent);
      child.write("expansion", task.child->expansion);
      child.write("key", task.child->key);
      child.write("data", task.child->data);
    }
    object.write_unless("original", value.is_original, false);
  });
}

std::string line_of(const ArrivingReview& value) {
  return line_with("review", [&](ObjectWriter& object) {
    const Review& review = value.review;
    write_id(object, "id", review.id);
    write_id(object, "item", review.item);
    write_id(object, "task", review.task);
    object.write("epoch", review.epoch);
    object.write("reason", review.reason);
    object.write("attempt", review.attempt);
    object.write("digest", review.digest);
    object.write("opened_at", review.opened_at);
    object.write_unless("assigned", review.assigned, {});
    object.write_unless("due_at", review.due_at, no_time);
    object.write_unless("notice_at", review.notice_at, no_time);
    object.write("status", review.status);
    object.write_unless("claimed_by", review.claimed_by, {});
    object.write_unless("claimed_until", review.claimed_until, no_time);
    write_value(object, "answer", review.answer);
    if (!value.answers.empty()) write_answers(object, value.answers);
    object.write_unless("closed_at", review.closed_at, no_time);
    object.write_unless("stands", value.stands, false);
    object.write_unless("original", value.is_original, false);
  });
}

std::string line_of(const ArrivingItem& value) {
  return line_with("item", [&](ObjectWriter& object) {
    const Item& item = value.item;
    write_id(object, "id", item.id);
    object.write("key", item.key);
    object.write_unless("category", item.category, {});
    object.write("data", item.data);
    object.write_unless("data_sha256", item.data_sha256, {});
    object.write("submitted_at", item.submitted_at);
    object.write("state", item.state);
    object.write_if_set("cancelled", item.cancelled);
    object.write("sinks_left", item.sinks_left);
    object.write("failed_tasks", item.failed_tasks);
    write_id(object, "adopted_from", item.adopted_from);
    object.write_unless("original", value.is_original, false);
  });
}

std::string line_of(const ArrivingEvents& value) {
  return line_with("events", [&](ObjectWriter& object) {
    object.write("at", value.at);
    std::string& list = object.member("list");
    list += '[';
    for (const Event& event : value.events) {
      if (&event != &value.events.front()) list += ',';
      write_event(list, event);
    }
    list += ']';
  });
}

std::string line_of(const ArrivingAudit& value) {
  return line_with("audit", [&](ObjectWriter& object) {
    const AuditEntry& entry = value.entry;
    object.write("at", entry.at);
    object.write_unless("actor", entry.actor.name, {});
    object.write("kind", entry.actor.kind);
    object.write("method", entry.actor.method);
    object.write_unless("address", entry.actor.address, {});
    object.write("act", entry.act);
    object.write_unless("target", entry.target, {});
    object.write_unless("details", entry.details, {});
    object.write_unless("reason", entry.reason, {});
    object.write_unless("before", entry.before, {});
    object.write_unless("after", entry.after, {});
    object.write_unless("origin", entry.origin, {});
  });
}

std::string line_of(const DueFollows&) {
  return line_with("due", [](ObjectWriter&) {});
}

std::string line_of(const LastLine& value) {
  return line_with("end", [&](ObjectWriter& object) {
    object.write("items", value.moved.items);
    object.write("tasks", value.moved.tasks);
    object.write("attempts", value.moved.attempts);
    object.write("reviews", value.moved.reviews);
    object.write("events", value.moved.events);
    object.write("audit", value.moved.audit_entries);
    object.write("payloads", value.moved.payloads);
    object.write("sha256", value.sha256);
  });
}

std::string line_of(const codec::Signature& value) {
  return line_with("signature", [&](ObjectWriter& object) {
    object.write("algorithm", std::string_view("ed25519"));
    object.write("public_key", value.public_key);
    object.write("value", value.value);
  });
}

bool is_last_line(std::string_view text) { return text.starts_with(last_line_start); }

}  // namespace pawl::transfer
