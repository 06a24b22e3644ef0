#pragma once

/// The mark of a worker as a plain file: one line that identifies the worker, then lines of the
/// same length, each for one attempt at a time. The writer overwrites lines in place while others
/// may read.
///
/// A mark says which processes are ended and which directories are removed. So it is read only from
/// a file that no other user could have written, and senseless lines are ignored.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "actions/end_processes.hpp"
#include "files/descriptor.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

inline constexpr std::string_view mark_suffix = ".mark";

/// The line of an attempt in the mark of its worker.
struct MarkLine {
  std::int64_t number = 0;  ///< comes after the worker's token in PAWL_RUN; 0: an unused line
  std::string name;         ///< of its scratch directory, "<task>-<attempt>…"; a plain name
  KnownGroup group;
};

struct MarkText {
  std::string token;  ///< 32 hexadecimal digits; empty if the file is not a mark
  pid_t owner = 0;
  std::string boot;
  /// In their places, from 1. Unused, half-written and senseless lines have the number 0.
  std::vector<MarkLine> lines;
};

/// "<process>-<8 hexadecimal digits>.mark", the names that `WorkerMark` creates.
[[nodiscard]] bool is_mark_name(std::string_view name);

/// Opens a mark. `refused` if others could have written it, `not_found` if there is none or we may
/// not read it. With `trust_owner`, it only has to be a file.
[[nodiscard]] Result<files::Descriptor> open_mark(const std::filesystem::path& path,
                                                  bool trust_owner);

/// The content of the file.
[[nodiscard]] MarkText read_mark(int file);

/// The text of a line; all lines have the same length.
[[nodiscard]] std::string mark_owner_text(const std::string& token);
[[nodiscard]] std::string mark_line_text(const MarkLine& line);
[[nodiscard]] std::string unused_line_text();

/// Writes a line at its place; 0 is the owner. Returns false if the disk is full.
bool write_mark_line(int file, std::size_t line, const std::string& text);

/// "<token>.<number>", as in PAWL_RUN.
[[nodiscard]] std::string attempt_token(const std::string& token, std::int64_t number);

/// Whether the line belongs to an attempt of this task before `current`.
[[nodiscard]] bool is_earlier(const MarkLine& line, TaskId task, AttemptNumber current);

}  // namespace pawl::actions
