#pragma once

/// The commands of the program as data: names, options, help texts, and the functions to call.
/// `arguments.cpp` parses the command line with it; no other file uses the parser library.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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
};

struct CommandEntry {
  std::string noun;  ///< "job"; empty for a command of one word
  std::string name;
  std::string group;  ///< its heading in the help
  std::string example;
  std::string about;
  std::vector<std::string> aliases;
  std::vector<Word> words;
  std::function<int(Session&)> call;
};

class CommandTree {
 public:
  /// Builds all commands.
  CommandTree();

  struct Noun {
    std::string name;
    std::string group;
    std::string about;
  };
  [[nodiscard]] const std::vector<Noun>& nouns() const { return nouns_; }
  [[nodiscard]] const std::vector<CommandEntry>& commands() const { return commands_; }

 private:
  template <class Options>
  using Command = int (*)(Session&, const Options&);

  /// Starts a group. The commands added next belong to it.
  void heading(std::string group) { group_ = std::move(group); }
  void noun(const std::string& name, const std::string& about);
  void no_noun() { noun_.clear(); }

  /// Adds a command, and returns its options. The words added next belong to it and fill them.
  template <class Options>
  Options& command(const std::string& name, const std::string& example, const std::string& about,
                   Command<Options> does) {
    auto options = std::make_shared<Options>();
    Options& answer = *options;
    add(name, example, about,
        [options = std::move(options), does](Session& session) { return does(session, *options); });
    return answer;
  }
  void command(const std::string& name, const std::string& example, const std::string& about,
               int (*does)(Session&)) {
    add(name, example, about, does);
  }
  void add(const std::string& name, const std::string& example, const std::string& about,
           std::function<int(Session&)> call);
  void alias(const std::string& name) { commands_.back().aliases.push_back(name); }

  void flag(const std::string& names, bool& target, const std::string& about);
  void option(const std::string& names, Target target, const std::string& shown,
              const std::string& about);
  void required_option(const std::string& names, Target target, const std::string& shown,
                       const std::string& about);
  void choice(const std::string& names, Target target, std::vector<std::string> choices,
              const std::string& about);
  void list_option(const std::string& names, std::vector<std::string>& target,
                   const std::string& shown, const std::string& about);
  void argument(Target target, const std::string& shown, const std::string& about);
  void optional_argument(Target target, const std::string& shown, const std::string& about);

  void add_workflows();
  void add_status();
  void add_jobs();
  void add_items();
  void add_reviews();
  void add_review_answers();
  void add_dead_letters();
  void add_record();
  void add_about();

  std::string group_;
  std::string noun_;
  std::vector<Noun> nouns_;
  std::vector<CommandEntry> commands_;
};

}  // namespace pawl::cli
