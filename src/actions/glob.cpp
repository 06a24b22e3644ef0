#include "actions/glob.hpp"

#include <algorithm>
#include <system_error>

#include "text/utf8.hpp"

namespace pawl::actions {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view special = "*?[\\";

std::string shown_bytes(const std::string& text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      shown += c;
    } else {
      shown += "\\x";
      shown += digits[byte >> 4U];
      shown += digits[byte & 15U];
    }
  }
  return shown;
}

/// Consumes the set "[a-z]" at the start of `pattern` and matches it. An unclosed set is a plain
/// bracket.
bool set_matches(std::string_view& pattern, char c) {
  std::size_t at = 1;
  const bool is_negated = at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^');
  if (is_negated) ++at;
  bool found = false;
  for (bool is_first = true; at < pattern.size() && (pattern[at] != ']' || is_first);
       is_first = false) {
    char low = pattern[at];
    if (low == '\\' && at + 1 < pattern.size()) low = pattern[++at];
    ++at;
    char high = low;
    if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
      high = pattern[at + 1];
      at += 2;
    }
    found = found || (static_cast<unsigned char>(low) <= static_cast<unsigned char>(c) &&
                      static_cast<unsigned char>(c) <= static_cast<unsigned char>(high));
  }
  if (at >= pattern.size()) {
    pattern.remove_prefix(1);
    return c == '[';
  }
  pattern.remove_prefix(at + 1);
  return found != is_negated;
}

/// Matches one element of the pattern other than `*` against the first character; consumes both.
bool take_one(std::string_view& name, std::string_view& pattern) {
  if (name.empty() || pattern.empty()) return false;
  const char c = name.front();
  bool matches = false;
  if (pattern.front() == '?') {
    pattern.remove_prefix(1);
    matches = true;
    // `?` matches a character, not a byte.
    name.remove_prefix(1);
    while (!name.empty() && !text::begins_character(name.front())) {
      name.remove_prefix(1);
    }
    return true;
  }
  if (pattern.front() == '[') {
    matches = set_matches(pattern, c);
  } else {
    if (pattern.front() == '\\' && pattern.size() > 1) pattern.remove_prefix(1);
    matches = pattern.front() == c;
    pattern.remove_prefix(1);
  }
  name.remove_prefix(1);
  return matches;
}

std::vector<std::string> parts_of(std::string_view pattern) {
  std::vector<std::string> parts;
  while (!pattern.empty()) {
    const std::size_t slash = pattern.find('/');
    if (slash != 0) parts.emplace_back(pattern.substr(0, slash));
    pattern = slash == std::string_view::npos ? std::string_view{} : pattern.substr(slash + 1);
  }
  return parts;
}

std::string without_escapes(std::string_view part) {
  std::string plain;
  for (std::size_t at = 0; at < part.size(); ++at) {
    if (part[at] == '\\' && at + 1 < part.size()) ++at;
    plain += part[at];
  }
  return plain;
}

bool is_plain(std::string_view part) {
  for (std::size_t at = 0; at < part.size(); ++at) {
    if (part[at] == '\\') {
      ++at;
    } else if (special.find(part[at]) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

class Walk {
 public:
  Walk(fs::path base, std::vector<std::string> parts)
      : base_(std::move(base)), parts_(std::move(parts)) {}

  Result<std::vector<std::string>> find(const fs::path& start) {
    step(start, 0);
    if (!error_.message.empty()) return std::unexpected(error_);
    std::ranges::sort(found_);
    const auto twins = std::ranges::unique(found_);
    found_.erase(twins.begin(), twins.end());
    return std::move(found_);
  }

 private:
  /// `at` is a directory that matches the parts before `part`, relative to the base.
  void step(const fs::path& at, std::size_t part) {
    const bool is_last = part + 1 == parts_.size();
    const std::string& pattern = parts_[part];
    if (pattern == "**") {
      if (is_last) {
        each_entry(at, [&](const fs::directory_entry& entry, const std::string& name) {
          if (name.starts_with('.')) return;
          if (is_real_directory(entry)) {
            step(at / name, part);
          } else {
            add(at / name);
          }
        });
        return;
      }
      step(at, part + 1);
      each_entry(at, [&](const fs::directory_entry& entry, const std::string& name) {
        if (!name.starts_with('.') && is_real_directory(entry)) step(at / name, part);
      });
    } else if (is_plain(pattern)) {
      const fs::path next = at / without_escapes(pattern);
      std::error_code ignored;
      if (is_last) {
        add(next);
      } else if (fs::is_directory(base_ / next, ignored)) {
        step(next, part + 1);
      }
    } else {
      each_entry(at, [&](const fs::directory_entry& entry, const std::string& name) {
        if (!name_matches(name, pattern)) return;
        std::error_code ignored;
        if (is_last) {
          add(at / name);
        } else if (entry.is_directory(ignored)) {
          step(at / name, part + 1);
        }
      });
    }
  }

  static bool is_real_directory(const fs::directory_entry& entry) {
    std::error_code ignored;
    return !entry.is_symlink(ignored) && entry.is_directory(ignored);
  }

  template <class Each>
  void each_entry(const fs::path& at, const Each& each) {
    std::error_code error;
    const fs::path folder = at.empty() ? base_ : base_ / at;
    fs::directory_iterator entry(folder, error);
    for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
      each(*entry, entry->path().filename().string());
    }
    if (error && error != std::errc::no_such_file_or_directory && error_.message.empty()) {
      error_ = {ErrorCode::unavailable,
                "cannot read directory " + folder.string() + ": " + error.message(),
                {}};
    }
  }

  void add(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(base_ / path, ignored)) return;
    std::string text = path.string();
    if (!text::is_utf8(text) && error_.message.empty()) {
      error_ = {ErrorCode::invalid, "the file name " + shown_bytes(text) + " is not UTF-8",
                "rename it, or leave it out of the pattern"};
    }
    found_.push_back(std::move(text));
  }

  fs::path base_;
  std::vector<std::string> parts_;
  std::vector<std::string> found_;
  Error error_;
};

}  // namespace

bool name_matches(std::string_view name, std::string_view pattern) {
  if (name.starts_with('.') && !pattern.starts_with('.') && !pattern.starts_with("\\.")) {
    return false;
  }
  // The last star and where to continue after it: linear for one star, never exponential.
  std::string_view star_pattern;
  std::string_view star_name;
  bool has_star = false;
  while (!name.empty() || !pattern.empty()) {
    if (!pattern.empty() && pattern.front() == '*') {
      pattern.remove_prefix(1);
      star_pattern = pattern;
      star_name = name;
      has_star = true;
      continue;
    }
    if (take_one(name, pattern)) continue;
    if (!has_star || star_name.empty()) return false;
    star_name.remove_prefix(1);
    name = star_name;
    pattern = star_pattern;
  }
  return true;
}

std::string literal_pattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Result<std::vector<std::string>> find_files(const fs::path& base, std::string_view pattern) {
  std::vector<std::string> parts = parts_of(pattern);
  if (parts.empty()) return fail(ErrorCode::invalid, "the pattern is empty");
  const bool is_absolute = pattern.starts_with('/');
  return Walk(is_absolute ? "/" : base, std::move(parts)).find(is_absolute ? "/" : "");
}

}  // namespace pawl::actions
