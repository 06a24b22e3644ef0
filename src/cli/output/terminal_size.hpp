#pragma once

/// The size of the person's terminal.

#include <cstddef>

namespace pawl::cli {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

/// The size of the terminal behind a descriptor. A size that is unknown or senseless is 80 by 24.
[[nodiscard]] TerminalSize terminal_size(int descriptor);

}  // namespace pawl::cli
