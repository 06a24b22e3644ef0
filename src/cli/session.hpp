#pragma once

/// One call of the program: its options, its project, its store, and where it talks to.
///
/// stdout is data, stderr is talk. The store is opened when it is first asked for.

#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cli/cli.hpp"
#include "cli/render.hpp"
#include "cli/store_place.hpp"
#include "pawl/store/records.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

/// Where the program reads and writes; tests put their own here.
struct Streams {
  std::istream* in = nullptr;
  std::ostream* out = nullptr;
  std::ostream* err = nullptr;
  bool in_is_terminal = false;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};
/// The process's own.
[[nodiscard]] Streams standard_streams();

class Session {
 public:
  explicit Session(Globals globals, Streams streams = standard_streams(),
                   std::shared_ptr<Store> store = nullptr);

  [[nodiscard]] const Globals& globals() const { return globals_; }
  [[nodiscard]] const Streams& streams() const { return streams_; }
  /// How stdout, and stderr, are painted.
  [[nodiscard]] const Style& style() const { return style_; }
  [[nodiscard]] const Style& talk_style() const { return talk_style_; }
  /// How moments are shown, seen from the store's now.
  [[nodiscard]] Times times() const;

  /// The directory that `--dir` names, else the working directory.
  [[nodiscard]] std::filesystem::path directory() const;
  /// The nearest ancestor of `from` with `.pawl/` or `pawl.toml`; empty when there is none.
  /// `refused` when others could have put it there: it is not passed over.
  [[nodiscard]] Result<std::filesystem::path> find_project(const std::filesystem::path& from) const;
  /// The project of this call; `fallback` where none is found (empty: `not_found`).
  [[nodiscard]] Result<std::filesystem::path> project(
      const std::filesystem::path& fallback = {}) const;

  /// The store, which must exist; `not_found` says how to make one.
  [[nodiscard]] Result<std::shared_ptr<Store>> store();
  /// The store, made (with `.pawl/`) where there is none. `fallback` as for `project`.
  [[nodiscard]] Result<std::shared_ptr<Store>> store_or_create(
      const std::filesystem::path& fallback = {});
  /// Where the store is: the one that is open, else the one that is named, found, or would be made.
  /// `refused` for what this version cannot open.
  [[nodiscard]] Result<StorePlace> store_place(const std::filesystem::path& fallback = {}) const;
  /// How to open a store: what the options and the environment say.
  [[nodiscard]] Result<OpenStore> opening(bool create) const;
  /// `refused` for what others could have put there, unless they are trusted.
  [[nodiscard]] Status check_owner(const std::filesystem::path& path) const;
  /// Whether things are used although others could write to them.
  [[nodiscard]] bool trusts_owner() const;
  /// How long locks are waited for; a signal ends it. `invalid` for a malformed PAWL_LOCK_TIMEOUT.
  [[nodiscard]] static Result<LockPatience> lock_patience();
  /// Where processes leave their marks while they work on it.
  [[nodiscard]] Result<std::filesystem::path> run_directory() const;

  // Data, on stdout.
  void print(std::string_view text);
  void print(const std::string& text) { print(std::string_view(text)); }
  void print(const char* text) { print(std::string_view(text)); }
  /// A document: one line.
  void print(const Json& document);

  // Talk, on stderr. Nothing with --quiet or --json.
  void say(std::string_view line);
  /// Says what went wrong, and answers the exit code for it: `exit_interrupted` after Ctrl-C.
  int fail(const Error& error);
  /// For wrong usage.
  int fail_usage(std::string message, std::string help = {});

  /// Whether the person may be asked: stdin and stderr are terminals, and nobody said --no-input.
  [[nodiscard]] bool can_ask() const;
  /// Asks for a yes. With --yes it is one; where nobody can be asked: `refused`, naming --yes.
  [[nodiscard]] Status confirm(std::string_view question);
  /// One line typed by the person, without its newline; empty at the end of the input.
  [[nodiscard]] std::string ask(std::string_view prompt);

  /// Who acts: `as` (from --as), else PAWL_USER, else USER, else the
  /// name of the process's user; `invalid` when nobody is named.
  [[nodiscard]] static Result<std::string> person(const std::string& as);

 private:
  [[nodiscard]] Result<std::shared_ptr<Store>> open(bool create,
                                                    const std::filesystem::path& fallback);
  [[nodiscard]] Status make_ready(const std::filesystem::path& file, bool create) const;

  Globals globals_;
  Streams streams_;
  Style style_;
  Style talk_style_;
  std::shared_ptr<Store> store_;
  std::optional<StorePlace> opened_;  ///< where `store_` is, unless it was given
};

/// The exit code for an error: usage 2, conflict 3, else 1.
[[nodiscard]] int exit_code_of(ErrorCode code);
/// The exit code that tells a job's state: of run, resume, work --drain and job wait. A job that
/// still runs is `exit_done`.
[[nodiscard]] int exit_code_of(const Job& job);

}  // namespace pawl::cli
