#pragma once

/// A text that a person is writing in an editor. It is a file that only this user can read. It
/// stays until the text is sent or given up, so that a refusal, a crash or Ctrl-C loses nothing.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

class Draft {
 public:
  /// The draft with this name in the project, or in the user's state directory. The name is a plain
  /// file name. Creates nothing yet.
  [[nodiscard]] static Result<Draft> named(const Session& session, const std::string& name);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// The text that was left behind, without remarks; none if there is no draft.
  [[nodiscard]] std::optional<std::string> text() const;
  /// Writes the text, with these remarks above it.
  [[nodiscard]] Status write(const std::string& text,
                             const std::vector<std::string>& remarks = {}) const;
  void discard() const;

 private:
  explicit Draft(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

/// Removes every draft whose name begins so.
void discard_drafts(const Session& session, const std::string& beginning);

}  // namespace pawl::cli
