#include "actions/mark_file.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "actions/process_table.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {

namespace {

constexpr std::size_t line_bytes = 256;

/// How many are mapped at once.
constexpr std::size_t stretch_lines = 64;
constexpr std::size_t stretch_bytes = stretch_lines * line_bytes;

/// With spaces, so that the next line stands where it always stands.
std::string padded(std::string text) {
  text.resize(line_bytes - 1, ' ');
  text += '\n';
  return text;
}

/// "17 65536-1 4242 880001 880002 17". The number stands at both ends, so that a line which is
/// being overwritten shows.
MarkLine parse_line(const std::string& text) {
  std::istringstream fields(text);
  MarkLine line;
  std::int64_t again = 0;
  fields >> line.number >> line.name >> line.group.leader >> line.group.started_from >>
      line.group.started_until >> again;
  if (!fields || again != line.number) return {};
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
    const auto value = member(*json, key);
    return value ? string_of(*value).value_or("") : "";
  };
  mark.token = text_at("token");
  mark.boot = text_at("boot");
  const auto owner = member(*json, "owner");
  if (owner) mark.owner = static_cast<pid_t>(integer_of(*owner).value_or(0));
}

}  // namespace

MarkText read_mark(const std::filesystem::path& path) {
  MarkText mark;
  std::ifstream file(path, std::ios::binary);
  std::string line(line_bytes, ' ');
  const auto next = [&] { return file.read(line.data(), line_bytes).gcount() == line_bytes; };
  if (next()) read_owner(line, mark);
  while (next()) mark.lines.push_back(parse_line(line));
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

MarkWriter::~MarkWriter() {
  for (char* const stretch : stretches_) ::munmap(stretch, stretch_bytes);
}

char* MarkWriter::place(std::size_t line) {
  while (line / stretch_lines >= stretches_.size()) {
    const auto begin = static_cast<off_t>(stretches_.size() * stretch_bytes);
    // With blocks of the disk behind it: memory that cannot be written back would kill us.
    errno = ::posix_fallocate(file_.get(), begin, stretch_bytes);
    if (errno != 0) return nullptr;
    void* const mapped =
        ::mmap(nullptr, stretch_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), begin);
    if (mapped == MAP_FAILED) return nullptr;
    stretches_.push_back(static_cast<char*>(mapped));
  }
  return stretches_[line / stretch_lines] + line % stretch_lines * line_bytes;
}

void put_line(char* place, const std::string& text) { std::memcpy(place, text.data(), line_bytes); }

void clear_mark_line(int file, std::size_t line) {
  (void)!::pwrite(file, unused_line_text().data(), line_bytes,
                  static_cast<off_t>(line * line_bytes));
}

std::string attempt_token(const std::string& token, std::int64_t number) {
  return token + "." + std::to_string(number);
}

bool is_earlier(const MarkLine& line, TaskId task, AttemptNumber current) {
  if (line.number == 0) return false;
  const auto name = parse_name(line.name);
  return name && name->task == task.value() && name->attempt < current;
}

}  // namespace pawl
