#pragma once

/// The mark of a worker as a plain file: one line that says who it is, then lines of the same
/// length, each for one attempt at a time. The writer overwrites lines in place while others may
/// read.
///
/// A mark says which processes are ended and which directories are removed. So it is read only
/// from a file that nobody but this user could have written, and of its lines only those that
/// make sense.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "actions/end_processes.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "store/descriptor.hpp"

namespace pawl {

inline constexpr std::string_view mark_suffix = ".mark";

/// What an attempt leaves in the mark of its worker.
struct MarkLine {
  std::int64_t number = 0;  ///< behind the worker's token, in PAWL_RUN; 0: an unused line
  std::string name;  ///< of its scratch directory: "<task>-<attempt>…"; never leads elsewhere
  KnownGroup group;
};

struct MarkText {
  std::string token;  ///< 32 hexadecimal digits; empty where the file is not a mark
  pid_t owner = 0;
  std::string boot;
  /// In their places, from 1; unused, half-written and senseless ones have the number 0.
  std::vector<MarkLine> lines;
};

/// "<process>-<8 hexadecimal digits>.mark", as `WorkerMark` makes them.
[[nodiscard]] bool is_mark_name(std::string_view name);

/// Opens a mark. `refused` for what others could have written, `not_found` where there is none or
/// we may not look. `trust_owner` asks only that it is a file.
[[nodiscard]] Result<Descriptor> open_mark(const std::filesystem::path& path, bool trust_owner);

/// What the file says.
[[nodiscard]] MarkText read_mark(int file);

/// The text of a line; always as long as every other.
[[nodiscard]] std::string mark_owner_text(const std::string& token);
[[nodiscard]] std::string mark_line_text(const MarkLine& line);
[[nodiscard]] std::string unused_line_text();

/// Puts the text of a line in its place, from 0 for the owner. False when the disk has no room.
bool write_mark_line(int file, std::size_t line, const std::string& text);

/// "<token>.<number>", as in PAWL_RUN.
[[nodiscard]] std::string attempt_token(const std::string& token, std::int64_t number);

/// Whether a line is of an attempt of this task before `current`.
[[nodiscard]] bool is_earlier(const MarkLine& line, TaskId task, AttemptNumber current);

}  // namespace pawl
