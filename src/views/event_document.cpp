#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/object_writer.hpp"
#include "pawl/views/documents.hpp"
#include "views/document_writer.hpp"

namespace pawl {

using namespace views;
using codec::ObjectWriter;

namespace {

template <class E>
void write_code(ObjectWriter& object, std::string_view key, const Event& event) {
  write_word(object, key, from_number<E>(event.code));
}

void write_some(ObjectWriter& object, std::string_view key, std::string_view text) {
  if (!text.empty()) object.write(key, text);
}

void write_text(ObjectWriter& object, std::string_view key, const Event& event) {
  write_some(object, key, event.text);
}

/// A duration that is stored in microseconds. Older versions stored none.
void write_milliseconds(ObjectWriter& object, std::string_view key, std::int64_t microseconds) {
  if (microseconds > 0) object.write(key, microseconds / 1'000);
}

/// Defines what `code`, `count`, `when` and `text` mean for each event type. The only such place.
void write_data(ObjectWriter& object, const Event& event) {
  switch (event.type) {
    case EventType::job_submitted:
      return write_text(object, "workflow", event);
    case EventType::job_paused:
      write_code<PauseCause>(object, "cause", event);
      return write_text(object, "reason", event);
    case EventType::job_resumed:
      return write_text(object, "reason", event);
    case EventType::job_finished:
      write_code<JobState>(object, "state", event);
      return write_text(object, "reason", event);
    case EventType::job_cancelled:
      write_code<CancelCause>(object, "cause", event);
      if (event.count != 0) object.write("failed_items", event.count);
      return write_text(object, "reason", event);
    case EventType::task_cancelled:
      write_code<CancelCause>(object, "cause", event);
      return write_text(object, "reason", event);
    case EventType::item_settled:
      return write_code<ItemState>(object, "state", event);
    case EventType::item_dead_lettered:
      write_code<FailCause>(object, "cause", event);
      return write_text(object, "note", event);
    case EventType::task_failed:
      write_code<FailCause>(object, "cause", event);
      return write_text(object, "message", event);
    case EventType::attempt_started:
      return write_code<Cause>(object, "cause", event);
    case EventType::attempt_finished:
      write_code<AttemptResult>(object, "result", event);
      write_milliseconds(object, "duration_ms", event.count);
      return write_text(object, "message", event);
    case EventType::gate_accepted:
    case EventType::gate_rejected:
      return write_text(object, "summary", event);
    case EventType::gate_uncertain:
      return write_text(object, "reason", event);
    case EventType::retry_scheduled:
      write_code<Cause>(object, "cause", event);
      object.write("max_attempts", event.count);
      write_time(object, "next_run_at", event.when);
      write_text(object, "feedback_summary", event);
      return write_some(object, "by", event.by);
    case EventType::retry_started:
      write_code<Cause>(object, "cause", event);
      object.write("max_attempts", event.count);
      return write_name(object, "feedback_summary", event.text);
    case EventType::escalated:
    case EventType::review_requested:
      write_code<ReviewReason>(object, "reason", event);
      return write_text(object, "message", event);
    case EventType::review_decided:
      write_code<ReviewOutcome>(object, "outcome", event);
      write_text(object, "note", event);
      return write_some(object, "by", event.by);
    case EventType::task_succeeded:
      return write_text(object, "summary", event);
    case EventType::task_skipped:
      write_code<SkipReason>(object, "reason", event);
      write_text(object, "message", event);
      return write_some(object, "by", event.by);
    case EventType::task_expanded:
      return object.write("children", event.count);
    case EventType::budget_reached:
      return write_code<BudgetKind>(object, "budget", event);
    case EventType::dead_letter_discarded:
    case EventType::item_purged:
      return write_text(object, "reason", event);
    case EventType::job_imported:
      return write_text(object, "export", event);
    case EventType::job_trusted:
      return write_text(object, "by", event);
    case EventType::review_answered:
      write_code<ReviewOutcome>(object, "outcome", event);
      object.write("approvals", event.count);
      write_text(object, "note", event);
      if (event.when != no_time) write_time(object, "effective_at", event.when);
      return write_some(object, "by", event.by);
    case EventType::review_withdrawn:
      return write_some(object, "by", event.by);
    case EventType::review_assigned:
      write_text(object, "to", event);
      return write_some(object, "by", event.by);
    case EventType::review_overdue:
      write_code<ReviewNotice>(object, "notice", event);
      return write_time(object, "due_at", event.when);
    case EventType::budget_near:
      return write_code<BudgetKind>(object, "budget", event);
    case EventType::stage_paused:
    case EventType::stage_resumed:
      write_text(object, "stage", event);
      return write_some(object, "by", event.by);
  }
}

}  // namespace

Json event_document(const Event& event, std::string_view item_key, std::string_view stage,
                    std::string_view child) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("seq", event.seq);
    object.write("type", event.type);
    object.write("job", event.job.value());
    write_name(object, "item", item_key);
    write_name(object, "stage", stage);
    write_name(object, "child", child);
    object.write("attempt_number", event.attempt == 0 ? Json{} : Json{event.attempt});
    write_time(object, "at", event.at);
    ObjectWriter data(object.member("data"));
    write_data(data, event);
  }
  return Json::trusted(std::move(out));
}

}  // namespace pawl
