#include "actions/mark_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/process_table.hpp"
#include "files/trusted_path.hpp"
#include "pawl/codec/json.hpp"

namespace pawl::actions {

namespace {

constexpr std::size_t line_bytes = 256;
constexpr std::size_t token_digits = 32;

/// More attempts than any worker runs at once. The rest of a longer file is ignored.
constexpr std::size_t lines_max = 65'536;

off_t place_of(std::size_t line) { return static_cast<off_t>(line * line_bytes); }

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_hex(std::string_view text, std::size_t length) {
  return text.size() == length && std::ranges::all_of(text, [](char letter) {
           return is_digit(letter) || (letter >= 'a' && letter <= 'f');
         });
}

/// Whether this is the plain name of a directory, not a path that leads elsewhere.
bool is_plain(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         std::ranges::none_of(name, [](unsigned char letter) {
           return letter <= ' ' || letter == 0x7F || letter == '/';
         });
}

/// Pads the text with spaces, so that every line has a fixed place.
std::string padded(std::string text) {
  text.resize(line_bytes - 1, ' ');
  text += '\n';
  return text;
}

/// "17 65536-1 4242 880001 880002 17". The number is at both ends, so that a line that is being
/// overwritten can be recognised.
MarkLine parse_line(const std::string& text) {
  std::istringstream fields(text);
  MarkLine line;
  std::int64_t again = 0;
  fields >> line.number >> line.name >> line.group.leader >> line.group.started_from >>
      line.group.started_until >> again;
  if (!fields || again != line.number || line.number < 0 || !is_plain(line.name)) return {};
  // Refuse the numbers that mean something else than one group, such as 0, 1 and -1.
  if (line.group.leader < 0 || line.group.leader == 1) return {};
  return line;
}

/// "<task>-<attempt>…"
struct AttemptName {
  std::int64_t task = 0;
  AttemptNumber attempt = 0;
};
std::optional<AttemptName> parse_name(const std::string& name) {
  AttemptName parsed;
  const char* const end = name.data() + name.size();
  const auto task = std::from_chars(name.data(), end, parsed.task);
  if (task.ec != std::errc{} || task.ptr == end || *task.ptr != '-') return std::nullopt;
  if (std::from_chars(task.ptr + 1, end, parsed.attempt).ec != std::errc{}) return std::nullopt;
  return parsed;
}

void read_owner(const std::string& text, MarkText& mark) {
  const Result<Json> json = parse_json(text.substr(0, text.find('\n')));
  if (!json) return;
  const auto text_at = [&](std::string_view key) {
    return JsonView(*json)[key].string().value_or("");
  };
  std::string token = text_at("token");
  // A shorter token could be a prefix of the environment of other processes.
  if (!is_hex(token, token_digits)) return;
  mark.token = std::move(token);
  mark.boot = text_at("boot");
  mark.owner = static_cast<pid_t>(field(*json, "owner").integer().value_or(0));
}

}  // namespace

bool is_mark_name(std::string_view name) {
  if (!name.ends_with(mark_suffix)) return false;
  name.remove_suffix(mark_suffix.size());
  const std::size_t dash = name.find('-');
  if (dash == 0 || dash == std::string_view::npos) return false;
  return std::ranges::all_of(name.substr(0, dash), is_digit) && is_hex(name.substr(dash + 1), 8);
}

Result<files::Descriptor> open_mark(const std::filesystem::path& path, bool trust_owner) {
  const auto refused = [&](const std::string& why) {
    return fail(ErrorCode::refused, "'" + path.string() + "' " + why,
                "remove it if it is not yours");
  };
  files::Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.is_open()) {
    if (errno == ELOOP) return refused("is a symbolic link, not a mark");
    return fail(ErrorCode::not_found, path.string());
  }
  struct stat found{};
  if (::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return refused("is not a regular file");
  }
  if (trust_owner) return file;
  if (const Status safe = files::check_trusted(path, found); !safe)
    return std::unexpected(safe.error());
  // pawl creates marks for the current user only, under one name.
  if ((found.st_mode & 077U) != 0)
    return refused("is accessible to other users, but a mark never is");
  if (found.st_nlink != 1) return refused("has several hard links, but a mark has only one");
  return file;
}

MarkText read_mark(int file) {
  MarkText mark;
  std::string line(line_bytes, ' ');
  for (std::size_t number = 0; number <= lines_max; ++number) {
    const ssize_t got = ::pread(file, line.data(), line_bytes, place_of(number));
    if (got != static_cast<ssize_t>(line_bytes)) break;
    if (number == 0) {
      read_owner(line, mark);
    } else {
      mark.lines.push_back(parse_line(line));
    }
  }
  if (mark.token.empty()) mark.lines.clear();
  return mark;
}

std::string mark_owner_text(const std::string& token) {
  const auto self = process_entry(::getpid());
  return padded(Json::object({{"token", token},
                              {"owner", static_cast<std::int64_t>(::getpid())},
                              {"owner_started", self ? self->started : 0},
                              {"boot", boot_id()}})
                    .text());
}

std::string mark_line_text(const MarkLine& line) {
  const std::string number = std::to_string(line.number);
  std::string text;
  text.reserve(line_bytes);
  text.append(number).append(" ").append(line.name);
  for (const auto part : {static_cast<std::uint64_t>(line.group.leader), line.group.started_from,
                          line.group.started_until}) {
    text.append(" ").append(std::to_string(part));
  }
  text.append(" ").append(number);
  return padded(std::move(text));
}

std::string unused_line_text() { return padded({}); }

bool write_mark_line(int file, std::size_t line, const std::string& text) {
  for (std::size_t done = 0; done < line_bytes;) {
    const ssize_t written = ::pwrite(file, text.data() + done, line_bytes - done,
                                     place_of(line) + static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

std::string attempt_token(const std::string& token, std::int64_t number) {
  return token + "." + std::to_string(number);
}

bool is_earlier(const MarkLine& line, TaskId task, AttemptNumber current) {
  if (line.number == 0) return false;
  const auto name = parse_name(line.name);
  return name && name->task == task.value() && name->attempt < current;
}

}  // namespace pawl::actions
