#include "cli/output/terminal_size.hpp"

#include <sys/ioctl.h>

namespace pawl::cli {

TerminalSize terminal_size(int descriptor) {
  TerminalSize known;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0) return known;
  if (size.ws_col > 20) known.columns = size.ws_col;
  if (size.ws_row > 5) known.rows = size.ws_row;
  return known;
}

}  // namespace pawl::cli
