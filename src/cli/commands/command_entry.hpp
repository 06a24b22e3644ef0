#pragma once

/// A command as data: its name, its options, its help, and the function to call.
///
/// The file of a command exports its entry, `commands.cpp` lists the entries, and `arguments.cpp`
/// parses the command line with them.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/input/address.hpp"

namespace pawl::cli {

class Session;

/// Where the value of an option or argument is stored.
using Target =
    std::variant<bool*, std::string*, std::int64_t*, std::uint32_t*, std::optional<std::int64_t>*,
                 std::optional<std::uint32_t>*, std::optional<std::string>*, std::optional<double>*,
                 std::vector<std::string>*, std::vector<std::uint32_t>*>;

/// An option ("--job"), a flag ("--watch,-w") or an argument ("id").
struct Word {
  std::string names;
  Target target;
  std::string shown;  ///< its value in the help: "JOB"
  std::string about;
  bool is_required = false;
  std::vector<std::string> choices = {};  ///< the allowed values; empty: any
  bool splits_at_commas = false;          ///< "a,b" are two values
  bool is_name = false;                   ///< empty text is refused
};
using Words = std::vector<Word>;

struct CommandEntry {
  std::string noun;  ///< "job"; empty for a command of one word
  std::string name;
  std::string example;
  std::string about;
  std::vector<std::string> aliases;
  Words words;
  std::function<int(Session&)> call;  ///< returns the exit code
};

/// The entry of a command: "job wait", an example, what it does, and its function. A list command
/// is also called "ls".
[[nodiscard]] CommandEntry command(const std::string& path, std::string example, std::string about,
                                   std::function<int(Session&)> call);
/// The same for a command with options. `words_of` returns the words that fill them.
template <class Options, class WordsOf>
[[nodiscard]] CommandEntry command(const std::string& path, std::string example, std::string about,
                                   int (*run)(Session&, const Options&), WordsOf words_of) {
  auto options = std::make_shared<Options>();
  CommandEntry entry = command(path, std::move(example), std::move(about),
                               [options, run](Session& session) { return run(session, *options); });
  entry.words = words_of(*options);
  return entry;
}

[[nodiscard]] Word flag(std::string names, bool& target, std::string about);
[[nodiscard]] Word option(std::string names, Target target, std::string shown, std::string about);
[[nodiscard]] Word required_option(std::string names, Target target, std::string shown,
                                   std::string about);
[[nodiscard]] Word choice(std::string names, Target target, std::vector<std::string> choices,
                          std::string about);
[[nodiscard]] Word list_option(std::string names, std::vector<std::string>& target,
                               std::string shown, std::string about);
[[nodiscard]] Word argument(Target target, std::string shown, std::string about);
[[nodiscard]] Word optional_argument(Target target, std::string shown, std::string about);

// Words that several commands have.

/// --csv
[[nodiscard]] Word csv_flag(bool& csv);
/// Refuses --csv beside another form of output.
int fail_csv(Session& session);
/// --as
[[nodiscard]] Word person_option(std::string& as);
/// --limit
[[nodiscard]] Word limit_option(std::uint32_t& limit);
/// --job, for a command that takes keys of items
[[nodiscard]] Word job_of_key_option(std::optional<std::int64_t>& job);
/// --keep-running
[[nodiscard]] Word keep_running_flag(bool& keep_running);
/// --lease
[[nodiscard]] Word lease_option(std::string& lease);
/// --file-quota
[[nodiscard]] Word file_quota_option(std::string& quota);
[[nodiscard]] Word reviews_argument(std::vector<std::string>& reviews);
/// ID, --job and --stage
[[nodiscard]] Words words_of_address(AddressText& address);

}  // namespace pawl::cli
