#pragma once

/// What an attempt leaves for its record beside the output: logs, files it wants kept, costs.

#include <string>
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

namespace pawl {

/// What of a log stands in the record itself; a longer one is kept as a payload.
inline constexpr std::size_t log_tail_bytes = 2'048;

/// stdout and stderr, where anything was written. Waits for a store that does not answer, until
/// `stop`.
[[nodiscard]] std::vector<ArtifactRecord> log_records(const ProcessEnd& end, Store& store,
                                                      const Patience& patience);

/// Keeps the files a result names. `invalid` names the one that cannot be taken.
[[nodiscard]] Result<std::vector<ArtifactRecord>> file_records(const std::vector<NamedFile>& files,
                                                               FileKeeper& keeper);

/// What the lines of $PAWL_EVENTS come to.
struct EventLines {
  Usage usage;
  std::int64_t ignored = 0;   ///< lines that the protocol does not know
  std::string first_ignored;  ///< why
};
[[nodiscard]] EventLines read_events(const std::filesystem::path& path);

/// A note for the record where lines were ignored.
[[nodiscard]] ArtifactRecord note_of(const EventLines& events);

/// The same value with secrets masked in its texts.
[[nodiscard]] Json masked(const Json& value, const Mask& mask);

}  // namespace pawl
