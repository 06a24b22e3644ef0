#pragma once

/// The document a command reads on standard input: docs/reference/subprocess.md.

#include <optional>

#include "actions/workspace.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/runtime/context.hpp"
#include "pawl/store/store.hpp"

namespace pawl {

/// The version of the protocol, in every envelope.
inline constexpr int protocol_version = 1;

/// `in` is the stage's, resolved; `out` is what a gate judges, absent for the work itself. Files in
/// them become links in the workspace; for a `scope: all` stage its items are written there.
[[nodiscard]] Result<Json> envelope(Context& context, Store& store, Workspace& place,
                                    const Json& in, const std::optional<Json>& out = std::nullopt);

/// Who the feedback of this attempt comes from: "gate", "error", "review" or "operator".
[[nodiscard]] std::string_view feedback_source(Cause cause, const std::vector<Attempt>& history);

}  // namespace pawl
