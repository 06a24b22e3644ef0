#pragma once

/// Single keys from a terminal, for decisions that count.

#include <memory>

namespace pawl::cli {

/// While it lives, the terminal hands over single keys, without echo and without waiting for a
/// newline. Make it before the question is shown: a key pressed right after must find it so.
class KeyReader {
 public:
  KeyReader();
  ~KeyReader();
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  /// Waits until nothing has been typed for a moment and forgets what was: keys pressed, or held
  /// down, before the question was on the screen never answer it.
  void forget_typed_ahead();
  /// One key. Ctrl-C is 3, Ctrl-D is 4; -1 where the terminal is gone.
  [[nodiscard]] int read();

 private:
  struct Mode;
  std::unique_ptr<Mode> before_;  ///< null where there is no terminal
};

}  // namespace pawl::cli
