#include "cli/output/terminal_output.hpp"

#include <algorithm>
#include <random>

#include "cli/output/escaped_text.hpp"

namespace pawl::cli {
namespace {

constexpr char escape = '\x1b';
constexpr std::string_view introducer = "\x1b[";
constexpr int token_digits = 24;

/// Replaces the introducer of a sequence in the text.
const std::string& marker() {
  static const std::string made = [] {
    std::random_device random;
    std::string text(1, escape);
    for (int i = 0; i < token_digits; ++i) text += "0123456789abcdef"[random() % 16];
    return text;
  }();
  return made;
}

/// How many bytes at the end begin a character that is not complete yet.
std::size_t unfinished_bytes(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

}  // namespace

std::string control_sequence(std::string_view body) { return marker() + std::string(body); }

std::string with_own_sequences(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find(introducer), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    out += marker();
    text.remove_prefix(introducer.size());
  }
  return out;
}

SafeOutput::SafeOutput(std::ostream& stream, bool is_terminal)
    : stream_(stream), target_(stream.rdbuf()), is_terminal_(is_terminal) {
  stream_.rdbuf(this);
}

SafeOutput::~SafeOutput() {
  write_pending(true);
  target_->pubsync();
  stream_.rdbuf(target_);
}

SafeOutput::int_type SafeOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
  const char one = traits_type::to_char_type(character);
  return write({&one, 1}) ? character : traits_type::eof();
}

std::streamsize SafeOutput::xsputn(const char* text, std::streamsize size) {
  return write({text, static_cast<std::size_t>(size)}) ? size : 0;
}

int SafeOutput::sync() { return write_pending(true) && target_->pubsync() == 0 ? 0 : -1; }

bool SafeOutput::write(std::string_view text) {
  const bool is_raw = !is_terminal_ && pending_.empty() && !text.contains(escape);
  if (is_raw) return forward(text);
  pending_ += text;
  return write_pending(false);
}

bool SafeOutput::write_pending(bool is_end) {
  std::string_view rest = pending_;
  bool is_written = true;
  while (is_written && !rest.empty()) {
    const std::size_t plain = std::min(rest.find(escape), rest.size());
    const bool is_last = plain == rest.size();
    const std::size_t kept =
        is_last && !is_end && is_terminal_ ? unfinished_bytes(rest.substr(0, plain)) : 0;
    is_written = forward_foreign(rest.substr(0, plain - kept));
    rest.remove_prefix(plain - kept);
    if (is_last) break;
    if (rest.starts_with(marker())) {
      is_written = is_written && forward(introducer);
      rest.remove_prefix(marker().size());
    } else if (!is_end && marker().starts_with(rest)) {
      break;
    } else {
      is_written = is_written && forward_foreign(rest.substr(0, 1));
      rest.remove_prefix(1);
    }
  }
  pending_.erase(0, pending_.size() - rest.size());
  return is_written;
}

bool SafeOutput::forward(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), size) == size;
}

bool SafeOutput::forward_foreign(std::string_view text) {
  return is_terminal_ ? forward(printable_lines(text)) : forward(text);
}

}  // namespace pawl::cli
