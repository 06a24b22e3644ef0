#pragma once

/// The JSON Schemas of the documents that the API answers, by name. They are the files in
/// `schemas/`, one for each noun, compiled into the program.

#include "pawl/core/json.hpp"

namespace pawl::service {

[[nodiscard]] Json schemas();

}  // namespace pawl::service
