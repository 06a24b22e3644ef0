#pragma once

/// Scripts of `sh`: nothing is ever put into them, values come by the environment.

#include <string>
#include <string_view>

#include "workflow/value_reader.hpp"

namespace pawl::workflow {

/// The script as it stands, or empty with faults noted: it holds references.
[[nodiscard]] std::string read_script(Faults& faults, const Value& value);

/// A variable for "${item.path}": ITEM_PATH. Never one that a shell, a loader or pawl reads.
[[nodiscard]] std::string suggested_variable(std::string_view reference);
/// Whether a shell, a dynamic loader, a C library or pawl gives the variable a meaning.
[[nodiscard]] bool is_special_variable(std::string_view name);

}  // namespace pawl::workflow
