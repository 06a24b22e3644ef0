#pragma once

/// Scripts of `sh`. pawl never inserts values into them; values are passed through the environment.

#include <string>
#include <string_view>

#include "workflow/value_reader.hpp"

namespace pawl::workflow {

/// The script unchanged. If it contains references: empty, with a fault added.
[[nodiscard]] std::string read_script(Faults& faults, const Value& value);

/// A variable name for "${item.path}": ITEM_PATH. Never a name that a shell, a loader or pawl uses.
[[nodiscard]] std::string suggested_variable(std::string_view reference);
/// Whether the variable has a meaning for a shell, a dynamic loader, a C library or pawl.
[[nodiscard]] bool is_special_variable(std::string_view name);

}  // namespace pawl::workflow
