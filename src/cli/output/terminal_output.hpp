#pragma once

/// Filters everything that is written to stdout and stderr.
///
/// A terminal never gets a control character from outside, even if a command forgot to escape a
/// text: everything that the program writes passes through `SafeOutput`. Our own colours and cursor
/// movements carry a random token, so that text from outside cannot forge them.

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace pawl::cli {

/// A sequence of our own: "31m" paints red, "2A" moves up two lines. Only `SafeOutput` turns it
/// into what a terminal obeys.
[[nodiscard]] std::string control_sequence(std::string_view body);

/// Text in which every escape character is known to be ours.
[[nodiscard]] std::string with_own_sequences(std::string_view text);

/// Replaces the buffer of a stream while it exists. On a terminal, unprintable characters are
/// escaped; elsewhere bytes pass unchanged. Our own sequences work in both cases.
class SafeOutput : private std::streambuf {
 public:
  SafeOutput(std::ostream& stream, bool is_terminal);
  ~SafeOutput() override;
  SafeOutput(const SafeOutput&) = delete;
  SafeOutput& operator=(const SafeOutput&) = delete;

 private:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  bool write(std::string_view text);
  /// Keeps back an incomplete character or sequence until more arrives.
  bool write_pending(bool is_end);
  bool forward(std::string_view text);
  bool forward_foreign(std::string_view text);

  std::ostream& stream_;
  std::streambuf* target_;
  bool is_terminal_;
  std::string pending_;
};

}  // namespace pawl::cli
