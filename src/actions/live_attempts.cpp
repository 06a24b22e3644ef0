#include "actions/live_attempts.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <iterator>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/descriptor.hpp"
#include "files/trusted_path.hpp"
#include "pawl/codec/json.hpp"
#include "text/utf8.hpp"

namespace pawl::actions {

namespace fs = std::filesystem;

namespace {

/// How much of a log is read at once, and how much of the end of PAWL_EVENTS.
constexpr std::size_t log_piece_max = std::size_t{1} << 20U;
constexpr std::int64_t events_tail_max = 65'536;
constexpr std::size_t message_bytes_max = 500;

struct OpenFile {
  files::Descriptor descriptor;
  std::int64_t size = 0;
};

/// The command can replace its files. Links and pipes are not followed.
std::optional<OpenFile> open_regular(const fs::path& path) {
  files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return std::nullopt;
  }
  return OpenFile{std::move(file), status.st_size};
}

std::string read_from(const OpenFile& file, std::int64_t from, std::size_t bytes_max) {
  std::string text;
  std::array<char, 65'536> buffer;  // NOLINT: pread() fills it
  while (text.size() < bytes_max) {
    const std::size_t room = std::min(buffer.size(), bytes_max - text.size());
    const ssize_t got = ::pread(file.descriptor.get(), buffer.data(), room,
                                static_cast<off_t>(from) + static_cast<off_t>(text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// Later lines win. Lines that the protocol does not know are reported when the attempt has ended.
void read_line(std::string_view line, LiveReport& report) {
  const Result<Json> event = parse_json(line);
  if (!event || !is_object(*event)) return;
  if (const Result<double> progress = field(*event, "progress").number();
      progress && *progress >= 0 && *progress <= 1) {
    report.progress = *progress;
  }
  if (const Result<std::string> message = field(*event, "message").string()) {
    report.message = text::beginning_of(*message, message_bytes_max);
  }
}

LiveReport read_report(const fs::path& path) {
  LiveReport report;
  const std::optional<OpenFile> file = open_regular(path);
  if (!file) return report;
  const std::int64_t from = std::max<std::int64_t>(0, file->size - events_tail_max);
  const std::string text = read_from(*file, from, events_tail_max);
  std::string_view rest = text;
  // The first line may be cut.
  if (from > 0) rest.remove_prefix(std::min(rest.find('\n'), rest.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0) read_line(rest.substr(0, end), report);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return report;
}

std::string scratch_name(TaskId task, AttemptNumber attempt) {
  return std::to_string(task.value()) + "-" + std::to_string(attempt);
}

/// Reads "<task>-<attempt>". Gates and twins have longer names.
std::optional<ReportingAttempt> attempt_of(const std::string& name) {
  std::int64_t task = 0;
  AttemptNumber attempt = 0;
  const char* const end = name.data() + name.size();
  const auto first = std::from_chars(name.data(), end, task);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '-') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, attempt);
  if (second.ec != std::errc{} || second.ptr != end) return std::nullopt;
  return ReportingAttempt{.task = TaskId{task}, .attempt = attempt, .report = {}};
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

std::vector<fs::path> directories_in(const fs::path& path) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_folder(entry->path())) found.push_back(entry->path());
  }
  return found;
}

}  // namespace

LiveAttempts::LiveAttempts(fs::path run_directory, bool trust_owner)
    : run_(std::move(run_directory)) {
  if (!trust_owner && is_folder(run_) && !files::check_trusted(run_)) run_.clear();
}

std::vector<fs::path> LiveAttempts::scratch_directories() const {
  std::vector<fs::path> all;
  if (run_.empty()) return all;
  for (const fs::path& worker : directories_in(run_)) {
    std::ranges::move(directories_in(worker), std::back_inserter(all));
  }
  return all;
}

fs::path LiveAttempts::find(TaskId task, AttemptNumber attempt) const {
  if (run_.empty()) return {};
  for (const fs::path& worker : directories_in(run_)) {
    if (fs::path place = worker / scratch_name(task, attempt); is_folder(place)) return place;
  }
  return {};
}

bool LiveAttempts::has(TaskId task, AttemptNumber attempt) const {
  return !find(task, attempt).empty();
}

std::string LiveAttempts::log(TaskId task, AttemptNumber attempt, std::string_view stream,
                              std::int64_t from) const {
  const fs::path place = find(task, attempt);
  if (place.empty()) return {};
  const std::optional<OpenFile> file = open_regular(place / stream);
  return file ? read_from(*file, from, log_piece_max) : std::string();
}

std::vector<ReportingAttempt> LiveAttempts::reports() const {
  std::vector<ReportingAttempt> all;
  for (const fs::path& place : scratch_directories()) {
    std::optional<ReportingAttempt> found = attempt_of(place.filename().string());
    if (!found) continue;
    found->report = read_report(place / "events.jsonl");
    if (!found->report.is_empty()) all.push_back(std::move(*found));
  }
  std::ranges::sort(all, {}, &ReportingAttempt::task);
  return all;
}

}  // namespace pawl::actions
