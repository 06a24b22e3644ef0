#pragma once

/// The files of one attempt on this disk: its mark, its scratch directory and its content.
///
///   run/<worker>/<task>-<attempt>/dir/          PAWL_DIR
///   run/<worker>/<task>-<attempt>/result.json   PAWL_RESULT
///   run/<worker>/<task>-<attempt>/events.jsonl  PAWL_EVENTS
///   run/<worker>/<task>-<attempt>/stdout, stderr  the logs as they come
///   run/<worker>/<task>-<attempt>/in/           links to the files it is given
///
/// The files are removed with this object.

#include <filesystem>
#include <string>

#include "actions/file_values.hpp"
#include "actions/marks.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/runtime/context.hpp"

namespace pawl::actions {

class Workspace {
 public:
  /// Ends what earlier attempts of the task have left, then creates the workspace. `suffix`
  /// separates the gates of an attempt from its work.
  [[nodiscard]] static Result<Workspace> make(Store& store, const ActionOptions& options,
                                              RunDirectory& run, const Context& context,
                                              const std::string& suffix);

  [[nodiscard]] std::string dir() const { return mark_.scratch().dir(); }
  [[nodiscard]] std::string result() const { return path("/result.json"); }
  [[nodiscard]] std::string events() const { return path("/events.jsonl"); }
  [[nodiscard]] std::string items() const { return path("/items.jsonl"); }
  [[nodiscard]] std::string out() const { return path("/stdout"); }
  [[nodiscard]] std::string err() const { return path("/stderr"); }
  [[nodiscard]] std::string in() const { return path("/in"); }
  [[nodiscard]] FileLinks& links() { return links_; }
  [[nodiscard]] Mark& mark() { return mark_; }

 private:
  Workspace(Store& store, Mark mark) : mark_(std::move(mark)), links_(store, in()) {}

  [[nodiscard]] std::string path(const char* name) const { return mark_.scratch().path() + name; }

  Mark mark_;
  FileLinks links_;
};

/// The text of a regular file; empty if there is none. `invalid` if it is not a regular file or is
/// larger than `bytes_max`.
[[nodiscard]] Result<std::optional<std::string>> read_small_file(const std::filesystem::path& path,
                                                                 std::size_t bytes_max);

}  // namespace pawl::actions
