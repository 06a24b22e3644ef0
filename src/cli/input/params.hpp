#pragma once

/// Reads --param.

#include <string>
#include <vector>

#include "pawl/workflow/file.hpp"

namespace pawl::cli {

/// Reads the params of the file from "k=v" texts. Reports every error at once.
[[nodiscard]] Result<Json> read_params(const std::vector<ParamSpec>& specs,
                                       const std::vector<std::string>& texts);

}  // namespace pawl::cli
