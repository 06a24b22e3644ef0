#pragma once

/// Finds out whether the records of an item or a job name a file: in outputs, artifacts, logs, the
/// edits of reviewers, or the data of items and fan-out children.

#include <optional>
#include <string>

#include "views/address.hpp"

namespace pawl::views {

struct NamedFile {
  std::string sha256;
  std::string name;  ///< as the record has it: from a stage, so it may be any text
};

/// The file with this digest, if a record of an item, or of a job-wide stage, names it. `address`
/// is an item without a stage, or a job-wide stage. The outputs of attempts are looked into even if
/// they are kept as files themselves.
[[nodiscard]] Result<std::optional<NamedFile>> named_file(Records& records, const Address& address,
                                                          const std::string& sha256);

}  // namespace pawl::views
