#include <exception>
#include <iostream>

#include <sys/prctl.h>

#include "cli/arguments.hpp"
#include "cli/cli.hpp"

int main(int argc, char** argv) {
  // Commands of the same user cannot read our memory and environment, which hold the secrets of
  // every stage. They themselves are ordinary processes again: exec resets it.
  ::prctl(PR_SET_DUMPABLE, 0);
  std::ios::sync_with_stdio(false);
  int code = pawl::cli::exit_failed;
  try {
    code = pawl::cli::run_command_line(argc, argv);
  } catch (const std::exception& fault) {
    std::cerr << "error: pawl has a fault: " << fault.what() << '\n';
  }
  std::cout.flush();
  if (!std::cout) {
    // A full disk or a closed pipe: who reads the exit code must not take half a list for a whole.
    std::cerr << "error: the output could not be written\n";
    return pawl::cli::exit_failed;
  }
  return code;
}
