#include "cli/input/programs.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <ostream>

#include <sys/wait.h>
#include <unistd.h>

namespace pawl::cli {
namespace {

/// Ignores the signals of the keyboard while it exists, as system(3) does.
class KeyboardIgnored {
 public:
  KeyboardIgnored() {
    struct sigaction ignored{};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGINT, &ignored, &interrupt_);
    ::sigaction(SIGQUIT, &ignored, &quit_);
  }
  ~KeyboardIgnored() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGQUIT, &quit_, nullptr);
  }
  KeyboardIgnored(const KeyboardIgnored&) = delete;
  KeyboardIgnored& operator=(const KeyboardIgnored&) = delete;

 private:
  struct sigaction interrupt_{};
  struct sigaction quit_{};
};

[[noreturn]] void become(const std::string& script, const std::filesystem::path& file) {
  struct sigaction usual{};
  usual.sa_handler = SIG_DFL;
  ::sigaction(SIGINT, &usual, nullptr);
  ::sigaction(SIGQUIT, &usual, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execl("/bin/sh", "sh", "-c", script.c_str(), "pawl", file.c_str(), nullptr);
  ::_exit(127);
}

/// The wait status of the program; none if it could not start.
std::optional<int> run_in_foreground(const std::string& script, const std::filesystem::path& file) {
  const KeyboardIgnored ignored;
  const pid_t child = ::fork();
  if (child == 0) become(script, file);
  int ended = 0;
  while (child > 0 && ::waitpid(child, &ended, 0) < 0 && errno == EINTR) {
  }
  if (child < 0) return std::nullopt;
  return ended;
}

bool interrupt_is_blocked() {
  sigset_t blocked;
  return ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked) == 0 &&
         ::sigismember(&blocked, SIGINT) == 1;
}

}  // namespace

ProgramEnd run_program(Session& session, const std::string& command,
                       const std::filesystem::path& file) {
  session.streams().out->flush();
  // As with git, the command may contain options, too.
  const std::optional<int> status = run_in_foreground(command + " \"$1\"", file);
  if (!status) return ProgramEnd::failed;
  const int ended = *status;
  // A shell reports a program that a signal ended as 128 plus its number.
  const bool by_interrupt =
      WIFSIGNALED(ended) ? WTERMSIG(ended) == SIGINT : WEXITSTATUS(ended) == 128 + SIGINT;
  if (by_interrupt) {
    if (interrupt_is_blocked()) ::raise(SIGINT);
    return ProgramEnd::interrupted;
  }
  return WIFEXITED(ended) && WEXITSTATUS(ended) == 0 ? ProgramEnd::done : ProgramEnd::failed;
}

Result<std::string> editor_command(const Session& session) {
  for (const char* const name : {"VISUAL", "EDITOR"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  if (session.can_ask()) return "vi";
  return pawl::fail(ErrorCode::refused, "no editor is set, and there is no terminal",
                    "set EDITOR, or pass --output FILE");
}

}  // namespace pawl::cli
