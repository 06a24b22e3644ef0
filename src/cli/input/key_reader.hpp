#pragma once

/// Reads single keys from a terminal.

#include <memory>
#include <optional>
#include <string>

#include "pawl/core/time.hpp"

namespace pawl::cli {

/// While it exists, the terminal delivers single keys, without echo and without waiting for a
/// newline. Create it before the question is shown, so that it sees the first key.
class KeyReader {
 public:
  KeyReader();
  ~KeyReader();
  KeyReader(const KeyReader&) = delete;
  KeyReader& operator=(const KeyReader&) = delete;

  /// Discards keys that were pressed or held down before the question appeared, so that they never
  /// answer it. Waits until no key has arrived for a moment.
  void forget_typed_ahead();
  /// One key. Ctrl-C and a signal that `StopSignals` holds back are 3, Ctrl-D is 4; -1 if the
  /// terminal is gone.
  [[nodiscard]] int read();
  /// The same, but none if no key comes in this time.
  [[nodiscard]] std::optional<int> read(Duration patience);

 private:
  struct Mode;
  std::unique_ptr<Mode> before_;  ///< null if there is no terminal
};

/// One line that the person types, without its newline. None if a signal that `StopSignals` holds
/// back arrives first.
[[nodiscard]] std::optional<std::string> read_line();

}  // namespace pawl::cli
