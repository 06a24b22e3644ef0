#pragma once

/// The document that a command reads on standard input: docs/reference/subprocess.md.

#include <optional>

#include "actions/workspace.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/runtime/context.hpp"
#include "pawl/store/store.hpp"

namespace pawl::actions {

/// The protocol version in every envelope.
inline constexpr int protocol_version = 1;

/// `in` is the resolved input of the stage; `out` is the output that a gate judges, absent for the
/// work itself. Files in them become links in the workspace. The items of a job-wide stage are
/// written there too.
[[nodiscard]] Result<Json> envelope(Context& context, Store& store, Workspace& place,
                                    const Json& in, const std::optional<Json>& out = std::nullopt);

/// Where the feedback of this attempt comes from: "gate", "error", "review" or "operator".
[[nodiscard]] std::string_view feedback_source(Cause cause, const std::vector<Attempt>& history);

}  // namespace pawl::actions
