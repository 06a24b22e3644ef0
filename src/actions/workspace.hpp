#pragma once

/// The place of one attempt on this disk: its mark, its scratch directory, and what lies in it.
///
///   run/<task>-<attempt>.mark
///   run/<task>-<attempt>/dir/          PAWL_DIR
///   run/<task>-<attempt>/result.json   PAWL_RESULT
///   run/<task>-<attempt>/events.jsonl  PAWL_EVENTS
///   run/<task>-<attempt>/stdout, stderr  the logs as they come
///   run/<task>-<attempt>/in/           links to the files it is given
///
/// All of it is removed with this object.

#include <filesystem>
#include <string>

#include "actions/file_values.hpp"
#include "actions/marks.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/runtime/context.hpp"

namespace pawl {

class Workspace {
 public:
  /// Ends what earlier attempts of the task have left before it makes the place. `suffix` tells the
  /// gates of an attempt from its work.
  [[nodiscard]] static Result<Workspace> make(Store& store, const ActionOptions& options,
                                              const Context& context, const std::string& suffix);

  [[nodiscard]] std::filesystem::path dir() const { return mark_.scratch() / "dir"; }
  [[nodiscard]] std::filesystem::path result() const { return mark_.scratch() / "result.json"; }
  [[nodiscard]] std::filesystem::path events() const { return mark_.scratch() / "events.jsonl"; }
  [[nodiscard]] std::filesystem::path items() const { return mark_.scratch() / "items.jsonl"; }
  [[nodiscard]] std::filesystem::path out() const { return mark_.scratch() / "stdout"; }
  [[nodiscard]] std::filesystem::path err() const { return mark_.scratch() / "stderr"; }
  [[nodiscard]] std::filesystem::path in() const { return mark_.scratch() / "in"; }
  [[nodiscard]] FileLinks& links() { return links_; }
  [[nodiscard]] Mark& mark() { return mark_; }

 private:
  Workspace(Mark mark, FileLinks links) : mark_(std::move(mark)), links_(std::move(links)) {}

  Mark mark_;
  FileLinks links_;
};

/// The text of a regular file; empty when there is none. `invalid` for what is no regular file, or
/// larger than `bytes_max`.
[[nodiscard]] Result<std::optional<std::string>> read_small_file(const std::filesystem::path& path,
                                                                 std::size_t bytes_max);

}  // namespace pawl
