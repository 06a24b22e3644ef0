#include "workflow/command_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

namespace pawl::workflow {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t path_bytes_max = 4096;

/// A program that runs the script it is given first. The lists are separated by spaces.
struct Interpreter {
  std::string_view name;
  std::string_view takes_code;   ///< options whose value is code or a module: there is no script
  std::string_view takes_value;  ///< options whose value is the next word
  /// The same for letters in a cluster such as -euo. A value may follow its letter immediately.
  std::string_view code_letters = {};
  std::string_view value_letters = {};
};
constexpr std::string_view shell_values = "--rcfile --init-file";
constexpr std::string_view python_values = "--check-hash-based-pycs";
constexpr std::array interpreters{
    Interpreter{"sh", "", shell_values, "cs", "oO"},
    Interpreter{"bash", "", shell_values, "cs", "oO"},
    Interpreter{"dash", "", shell_values, "cs", "oO"},
    Interpreter{"zsh", "", shell_values, "cs", "oO"},
    Interpreter{"python", "", python_values, "cm", "WX"},
    Interpreter{"python3", "", python_values, "cm", "WX"},
    Interpreter{"node", "-p --print --eval",
                "-r --require --import --loader -C --conditions --env-file", "e", ""},
    Interpreter{"ruby", "", "", "e", "CEIr"},
    Interpreter{"perl", "", "", "eE", "IMm"},
    Interpreter{"lua", "", "", "e", "l"},
    Interpreter{"Rscript", "", "", "e", ""},
    Interpreter{"php", "-r", "-c -d -z", "", ""},
};

/// A program that starts the program named in its arguments.
struct Wrapper {
  std::string_view name;
  std::string_view takes_value;
  std::string_view ends_search;  ///< options after which the rest is unknown
  std::size_t arguments = 0;     ///< before the program
};
constexpr std::array wrappers{
    Wrapper{"env", "-u --unset", "-C --chdir -S --split-string"},
    Wrapper{"timeout", "-k --kill-after -s --signal", "", 1},
    Wrapper{"nice", "-n --adjustment", ""},
    Wrapper{"nohup", "", ""},
    Wrapper{"stdbuf", "-i --input -o --output -e --error", ""},
};

bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::string_view first = list.substr(0, list.find(' '));
    if (first == word) return true;
    list.remove_prefix(std::min(first.size() + 1, list.size()));
  }
  return false;
}

template <class Known>
const typename Known::value_type* find_program(const Known& known, const std::string& program) {
  const std::string name = std::filesystem::path(program).filename();
  const auto found = std::ranges::find(known, std::string_view(name), &Known::value_type::name);
  return found == known.end() ? nullptr : &*found;
}

bool is_plain_relative(std::string_view path) {
  return !path.empty() && path.size() < path_bytes_max && path.front() != '/' &&
         path.front() != '-' && path.find("${") == std::string_view::npos &&
         path.find("://") == std::string_view::npos && path.find('\0') == std::string_view::npos;
}

bool has_slash(std::string_view word) { return word.find('/') != std::string_view::npos; }

/// X=1: a variable for the program that follows.
bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::ranges::all_of(word.substr(0, equals),
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

enum class OptionKind : std::uint8_t { flag, with_value, with_code };

OptionKind kind_of(const Interpreter& interpreter, std::string_view option) {
  if (lists(interpreter.takes_code, option)) return OptionKind::with_code;
  if (lists(interpreter.takes_value, option)) return OptionKind::with_value;
  if (option.starts_with("--eval=")) return OptionKind::with_code;
  if (option.starts_with("--")) return OptionKind::flag;
  for (std::size_t i = 1; i < option.size(); ++i) {
    if (interpreter.code_letters.contains(option[i])) return OptionKind::with_code;
    if (!interpreter.value_letters.contains(option[i])) continue;
    return i + 1 == option.size() ? OptionKind::with_value : OptionKind::flag;
  }
  return OptionKind::flag;
}

/// What a command executes.
struct Execution {
  std::vector<ScriptWord> scripts;
  std::optional<std::size_t> program;     ///< the place of the last program
  std::optional<std::size_t> shell_code;  ///< the place of code for a shell
};

/// The place of the script of an interpreter; nothing if it runs code or its standard input.
void find_script(const Interpreter& interpreter, const std::vector<std::string>& argv,
                 std::size_t at, Execution& found) {
  for (++at; at < argv.size(); ++at) {
    const std::string& word = argv[at];
    const bool is_option = word.starts_with('-') || word.starts_with('+');
    if (word == "--") continue;
    if (!is_option || word == "-") break;
    const OptionKind kind = kind_of(interpreter, word);
    if (kind == OptionKind::with_code) {
      const bool is_shell = interpreter.name.ends_with("sh") && word.contains('c');
      if (is_shell && at + 1 < argv.size()) found.shell_code = at + 1;
      return;
    }
    if (kind == OptionKind::with_value) ++at;
  }
  if (at >= argv.size() || !is_plain_relative(argv[at])) return;
  if (argv[at].find_first_of("/.") == std::string::npos) return;
  found.scripts.push_back({.place = at, .is_program = false});
}

/// The place of the program that a wrapper starts; none if that cannot be seen.
std::optional<std::size_t> started_by(const Wrapper& wrapper, const std::vector<std::string>& argv,
                                      std::size_t at) {
  std::size_t arguments = wrapper.arguments;
  for (++at; at < argv.size(); ++at) {
    const std::string& word = argv[at];
    const std::string_view name = std::string_view(word).substr(0, word.find('='));
    if (lists(wrapper.ends_search, name)) return std::nullopt;
    if (word == "--") continue;
    if (word.starts_with('-')) {
      if (lists(wrapper.takes_value, word)) ++at;
      continue;
    }
    if (wrapper.name == "env" && is_assignment(word)) continue;
    if (arguments == 0) return at;
    --arguments;
  }
  return std::nullopt;
}

Execution execution_of(const std::vector<std::string>& argv) {
  Execution found;
  std::optional<std::size_t> at;
  if (!argv.empty()) at = 0;
  while (at) {
    found.program = at;
    const std::string& program = argv[*at];
    if (is_plain_relative(program) && has_slash(program)) {
      found.scripts.push_back({.place = *at, .is_program = true});
    }
    if (const Wrapper* const wrapper = find_program(wrappers, program)) {
      at = started_by(*wrapper, argv, *at);
      continue;
    }
    if (const Interpreter* const interpreter = find_program(interpreters, program)) {
      find_script(*interpreter, argv, *at, found);
    }
    break;
  }
  return found;
}

bool is_output_option(std::string_view word) {
  return lists("-o --out --output", word.substr(0, word.find('=')));
}

/// The word itself, or what follows the equals sign of --option=value and NAME=value.
std::string_view value_in(std::string_view word) {
  const bool has_name = word.starts_with("--") || is_assignment(word);
  const std::size_t equals = word.find('=');
  return has_name && equals != std::string_view::npos ? word.substr(equals + 1) : word;
}

/// Collects paths from words in reading order.
class Paths {
 public:
  void add(std::string_view word) {
    const bool is_written = std::exchange(next_is_written_, false);
    if (is_output_option(word)) {
      next_is_written_ = !word.contains('=');
      return;
    }
    const std::string_view path = value_in(word);
    if (!is_written && is_plain_relative(path)) found_.emplace_back(path);
  }
  void add_all(std::vector<std::string> paths) {
    next_is_written_ = false;
    std::ranges::move(paths, std::back_inserter(found_));
  }
  [[nodiscard]] std::vector<std::string>& found() { return found_; }

 private:
  bool next_is_written_ = false;
  std::vector<std::string> found_;
};

/// Splits a shell script into words, roughly: quotes are removed, and a word with an expansion or a
/// pattern is left out.
class ShellWords {
 public:
  explicit ShellWords(std::string_view script) : script_(script) {}

  std::vector<std::string> paths() {
    while (at_ < script_.size()) read_one();
    end_word();
    return std::move(paths_.found());
  }

 private:
  void read_one() {
    const char c = script_[at_++];
    if (c == '\\' && at_ < script_.size()) {
      const char escaped = script_[at_++];
      if (escaped != '\n') append(escaped);
    } else if (c == '\'' || c == '"') {
      read_quoted(c);
    } else if (c == '#' && !has_begun_) {
      at_ = std::min(script_.find('\n', at_), script_.size());
    } else if (" \t\r\n;&|()<>"sv.contains(c)) {
      end_word();
      if (c == '>') is_target_ = true;
      if (c == ';' || c == '\n' || c == '|') is_target_ = false;
    } else {
      if ("$`*?[~"sv.contains(c)) is_known_ = false;
      append(c);
    }
  }

  void read_quoted(char quote) {
    has_begun_ = true;
    while (at_ < script_.size() && script_[at_] != quote) {
      const char c = script_[at_++];
      if (quote == '"' && (c == '$' || c == '`')) is_known_ = false;
      append(c == '\\' && quote == '"' && at_ < script_.size() ? script_[at_++] : c);
    }
    ++at_;
  }

  void append(char c) {
    has_begun_ = true;
    word_ += c;
  }

  void end_word() {
    if (!has_begun_) return;
    if (is_known_ && !is_target_) paths_.add(word_);
    word_.clear();
    has_begun_ = false;
    is_known_ = true;
    is_target_ = false;
  }

  std::string_view script_;
  std::size_t at_ = 0;
  std::string word_;
  bool has_begun_ = false;  ///< also a word of empty quotes
  bool is_known_ = true;    ///< the word has no expansion and no pattern
  bool is_target_ = false;  ///< the next word is written to
  Paths paths_;
};

}  // namespace

std::vector<ScriptWord> script_words(const std::vector<std::string>& argv) {
  return execution_of(argv).scripts;
}

std::vector<std::string> argument_paths(const std::vector<std::string>& argv) {
  const Execution execution = execution_of(argv);
  Paths paths;
  for (std::size_t i = 1; i < argv.size(); ++i) {
    if (std::ranges::count(execution.scripts, i, &ScriptWord::place) > 0) continue;
    if (execution.program == i) continue;
    if (execution.shell_code == i) {
      paths.add_all(paths_in_shell(argv[i]));
    } else {
      paths.add(argv[i]);
    }
  }
  return std::move(paths.found());
}

std::vector<std::string> paths_in_shell(std::string_view script) {
  return ShellWords(script).paths();
}

}  // namespace pawl::workflow
