#include "cli/input/key_reader.hpp"

#include <cerrno>

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "cli/signals.hpp"

namespace pawl::cli {
namespace {

/// Longer than the pause between two repeats of a held key.
constexpr int quiet_milliseconds = 200;
constexpr int control_c = 3;

}  // namespace

struct KeyReader::Mode {
  termios settings{};
};

KeyReader::KeyReader() {
  auto before = std::make_unique<Mode>();
  if (::tcgetattr(STDIN_FILENO, &before->settings) != 0) return;
  termios keys = before->settings;
  // Ctrl-C is a key, too: it must not end the process and leave the terminal in this mode.
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSADRAIN, &keys) == 0) before_ = std::move(before);
}

KeyReader::~KeyReader() {
  if (before_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &before_->settings);
}

void KeyReader::forget_typed_ahead() {
  for (;;) {
    ::tcflush(STDIN_FILENO, TCIFLUSH);
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    const int typed = ::poll(&input, 1, quiet_milliseconds);
    if (typed < 0 && errno == EINTR) continue;
    const bool is_gone = (input.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    if (typed <= 0 || is_gone) return;
  }
}

std::optional<int> KeyReader::read(Duration patience) {
  switch (wait_for_input(STDIN_FILENO, patience)) {
    case InputWait::ready:
      return read();
    case InputWait::signal:
      return control_c;
    case InputWait::nothing:
      return std::nullopt;
  }
  return std::nullopt;
}

int KeyReader::read() {
  for (;;) {
    if (!wait_for_input(STDIN_FILENO)) return control_c;
    unsigned char key = 0;
    const ssize_t got = ::read(STDIN_FILENO, &key, 1);
    if (got == 1) return key;
    if (got < 0 && errno == EINTR) continue;
    return -1;
  }
}

std::optional<std::string> read_line() {
  std::string line;
  for (;;) {
    if (!wait_for_input(STDIN_FILENO)) return std::nullopt;
    char next = 0;
    const ssize_t got = ::read(STDIN_FILENO, &next, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0 || next == '\n') return line;
    line += next;
  }
}

}  // namespace pawl::cli
