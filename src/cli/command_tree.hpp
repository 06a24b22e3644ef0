#pragma once

/// The commands of the program as data: their names, their words, their help, and what they call.
/// `arguments.cpp` reads a command line by it; nothing else knows the library that does the
/// reading.

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

/// Where a word of the command line goes.
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
  std::vector<std::string> choices = {};  ///< where not empty: the only values
  bool splits_at_commas = false;          ///< of several values: "a,b" are two
};

struct CommandEntry {
  std::string noun;  ///< "job"; empty for a command of one word
  std::string name;
  std::string group;  ///< the heading it stands under in the help
  std::string example;
  std::string about;
  std::vector<std::string> aliases;
  std::vector<Word> words;
  std::function<int(Session&)> call;
};

class CommandTree {
 public:
  /// All of them.
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

  /// The commands that follow belong here.
  void heading(std::string group) { group_ = std::move(group); }
  void noun(const std::string& name, const std::string& about);
  void no_noun() { noun_.clear(); }

  /// A command; the words that follow belong to it, and fill the options that are answered.
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
