#pragma once

/// Which words of a command may name files: the scripts that it executes, and other literal,
/// relative words. Whether such a file exists is for the caller to find out.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::workflow {

/// A word of `run` that is executed.
struct ScriptWord {
  std::size_t place = 0;    ///< in argv
  bool is_program = false;  ///< executed directly, else read by an interpreter
  friend bool operator==(const ScriptWord&, const ScriptWord&) = default;
};

/// The scripts that a command executes: the program, if it names a file, and the first argument of
/// an interpreter. Looks behind options, their values, and programs that start another one
/// (`env`, `timeout`, `nice`, `nohup`, `stdbuf`).
[[nodiscard]] std::vector<ScriptWord> script_words(const std::vector<std::string>& argv);

/// The other words that may name files, as paths: arguments, the values of `--option=value`, and
/// the words of shell code behind `-c`. Without words that the command writes to, as far as that
/// can be seen: those behind `-o`, `--out` and `--output`.
[[nodiscard]] std::vector<std::string> argument_paths(const std::vector<std::string>& argv);

/// The words of a shell script that may name files. Words with expansions or patterns are left out,
/// and so are the targets of redirections.
[[nodiscard]] std::vector<std::string> paths_in_shell(std::string_view script);

}  // namespace pawl::workflow
