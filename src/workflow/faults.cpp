#include "workflow/faults.hpp"

#include <algorithm>
#include <utility>

#include "pawl/core/workflow.hpp"

namespace pawl::workflow {

std::vector<Diagnostic> in_order(std::vector<Diagnostic> diagnostics) {
  std::ranges::stable_sort(diagnostics, {}, [](const Diagnostic& one) {
    return std::pair(one.place.line, one.place.column);
  });
  return diagnostics;
}

void Faults::add(std::string_view code, const Place& place, std::string message, std::string help) {
  errors_.push_back({.code = std::string(code),
                     .severity = Severity::error,
                     .message = std::move(message),
                     .file = file_,
                     .place = place,
                     .help = std::move(help)});
}

void Faults::add_misspelt(std::string_view code, const Place& place, std::string message,
                          std::string_view wrong, const std::vector<std::string>& known,
                          std::string otherwise) {
  const std::string nearest = meant_by(wrong, known);
  if (nearest.empty()) return add(code, place, std::move(message), std::move(otherwise));
  add(code, place, std::move(message), "did you mean " + in_quotes(nearest) + "?");
  errors_.back().suggestion = Suggestion{.replace = std::string(wrong), .with = nearest};
}

void Faults::warn(std::string_view code, const Place& place, std::string message,
                  std::string help) {
  warnings_.push_back({.code = std::string(code),
                       .severity = Severity::warning,
                       .message = std::move(message),
                       .file = file_,
                       .place = place,
                       .help = std::move(help)});
}

std::vector<Diagnostic> Faults::errors() const { return in_order(errors_); }
std::vector<Diagnostic> Faults::warnings() const { return in_order(warnings_); }

std::string in_quotes(std::string_view name) { return '"' + std::string(name) + '"'; }

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t shown_max = 30;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < shown_max; ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
  }
  return names.size() > shown_max ? text + ", …" : text;
}

std::string meant_by(std::string_view wrong, const std::vector<std::string>& known) {
  constexpr std::size_t length_max = 100;
  constexpr std::size_t known_max = 1000;
  if (wrong.size() > length_max || known.size() > known_max) return {};
  return nearest_name(wrong, known);
}

}  // namespace pawl::workflow
