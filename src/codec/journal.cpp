#include "codec/journal.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "pawl/codec/names.hpp"

namespace pawl::codec {
namespace {

constexpr std::size_t numbers_in_event = 7;

void append_number(std::string& out, std::int64_t value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void append_escaped(std::string& out, std::string_view text) {
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '\\' && c != '\n' && c != '\0') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    out += '\\';
    out += c == '\n' ? 'n' : c == '\0' ? '0' : '\\';
  }
  out.append(text, plain);
}

void append_event(std::string& out, const Event& event, const Event* before) {
  const std::array<std::int64_t, numbers_in_event> numbers{static_cast<std::int64_t>(event.type),
                                                           event.item.value(),
                                                           event.task.value(),
                                                           event.attempt,
                                                           event.code,
                                                           event.count,
                                                           event.when.time_since_epoch().count()};
  std::size_t used = numbers.size();
  const bool has_text = !event.text.empty() || !event.by.empty();
  if (!has_text) {
    while (used > 1 && numbers[used - 1] == 0) --used;
  }
  append_number(out, numbers[0]);
  for (std::size_t i = 1; i < used; ++i) {
    out += ',';
    if (numbers[i] == 0) continue;
    const bool repeats = before != nullptr && ((i == 1 && event.item == before->item) ||
                                               (i == 2 && event.task == before->task));
    if (repeats) {
      out += '=';
    } else {
      append_number(out, numbers[i]);
    }
  }
  if (!has_text) return;
  out += ',';
  append_escaped(out, event.text);
  if (event.by.empty()) return;
  out += "\\b";
  append_escaped(out, event.by);
}

/// Takes the text before the next `separator`, and the separator, off the front of `rest`.
std::string_view take(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return taken;
}

/// Reads a text, and after the mark `\b` who asked for the event.
bool read_escaped(std::string_view text, Event& event) {
  std::string* out = &event.text;
  out->reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      *out += text[i];
      continue;
    }
    if (++i == text.size()) return false;
    switch (text[i]) {
      case 'n':
        *out += '\n';
        break;
      case '0':
        *out += '\0';
        break;
      case '\\':
        *out += '\\';
        break;
      case 'b':
        if (out == &event.by) return false;
        out = &event.by;
        break;
      default:
        return false;
    }
  }
  return true;
}

bool read_number(std::string_view field, std::int64_t before, bool may_repeat,
                 std::int64_t& number) {
  if (field.empty()) return true;
  if (field == "=") {
    number = before;
    return may_repeat;
  }
  const auto [end, fault] = std::from_chars(field.data(), field.data() + field.size(), number);
  return fault == std::errc{} && end == field.data() + field.size();
}

bool read_event(std::string_view line, const Event* before, Event& event) {
  std::array<std::int64_t, numbers_in_event> numbers{};
  for (std::size_t i = 0; i < numbers.size() && !line.empty(); ++i) {
    const bool may_repeat = before != nullptr && (i == 1 || i == 2);
    const std::int64_t same =
        !may_repeat ? 0 : (i == 1 ? before->item.value() : before->task.value());
    if (!read_number(take(line, ','), same, may_repeat, numbers[i])) return false;
  }
  const auto type = from_number<EventType>(numbers[0]);
  if (!type || !std::in_range<AttemptNumber>(numbers[3]) ||
      !std::in_range<std::int32_t>(numbers[4])) {
    return false;
  }
  event.type = *type;
  event.item = ItemId{numbers[1]};
  event.task = TaskId{numbers[2]};
  event.attempt = static_cast<AttemptNumber>(numbers[3]);
  event.code = static_cast<std::int32_t>(numbers[4]);
  event.count = numbers[5];
  event.when = Timestamp{Duration{numbers[6]}};
  return read_escaped(line, event);
}

}  // namespace

void append_events(std::string& out, std::span<const Event> events) {
  require(events.size() <= events_per_row, "a journal row holds at most 16 events");
  const Event* before = nullptr;
  for (const Event& event : events) {
    if (before != nullptr) out += '\n';
    append_event(out, event, before);
    before = &event;
  }
}

Result<std::vector<Event>> read_events(std::string_view text, EventSeq row, JobId job,
                                       Timestamp at) {
  std::vector<Event> events;
  const auto damaged = [&] {
    return fail(ErrorCode::corrupt, "journal row " + std::to_string(row) + ", event " +
                                        std::to_string(events.size() + 1) + ": damaged text");
  };
  if (text.ends_with('\n')) return damaged();
  while (!text.empty()) {
    if (events.size() == events_per_row) return damaged();
    const std::string_view line = take(text, '\n');
    Event event;
    if (!read_event(line, events.empty() ? nullptr : &events.back(), event)) return damaged();
    event.seq = row * static_cast<EventSeq>(events_per_row) + static_cast<EventSeq>(events.size());
    event.job = job;
    event.at = at;
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace pawl::codec
