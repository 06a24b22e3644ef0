#pragma once

/// What the document pipeline does to text: plain functions that know nothing of workflows.

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace documents {

/// How a source becomes Markdown. The fast way takes paragraphs and loses tables that are drawn
/// with tabs or columns of spaces; the careful way rebuilds them.
enum class Strategy { fast, careful };

[[nodiscard]] bool is_encrypted(std::string_view source);
[[nodiscard]] std::string to_markdown(std::string_view source, Strategy strategy);
/// The text of the first heading, or empty.
[[nodiscard]] std::string title_of(std::string_view markdown);
[[nodiscard]] std::size_t word_count(std::string_view text);
[[nodiscard]] std::size_t table_count(std::string_view markdown);

/// Names that the text speaks of. Two are linked when a paragraph names both; one that is never
/// named together with another is an orphan.
struct ConceptGraph {
  std::vector<std::string> nodes;
  std::vector<std::pair<std::string, std::string>> edges;
  std::vector<std::string> orphans;
};
[[nodiscard]] ConceptGraph concepts_in(std::string_view markdown);

/// Pieces of fewer than `tokens_max` words each.
[[nodiscard]] std::vector<std::string> chunks_of(std::string_view text, std::size_t tokens_max);

/// A bag of words, hashed into a few dimensions and brought to length one. The same everywhere.
using Embedding = std::array<double, 8>;
[[nodiscard]] Embedding embed(std::string_view chunk);

/// Each searchable term with the number of its occurrences.
[[nodiscard]] std::map<std::string, std::size_t> terms_of(std::string_view text);

}  // namespace documents
