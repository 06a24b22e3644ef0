#pragma once

/// What an attempt leaves in its record beside the output: logs, artifacts and costs.

#include <string>
#include <string_view>
#include <vector>

#include "actions/handed_in.hpp"
#include "actions/log_text.hpp"
#include "actions/process.hpp"
#include "actions/result_document.hpp"
#include "actions/workspace.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/core/result.hpp"
#include "pawl/store/store.hpp"
#include "store/patience.hpp"

namespace pawl::actions {

/// How much of a log the record itself holds; a longer log is stored as a payload.
inline constexpr std::size_t log_tail_bytes = 2'048;

/// Records of stdout and stderr, if anything was written. Waits until `stop` for a store that does
/// not answer.
[[nodiscard]] std::vector<ArtifactRecord> log_records(const ProcessEnd& end, Store& store,
                                                      const store::Patience& patience);

/// Stores the files that a result names. `invalid` names the file that cannot be stored.
[[nodiscard]] Result<std::vector<ArtifactRecord>> file_records(const std::vector<NamedFile>& files,
                                                               FileKeeper& keeper);

/// The sum of the lines of $PAWL_EVENTS.
struct EventLines {
  Usage usage;
  std::int64_t ignored = 0;   ///< lines that the protocol does not know
  std::string first_ignored;  ///< why the first of them was ignored
};
[[nodiscard]] EventLines read_events(const std::filesystem::path& path, const Mask& mask);

/// The name of the artifact that notes ignored lines: {"lines": count, "first": what was wrong}.
inline constexpr std::string_view ignored_lines_name = "ignored lines of PAWL_EVENTS";
/// A note for the record if lines were ignored.
[[nodiscard]] ArtifactRecord note_of(const EventLines& events);

/// The same value with secrets masked in its strings.
[[nodiscard]] Json masked(const Json& value, const Mask& mask);

}  // namespace pawl::actions
