#pragma once

/// The file that an item was made of: a glob makes one item for each file, and records the digest
/// of its bytes.

#include <cstdint>
#include <string>

#include "files/descriptor.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

struct ItemFile {
  files::Descriptor file;
  std::string name;  ///< without its directories
  std::string sha256;
  std::int64_t size = 0;
};

/// Opens it. `refused` if the item was not made of a file, for a path that leads out of the
/// project or over a symbolic link, for a job that is not trusted, and if the bytes are not those
/// that the item was made of. `not_found` if the file is gone.
[[nodiscard]] Result<ItemFile> open_item_file(const Job& job, const Item& item);

/// Up to `bytes_max` bytes from this one on; empty at the end.
[[nodiscard]] Result<std::string> read_range(const files::Descriptor& file, std::int64_t from,
                                             std::size_t bytes_max);

}  // namespace pawl::actions
