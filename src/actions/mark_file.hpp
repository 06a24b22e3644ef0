#pragma once

/// The mark of a worker as text: one line that says who it is, then lines of the same length, each
/// for one attempt at a time. The writer overwrites lines in place while others may read.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "actions/descriptor.hpp"
#include "actions/end_processes.hpp"
#include "pawl/core/ids.hpp"

namespace pawl {

inline constexpr std::string_view mark_suffix = ".mark";

/// What an attempt leaves in the mark of its worker.
struct MarkLine {
  std::int64_t number = 0;  ///< behind the worker's token, in PAWL_RUN; 0: an unused line
  std::string name;         ///< of its scratch directory: "<task>-<attempt>…"
  KnownGroup group;
};

struct MarkText {
  std::string token;
  pid_t owner = 0;
  std::string boot;
  /// In their places, from 1; unused ones and half-written ones have the number 0.
  std::vector<MarkLine> lines;
};

/// What the file says; without a token where it cannot be read.
[[nodiscard]] MarkText read_mark(const std::filesystem::path& path);

/// The text of a line; always as long as every other.
[[nodiscard]] std::string mark_owner_text(const std::string& token);
[[nodiscard]] std::string mark_line_text(const MarkLine& line);
[[nodiscard]] std::string unused_line_text();

/// A mark that is being written, in memory that is the file: a line costs no call of the system,
/// and is there for others also when this process is killed. Threads: one at a time for `place`.
class MarkWriter {
 public:
  explicit MarkWriter(Descriptor file) : file_(std::move(file)) {}
  MarkWriter(MarkWriter&&) noexcept = default;
  MarkWriter& operator=(MarkWriter&&) = delete;
  ~MarkWriter();

  [[nodiscard]] int descriptor() const { return file_.get(); }
  /// Where the line of this number stands, from 0 for the owner; null when the disk has no room for
  /// it. It stays there.
  [[nodiscard]] char* place(std::size_t line);

 private:
  Descriptor file_;
  std::vector<char*> stretches_;
};
/// Puts the text of a line where it belongs.
void put_line(char* place, const std::string& text);

/// Makes a line of a file that nobody writes any more an unused one.
void clear_mark_line(int file, std::size_t line);

/// "<token>.<number>", as in PAWL_RUN.
[[nodiscard]] std::string attempt_token(const std::string& token, std::int64_t number);

/// Whether a line is of an attempt of this task before `current`.
[[nodiscard]] bool is_earlier(const MarkLine& line, TaskId task, AttemptNumber current);

}  // namespace pawl
