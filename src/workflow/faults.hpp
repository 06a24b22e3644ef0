#pragma once

/// Collects the faults of one file, so that all are reported at once.

#include <string>
#include <string_view>
#include <vector>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl::workflow {

class Faults {
 public:
  /// `file` is the name of the file in the diagnostics.
  explicit Faults(std::string file) : file_(std::move(file)) {}

  void add(std::string_view code, const Place& place, std::string message, std::string help = {});
  /// Adds a fault for an unknown name, and suggests the nearest of `known`. If none is near, the
  /// help is `otherwise`.
  void add_misspelt(std::string_view code, const Place& place, std::string message,
                    std::string_view wrong, const std::vector<std::string>& known,
                    std::string otherwise = {});
  void warn(std::string_view code, const Place& place, std::string message, std::string help = {});

  [[nodiscard]] bool has_errors() const { return !errors_.empty(); }
  [[nodiscard]] std::size_t error_count() const { return errors_.size(); }
  /// In the order of the lines.
  [[nodiscard]] std::vector<Diagnostic> errors() const;
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  std::string file_;
  std::vector<Diagnostic> errors_;
  std::vector<Diagnostic> warnings_;
};

/// The diagnostics in the order of the lines.
[[nodiscard]] std::vector<Diagnostic> in_order(std::vector<Diagnostic> diagnostics);

/// "x", for messages.
[[nodiscard]] std::string in_quotes(std::string_view name);
/// "a, b, c"; only the first ones of a long list.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// The name in `known` nearest to a misspelt name, or empty. Very long names and very long lists
/// are not searched, so that no file can make checking slow.
[[nodiscard]] std::string meant_by(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace pawl::workflow
