#pragma once

/// One call of the program: its options, project, store and streams.
///
/// Data goes to stdout, messages go to stderr. The store is opened on first use.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/cli.hpp"
#include "cli/output/render.hpp"
#include "cli/project/store_place.hpp"
#include "pawl/core/actor.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

/// Where the program reads and writes; tests pass their own streams.
struct Streams {
  std::istream* in = nullptr;
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};
/// The streams of the process.
[[nodiscard]] Streams standard_streams();

/// One result in every form that the options can ask for. Only the chosen form is made.
struct Forms {
  std::function<Result<Json>()> document;
  std::function<std::string()> text = {};  ///< whole lines; none: prints nothing
  std::function<std::string()> id = {};    ///< none: --quiet prints the text
};

class Session {
 public:
  explicit Session(Globals globals, Streams streams = standard_streams(),
                   std::shared_ptr<Store> store = nullptr);

  [[nodiscard]] const Globals& globals() const { return globals_; }
  [[nodiscard]] const Streams& streams() const { return streams_; }
  /// The styles of stdout and stderr.
  [[nodiscard]] const Style& style() const { return style_; }
  [[nodiscard]] const Style& talk_style() const { return talk_style_; }
  /// How times are shown, relative to the clock of the store.
  [[nodiscard]] Times times() const;

  /// The directory that `--dir` names, else the working directory.
  [[nodiscard]] std::filesystem::path directory() const;
  /// The nearest ancestor of `from` with `.pawl/` or `pawl.toml`; empty if there is none. `refused`
  /// if others could have put it there; the search does not skip it.
  [[nodiscard]] Result<std::filesystem::path> find_project(const std::filesystem::path& from) const;
  /// The project of this call; `fallback` if none is found (empty: `not_found`).
  [[nodiscard]] Result<std::filesystem::path> project(
      const std::filesystem::path& fallback = {}) const;
  /// Uses this project instead of searching for one. Call it before the store is opened.
  void use_project(std::filesystem::path project) { chosen_ = std::move(project); }

  /// The store, which must exist; `not_found` says how to create one.
  [[nodiscard]] Result<std::shared_ptr<Store>> store();
  /// The store, created (with `.pawl/`) if there is none. `fallback` as for `project`.
  [[nodiscard]] Result<std::shared_ptr<Store>> store_or_create(
      const std::filesystem::path& fallback = {});
  /// Where the store is: the open one, else the one that is named, found, or would be created.
  /// `refused` if this version cannot open it.
  [[nodiscard]] Result<StorePlace> store_place(const std::filesystem::path& fallback = {}) const;
  /// The store that `--store` or PAWL_STORE names; empty if none is named.
  [[nodiscard]] std::string named_store() const;
  /// How to open a store, according to the options and the environment.
  [[nodiscard]] Result<OpenStore> opening(bool create) const;
  /// `refused` if others could have changed the path, unless they are trusted.
  [[nodiscard]] Status check_owner(const std::filesystem::path& path) const;
  /// Whether to use paths that others can write to.
  [[nodiscard]] bool trusts_owner() const;
  /// How long to wait for locks; a signal ends the wait. `invalid` for a malformed
  /// PAWL_LOCK_TIMEOUT.
  [[nodiscard]] static Result<files::LockPatience> lock_patience();
  /// Where workers track their running commands.
  [[nodiscard]] Result<std::filesystem::path> run_directory() const;

  /// What to print on stdout. Most commands leave the choice to `present` or a `Listing`.
  [[nodiscard]] OutputMode output() const { return globals_.output; }
  /// Whether documents are printed, one or one per line.
  [[nodiscard]] bool prints_json() const;
  /// Prints a result in the form that the options ask for. Returns the exit code: that of the error
  /// if the document could not be made.
  int present(const Forms& forms);

  // Data, on stdout.
  void print(std::string_view text);
  void print(const std::string& text) { print(std::string_view(text)); }
  void print(const char* text) { print(std::string_view(text)); }
  /// A JSON document on one line.
  void print(const Json& document);
  /// An id on one line; nothing if it is empty.
  void print_id(const std::string& id);

  // Messages, on stderr. None with --quiet or --json.
  void say(std::string_view line);
  /// Reports the error, and returns its exit code: `exit_interrupted` after Ctrl-C.
  int fail(const Error& error);
  /// The same for wrong usage.
  int fail_usage(std::string message, std::string help = {});

  /// Whether pawl may ask: stdin and stderr are terminals, and --no-input is not given.
  [[nodiscard]] bool can_ask() const;
  /// Asks for a yes, which --yes gives in advance. `refused` if pawl cannot ask; the help names
  /// --yes. `refused_as` replaces the message that quotes the question.
  [[nodiscard]] Status confirm(std::string_view question, const std::string& refused_as = {});
  /// One line typed by the person, without its newline; empty at the end of the input.
  [[nodiscard]] std::string ask(std::string_view prompt);

  /// Who acts: the name that `as` (from --as) or PAWL_USER claims, else the local user, by the
  /// name that the system has for the user of the process.
  [[nodiscard]] static Actor actor(const std::string& as);
  [[nodiscard]] static Actor local_actor();

 private:
  [[nodiscard]] Result<std::shared_ptr<Store>> open(bool create,
                                                    const std::filesystem::path& fallback);
  [[nodiscard]] Status make_ready(const std::filesystem::path& file, bool create) const;

  Globals globals_;
  Streams streams_;
  Style style_;
  Style talk_style_;
  std::shared_ptr<Store> store_;
  std::filesystem::path chosen_;      ///< the project; empty: the one that is found
  std::optional<StorePlace> opened_;  ///< where `store_` is, unless it was given
};

/// The exit code for an error: usage 2, conflict 3, not allowed 4, else 1.
[[nodiscard]] int exit_code_of(ErrorCode code);
/// The exit code for the state of a job, for run, resume, work --drain and job wait. A running job
/// is `exit_done`.
[[nodiscard]] int exit_code_of(const Job& job);

}  // namespace pawl::cli
