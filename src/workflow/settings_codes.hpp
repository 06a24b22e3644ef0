#pragma once

/// The codes of the settings file `.pawl/serve.yaml` that workflow files do not have.

#include <span>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl::workflow {

[[nodiscard]] std::span<const CodeStory> settings_codes();

}  // namespace pawl::workflow
