#pragma once

/// Outputs as documents show them: with the path of each file.

#include <string>

#include "pawl/core/json.hpp"
#include "pawl/store/records.hpp"

namespace pawl::views {

/// Adds to each file in the value, at any depth, the "path" of its content. The path is null if the
/// content is missing.
[[nodiscard]] Json with_paths(Records& records, const Json& value);

/// The object with this member, appended or replacing a member of the same name.
[[nodiscard]] Json with_member(const Json& object, const std::string& key, Json value);

}  // namespace pawl::views
