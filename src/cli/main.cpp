#include <cstring>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include <sys/prctl.h>
#include <unistd.h>

#include "cli/arguments.hpp"
#include "cli/cli.hpp"
#include "cli/output/terminal_output.hpp"
#include "text/passwords.hpp"

namespace {

/// Hides passwords in the arguments, because process lists show them to everybody.
void hide_passwords(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    const std::size_t size = std::strlen(argv[i]);
    std::string shown = pawl::text::without_passwords(argv[i]);
    if (shown == argv[i]) continue;
    shown.resize(size, '*');
    std::memcpy(argv[i], shown.data(), size);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Keep commands of the same user from reading our memory and environment, which hold the secrets
  // of every stage. exec resets this flag, so the commands themselves are not affected.
  ::prctl(PR_SET_DUMPABLE, 0);
  std::ios::sync_with_stdio(false);
  const pawl::cli::SafeOutput out(std::cout, ::isatty(STDOUT_FILENO) == 1);
  const pawl::cli::SafeOutput err(std::cerr, ::isatty(STDERR_FILENO) == 1);
  int code = pawl::cli::exit_failed;
  try {
    const std::vector<std::string> words(argv, argv + argc);
    hide_passwords(argc, argv);
    code = pawl::cli::run_command_line(words);
  } catch (const std::exception& fault) {
    std::cerr << "error: internal error in pawl: " << pawl::text::without_passwords(fault.what())
              << '\n';
  }
  std::cout.flush();
  if (!std::cout) {
    // A full disk or a closed pipe: the exit code must show that the output is incomplete.
    std::cerr << "error: the output could not be written\n";
    return pawl::cli::exit_failed;
  }
  return code;
}
