#include "actions/log_text.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "pawl/core/json.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"

namespace pawl::actions {

namespace {

constexpr std::string_view masked = "***";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

constexpr std::string_view gap_begin = "\n… ";
constexpr std::string_view gap_end = " bytes left out …\n";

std::string gap_line(std::int64_t bytes) {
  return std::string(gap_begin) + text::with_separators(bytes) + std::string(gap_end);
}

struct Gap {
  std::string_view head;
  std::string_view tail;
};

/// Where LogText cut a log of `bytes`. A log may contain such a line itself; only the one whose
/// number fits its place counts. Its beginning is searched for only as far back as a number can
/// reach, so a log that repeats half of such a line takes no longer than another.
std::optional<Gap> find_gap(std::string_view text, std::int64_t bytes) {
  constexpr std::size_t number_max = 26;  ///< of an int64 with separators
  for (std::size_t found = text.find(gap_end); found != std::string_view::npos;
       found = text.find(gap_end, found + 1)) {
    const std::size_t from = found - std::min(found, number_max + gap_begin.size());
    const std::size_t in_window = text.substr(from, found - from).rfind(gap_begin);
    if (in_window == std::string_view::npos) continue;
    const std::size_t begin = from + in_window;
    const std::size_t end = found + gap_end.size();
    const Gap gap{.head = text.substr(0, begin), .tail = text.substr(end)};
    const auto kept = static_cast<std::int64_t>(gap.head.size() + gap.tail.size());
    if (text.substr(begin, end - begin) == gap_line(bytes - kept)) return gap;
  }
  return std::nullopt;
}

}  // namespace

namespace {

/// As it stands inside a JSON string.
std::string in_json(const std::string& secret) {
  std::string quoted;
  append_quoted(quoted, secret);
  return quoted.substr(1, quoted.size() - 2);
}

}  // namespace

Mask::Mask(std::vector<std::string> secrets) : secrets_(std::move(secrets)) {
  for (std::size_t i = 0, count = secrets_.size(); i < count; ++i) {
    if (std::string escaped = in_json(secrets_[i]); escaped != secrets_[i]) {
      secrets_.push_back(std::move(escaped));
    }
  }
  std::erase_if(secrets_, [](const std::string& secret) { return secret.empty(); });
  std::ranges::sort(secrets_, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
}

std::string Mask::whole(std::string_view text) const {
  Mask copy;
  copy.secrets_ = secrets_;
  copy.pending_ = text;
  return copy.take(true);
}

std::string Mask::feed(std::string_view piece) {
  if (secrets_.empty()) return std::string(piece);
  pending_ += piece;
  return take(false);
}

std::string Mask::finish() { return take(true); }

std::string Mask::take(bool is_last) {
  if (secrets_.empty()) return std::exchange(pending_, {});
  std::string out;
  std::string_view rest = pending_;
  while (!rest.empty()) {
    // A longer secret that may still be arriving wins over a shorter one that is complete.
    const auto found = std::ranges::find_if(secrets_, [&](const std::string& secret) {
      return rest.starts_with(secret) || (!is_last && std::string_view(secret).starts_with(rest));
    });
    if (found == secrets_.end()) {
      out += rest.front();
      rest.remove_prefix(1);
    } else if (rest.starts_with(*found)) {
      out += masked;
      rest.remove_prefix(found->size());
    } else {
      break;
    }
  }
  pending_ = std::string(rest);
  return out;
}

LogText::LogText(std::size_t bytes_max)
    : head_max_(bytes_max / 2), tail_max_(bytes_max - bytes_max / 2) {}

void LogText::append(std::string_view piece) {
  bytes_ += static_cast<std::int64_t>(piece.size());
  const std::size_t room = head_max_ - head_.size();
  head_ += piece.substr(0, room);
  if (piece.size() <= room) return;
  piece.remove_prefix(room);
  if (piece.size() > tail_max_) piece.remove_prefix(piece.size() - tail_max_);
  tail_ += piece;
  if (tail_.size() > 2 * tail_max_) tail_.erase(0, tail_.size() - tail_max_);
}

bool LogText::is_cut() const { return bytes_ > static_cast<std::int64_t>(head_max_ + tail_max_); }

std::string LogText::text() const {
  if (!is_cut()) return head_ + tail_;
  std::string_view head = head_;
  while (!head.empty() && !text::begins_character(head.back())) head.remove_suffix(1);
  if (!head.empty() && static_cast<unsigned char>(head.back()) >= 0xC0U) head.remove_suffix(1);
  const std::string tail = tail_of(tail_, tail_max_);
  const std::int64_t left_out = bytes_ - static_cast<std::int64_t>(head.size() + tail.size());
  return std::string(head) + gap_line(left_out) + tail;
}

std::string stored_after(std::string_view text, std::int64_t bytes, std::int64_t printed) {
  const auto length = [](std::string_view part) { return static_cast<std::int64_t>(part.size()); };
  if (printed >= bytes) return {};
  // Both parts lie at the ends of the log, so the gap follows from where the second one begins.
  std::string_view tail = text;
  if (const std::optional<Gap> gap = find_gap(text, bytes)) {
    if (printed <= length(gap->head)) {
      return std::string(text.substr(static_cast<std::size_t>(printed)));
    }
    tail = gap->tail;
  }
  const std::int64_t missing = bytes - length(tail) - printed;
  if (missing > 0) return gap_line(missing) + std::string(tail);
  return std::string(tail.substr(static_cast<std::size_t>(-missing)));
}

std::string tail_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() > bytes_max) {
    text.remove_prefix(text.size() - bytes_max);
    for (int i = 0; i < 3 && !text.empty() && !text::begins_character(text.front()); ++i) {
      text.remove_prefix(1);
    }
  }
  return std::string(text);
}

std::string last_line(std::string_view text, std::size_t bytes_max) {
  text = trimmed(text);
  const std::size_t newline = text.find_last_of("\r\n");
  if (newline != std::string_view::npos) text = trimmed(text.substr(newline + 1));
  if (text.size() <= bytes_max) return std::string(text);
  text = text.substr(0, bytes_max);
  while (!text.empty() && !text::begins_character(text.back())) text.remove_suffix(1);
  if (!text.empty()) text.remove_suffix(1);
  return std::string(text) + "…";
}

}  // namespace pawl::actions
