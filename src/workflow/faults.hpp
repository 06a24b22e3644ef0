#pragma once

/// Gathers what is wrong with one file, so that everything can be told at once.

#include <string>
#include <string_view>
#include <vector>

#include "pawl/workflow/diagnostic.hpp"

namespace pawl::workflow {

class Faults {
 public:
  /// `file` is what the diagnostics call it.
  explicit Faults(std::string file) : file_(std::move(file)) {}

  void add(std::string_view code, const Place& place, std::string message, std::string help = {});
  /// A name that nobody knows: the nearest of `known` is suggested; without one, `otherwise` is the
  /// help.
  void add_misspelt(std::string_view code, const Place& place, std::string message,
                    std::string_view wrong, const std::vector<std::string>& known,
                    std::string otherwise = {});
  void warn(std::string_view code, const Place& place, std::string message, std::string help = {});

  [[nodiscard]] bool has_errors() const { return !errors_.empty(); }
  /// In the order of the lines.
  [[nodiscard]] std::vector<Diagnostic> errors() const;
  [[nodiscard]] std::vector<Diagnostic> warnings() const;

 private:
  std::string file_;
  std::vector<Diagnostic> errors_;
  std::vector<Diagnostic> warnings_;
};

/// "x", for messages.
[[nodiscard]] std::string in_quotes(std::string_view name);
/// a, b, c; of very many only the first
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

/// The nearest of `known` to a misspelt name, or empty. A name that is very long, or among very
/// many, is not searched for: a file must not make checking slow.
[[nodiscard]] std::string meant_by(std::string_view wrong, const std::vector<std::string>& known);

}  // namespace pawl::workflow
