#include "cli/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/commands/commands.hpp"
#include "cli/session.hpp"
#include "core/joined.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::cli {
namespace {

/// Help that begins with an example.
class HelpText : public CLI::Formatter {
 public:
  std::map<const CLI::App*, std::string> examples;

  std::string make_description(const CLI::App* app) const override {
    std::string out;
    if (const auto found = examples.find(app); found != examples.end()) {
      out += "Example:\n  " + found->second + "\n\n";
    }
    return out + app->get_description() + "\n";
  }
  /// Shows an argument by its value text, such as FILE.
  std::string make_option_name(const CLI::Option* option, bool is_argument) const override {
    return is_argument ? option->get_option_text()
                       : CLI::Formatter::make_option_name(option, is_argument);
  }
  std::string make_option_usage(const CLI::Option* option) const override {
    return option->get_option_text();
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->nonpositional() ? CLI::Formatter::make_option_opts(option) : std::string();
  }
  std::string make_footer(const CLI::App* app) const override {
    return app->get_parent() == nullptr
               ? "\nHelp on one command: pawl COMMAND --help. Exit codes: pawl help exit-codes.\n"
               : "\nGlobal options: pawl --help. Exit codes: pawl help exit-codes.\n";
  }
};

std::vector<const CLI::App*> below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_below(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* one : below(app)) names.push_back(one->get_name());
  return names;
}

const CLI::App* find_below(const CLI::App& app, const std::string& name) {
  for (const CLI::App* one : below(app)) {
    if (one->check_name(name)) return one;
  }
  return nullptr;
}

std::string path_of(const CLI::App& app) {
  if (app.get_parent() == nullptr) return "pawl";
  return path_of(*app.get_parent()) + " " + app.get_name();
}

Error unknown_command(const CLI::App& at, const std::string& word) {
  const std::vector<std::string> names = names_below(at);
  const std::string near = nearest_name(word, names);
  return {ErrorCode::invalid, '"' + printable(word) + "\" is not a command of " + path_of(at),
          near.empty() ? "the commands are: " + joined(names) : "did you mean \"" + near + "\"?"};
}

/// The name of an argument in error messages: the first word of its help, "FILE" for "FILE...".
std::string argument_name(const std::string& shown) {
  std::string name = shown.substr(0, shown.find_first_of(" .["));
  if (name.ends_with("|-")) name.resize(name.size() - 2);
  return name;
}

/// Throws an error type of CLI11, so that all parse errors are reported in one place.
[[noreturn]] void refuse_value(const CLI::Option& option, const std::string& wanted,
                               const std::string& said) {
  throw CLI::ConversionError(option.get_name() + " must be " + wanted + ", not '" +
                             printable(said) + "'");
}

/// The message of a parse error. CLI11 reports a missing value with the name of a C++ type, so that
/// message is replaced.
std::string in_our_words(const CLI::ParseError& wrong) {
  const std::string said = wrong.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&wrong) != nullptr) {
    std::istringstream extras(said.substr(said.find(':') + 1));
    for (std::string word; extras >> word;) {
      if (word.starts_with("--") && word != "--") {
        return "unknown option " + printable(word.substr(0, word.find('=')));
      }
    }
  }
  const bool lacks_value =
      dynamic_cast<const CLI::ArgumentMismatch*>(&wrong) != nullptr && said.ends_with(" missing");
  return lacks_value ? said.substr(0, said.find(':')) + " needs a value" : said;
}

bool takes_arguments(const CLI::App& app) {
  return std::ranges::any_of(app.get_options(),
                             [](const CLI::Option* option) { return option->get_positional(); });
}

/// The first word with one dash that is not an option of the command, which may be meant as a key;
/// empty if there is none.
std::string key_with_dash(const CLI::App& program, const CLI::App& command,
                          const std::vector<std::string>& words) {
  if (!takes_arguments(command)) return {};
  for (const std::string& word : words) {
    if (word == "--") return {};
    if (word.size() < 2 || !word.starts_with('-') || word.starts_with("--")) continue;
    const std::string name = word.substr(0, 2);
    const bool is_option = command.get_option_no_throw(name) != nullptr ||
                           program.get_option_no_throw(name) != nullptr;
    if (!is_option) return word;
  }
  return {};
}

void allow_only(CLI::Option& option, const std::vector<std::string>& choices) {
  option.check(CLI::Validator(
      [&option, choices](const std::string& said) {
        const std::string wanted =
            choices.size() == 1 ? choices.front() : "one of " + joined(choices);
        if (std::ranges::count(choices, said) == 0) refuse_value(option, wanted, said);
        return std::string();
      },
      ""));
}

/// An unset variable in a script must not make somebody else act.
void refuse_empty(CLI::Option& option) {
  option.check(CLI::Validator(
      [&option](const std::string& said) {
        if (said.empty()) refuse_value(option, "a name", said);
        return std::string();
      },
      ""));
}

template <class Number>
void allow_numbers_only(CLI::Option& option) {
  option.check(CLI::Validator(
      [&option](const std::string& said) {
        Number number{};
        const auto read = std::from_chars(said.data(), said.data() + said.size(), number);
        const bool is_number = read.ec == std::errc{} && read.ptr == said.data() + said.size();
        const bool is_large = read.ec == std::errc::result_out_of_range;
        if (!is_number) refuse_value(option, is_large ? "a smaller number" : "a number", said);
        return std::string();
      },
      ""));
}

// Restricts the text to what the target type can hold.
void allow_what_fits(CLI::Option&, const std::string*) {}
void allow_what_fits(CLI::Option&, const std::optional<std::string>*) {}
void allow_what_fits(CLI::Option&, const std::vector<std::string>*) {}
template <class Number>
void allow_what_fits(CLI::Option& option, const Number*) {
  allow_numbers_only<Number>(option);
}
template <class Number>
void allow_what_fits(CLI::Option& option, const std::optional<Number>*) {
  allow_numbers_only<Number>(option);
}
template <class Number>
void allow_what_fits(CLI::Option& option, const std::vector<Number>*) {
  allow_numbers_only<Number>(option);
}

constexpr std::string_view exit_codes =
    R"(Exit codes

    0  success
    1  failure; the message is on stderr, with --json as {"error":{"code","message","help"}}
    2  wrong usage, or the workflow file is invalid; nothing ran
    3  conflict: somebody else decided, claimed or changed it first
    4  not signed in or not allowed
   10  run, resume, work --drain, job wait: the job failed (it has dead letters)
   11  ... the job waits only for reviewers
   12  ... a budget or an operator paused the job, or all stages that could run now
   13  ... the job was cancelled
  130  interrupted; the state is safe, and pawl printed the command that continues

If several of 10 to 13 apply, the first one in the order 13, 12, 11, 10 is returned. The state of a
job never results in code 1. Lists and `show` return 0 for a job in any state.
)";

/// Shows a topic other than a command.
int help_topic(Session& session, const std::string& topic) {
  if (topic == "exit-codes") {
    session.print(exit_codes);
    return exit_done;
  }
  return session.fail_usage("no such help topic: '" + printable(topic) + "'",
                            "the topics are exit-codes and the commands of pawl --help");
}

class CommandLine {
 public:
  CommandLine();
  int call(const std::vector<std::string>& all);

 private:
  void add_globals();
  CLI::App* add_command(CLI::App& parent, const CommandEntry& entry, const std::string& group);
  void add_help();

  /// Returns the named command, or the program itself if none is named. Reports an unknown command
  /// here, because CLI11 has less to say about it.
  [[nodiscard]] Result<const CLI::App*> named_command(const std::vector<std::string>& words) const;
  /// The mode that the flags ask for. JSON goes before ids, and lines before one document.
  [[nodiscard]] OutputMode output_mode() const;
  int help_on(const std::vector<std::string>& words, Session& session) const;

  std::vector<CommandGroup> groups_ = command_groups();
  CLI::App app_{
      "pawl is a durable workflow engine. It moves items through stages and records every step."};
  std::shared_ptr<HelpText> help_ = std::make_shared<HelpText>();
  std::set<const CLI::App*> commands_;  ///< all but the nouns
  Globals globals_;
  bool json_ = false;
  bool jsonl_ = false;
  bool quiet_ = false;
  bool version_ = false;
  std::vector<std::string> help_words_;
  std::function<int(Session&)> chosen_;
};

CommandLine::CommandLine() {
  app_.name("pawl");
  app_.formatter(help_);
  app_.require_subcommand(0, 1);
  app_.fallthrough();
  help_->column_width(32);
  help_->examples[&app_] = "pawl run documents.yaml";
  add_globals();

  std::map<std::string, CLI::App*> nouns;
  for (const CommandGroup& group : groups_) {
    for (const CommandEntry& entry : group.commands) {
      if (entry.noun.empty()) {
        // `import` is a command, and `import checkpoint` a command below it.
        nouns[entry.name] = add_command(app_, entry, group.heading);
        continue;
      }
      CLI::App*& noun = nouns[entry.noun];
      if (noun == nullptr) {
        noun = app_.add_subcommand(entry.noun, about_noun(entry.noun));
        noun->group(group.heading);
        noun->require_subcommand(0, 1);
        noun->fallthrough();
        help_->examples[noun] = entry.example;
      }
      add_command(*noun, entry, "Commands");
    }
  }
  add_help();
}

void CommandLine::add_globals() {
  app_.add_flag("--json", json_, "Print one JSON document");
  app_.add_flag("--jsonl", jsonl_, "Print one JSON document per line");
  app_.add_flag("-q,--quiet", quiet_, "Print only ids, and no messages");
  app_.add_flag("-v,--verbose", globals_.verbose, "Print more messages");
  const auto word = [&](const std::string& name, const std::vector<std::string>& words,
                        const std::string& shown, const std::string& about, auto set) {
    CLI::Option* const option = app_.add_option_function<std::string>(name, set, about);
    allow_only(*option, words);
    option->option_text(shown);
  };
  word("--color", {"auto", "always", "never"}, "auto|always|never",
       "When to use colours; default: auto", [this](const std::string& said) {
         globals_.colour = said == "always"  ? Colour::always
                           : said == "never" ? Colour::never
                                             : Colour::automatic;
       });
  word("--time", {"relative", "local", "utc"}, "relative|local|utc",
       "How to show times; default: relative", [this](const std::string& said) {
         globals_.time = said == "local" ? TimeStyle::local
                         : said == "utc" ? TimeStyle::utc
                                         : TimeStyle::relative;
       });
  app_.add_option("--dir", globals_.dir, "Search for the project from this directory upwards")
      ->option_text("PATH");
  const auto name_store = [this](const std::string& said) {
    // An unset variable in a script must not become another store.
    if (said.empty())
      throw CLI::ConversionError("--store is empty: expected a file or postgres://…");
    globals_.store = said;
  };
  app_.add_option_function<std::string>(
          "--store", name_store,
          "A file or postgres://…; default: PAWL_STORE, else .pawl/pawl.db of the project")
      ->option_text("PATH");
  app_.add_flag("--yes", globals_.yes, "Answer yes to every question");
  app_.add_flag("--no-input", globals_.no_input, "Never ask, even on a terminal");
  app_.add_flag("--trust-owner", globals_.trust_owner,
                "Use a project or store that other users own or can write to");
  app_.add_flag("-V,--version", version_, "Print the version");
}

CLI::App* CommandLine::add_command(CLI::App& parent, const CommandEntry& entry,
                                   const std::string& group) {
  CLI::App* const app = parent.add_subcommand(entry.name, entry.about);
  app->group(group);
  app->fallthrough();
  for (const std::string& alias : entry.aliases) app->alias(alias);
  help_->examples[app] = entry.example;
  for (const Word& word : entry.words) {
    if (bool* const* const set = std::get_if<bool*>(&word.target)) {
      app->add_flag(word.names, **set, word.about);
      continue;
    }
    const std::string name = word.names.empty() ? argument_name(word.shown) : word.names;
    CLI::Option* const option = std::visit(
        [&](auto* target) {
          CLI::Option* const made = app->add_option(name, *target, word.about);
          if constexpr (!std::is_same_v<decltype(target), bool*>) allow_what_fits(*made, target);
          return made;
        },
        word.target);
    const bool is_optional_argument = word.names.empty() && !word.is_required;
    option->option_text(is_optional_argument ? "[" + word.shown + "]" : word.shown);
    option->required(word.is_required);
    if (!word.choices.empty()) allow_only(*option, word.choices);
    if (word.is_name) refuse_empty(*option);
    if (std::holds_alternative<std::vector<std::uint32_t>*>(word.target)) option->expected(0, 2);
    if (!word.names.empty() && std::holds_alternative<std::vector<std::string>*>(word.target)) {
      option->expected(1)->take_all();
      if (word.splits_at_commas) option->delimiter(',');
    }
  }
  commands_.insert(app);
  // CLI11 calls the function of a command after that of the command below it.
  app->callback([this, app, call = entry.call] {
    if (app->get_subcommands().empty()) chosen_ = call;
  });
  return app;
}

void CommandLine::add_help() {
  CLI::App* const help = app_.add_subcommand("help", "Show help on a command, or on exit-codes.");
  help->group("About pawl");
  help->fallthrough();
  help_->examples[help] = "pawl help exit-codes";
  help->add_option("words", help_words_, "A command, or exit-codes")->option_text("[TOPIC]");
  help->callback(
      [this] { chosen_ = [this](Session& session) { return help_on(help_words_, session); }; });
}

Result<const CLI::App*> CommandLine::named_command(const std::vector<std::string>& words) const {
  const CLI::App* at = &app_;
  bool asks_otherwise = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") break;
    if (word.starts_with("-") && word != "-") {
      asks_otherwise =
          asks_otherwise || word == "-h" || word == "--help" || word == "-V" || word == "--version";
      const bool takes_the_next =
          word == "--color" || word == "--time" || word == "--dir" || word == "--store";
      if (takes_the_next) ++i;
      continue;
    }
    const CLI::App* const next = find_below(*at, word);
    if (next == nullptr && commands_.contains(at)) return at;
    if (next == nullptr) return std::unexpected(unknown_command(*at, word));
    at = next;
    if (below(*at).empty()) return at;
  }
  if (asks_otherwise || at == &app_ || commands_.contains(at)) return at;
  return pawl::fail(ErrorCode::invalid, path_of(*at) + " needs a command",
                    "one of: " + joined(names_below(*at)));
}

int CommandLine::help_on(const std::vector<std::string>& words, Session& session) const {
  const CLI::App* at = &app_;
  for (const std::string& word : words) {
    const CLI::App* const next = find_below(*at, word);
    if (next == nullptr && at == &app_) return help_topic(session, word);
    if (next == nullptr) return session.fail(unknown_command(*at, word));
    at = next;
  }
  session.print(help_->make_help(at, path_of(*at), CLI::AppFormatMode::Normal));
  return exit_done;
}

OutputMode CommandLine::output_mode() const {
  if (jsonl_) return OutputMode::json_lines;
  if (json_) return OutputMode::json;
  return quiet_ ? OutputMode::ids : OutputMode::text;
}

int CommandLine::call(const std::vector<std::string>& all) {
  const std::vector<std::string> words(std::min(all.begin() + 1, all.end()), all.end());
  const auto refuse = [&](const Error& error) {
    Globals told = globals_;
    const bool wants_json =
        std::ranges::count(words, "--json") > 0 || std::ranges::count(words, "--jsonl") > 0;
    if (wants_json) told.output = OutputMode::json;
    return Session(told).fail(error);
  };
  const Result<const CLI::App*> named = named_command(words);
  if (!named) return refuse(named.error());
  try {
    // CLI11 expects the arguments in reverse order.
    app_.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::CallForHelp&) {
    Session(globals_).print(app_.help());
    return exit_done;
  } catch (const CLI::ParseError& wrong) {
    std::string help = "see: " + path_of(**named) + " --help";
    if (const std::string key = key_with_dash(app_, **named, words); !key.empty()) {
      help += "; if '" + printable(key) + "' is a key, put -- before it: " + path_of(**named) +
              " -- " + quoted_for_shell(key);
    }
    return refuse({ErrorCode::invalid, in_our_words(wrong), std::move(help)});
  }
  globals_.output = output_mode();
  Session session(globals_);
  if (version_) return version_command().call(session);
  if (!chosen_) {
    *session.streams().err << app_.help();
    return exit_usage;
  }
  return chosen_(session);
}

}  // namespace

int run_command_line(const std::vector<std::string>& words) { return CommandLine().call(words); }

}  // namespace pawl::cli
