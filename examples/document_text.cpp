#include "document_text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <set>

namespace documents {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Lines without an empty one between them.
using Block = std::vector<std::string>;

std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks(1);
  for (std::string& line : lines_of(text)) {
    if (!line.empty()) {
      blocks.back().push_back(std::move(line));
    } else if (!blocks.back().empty()) {
      blocks.emplace_back();
    }
  }
  if (blocks.back().empty()) blocks.pop_back();
  return blocks;
}

/// The cells of a row that is drawn with tabs, or with two or more spaces between columns.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool gap = line[i] == '\t' || line.substr(i, 2) == "  ";
    if (!gap) {
      cells.back() += line[i];
      continue;
    }
    while (i + 1 < line.size() && line[i + 1] == ' ') ++i;
    cells.emplace_back();
  }
  return cells;
}

bool is_drawn_table(const Block& block) {
  return block.size() > 1 && std::ranges::all_of(block, [](const std::string& line) {
           return cells_of(line).size() > 2;
         });
}

std::string markdown_table(const Block& block) {
  std::string table;
  for (const std::string& line : block) {
    const std::vector<std::string> cells = cells_of(line);
    table += "|";
    for (const std::string& cell : cells) table += " " + cell + " |";
    table += "\n";
    if (&line != &block.front()) continue;
    table += "|";
    for (std::size_t i = 0; i < cells.size(); ++i) table += "---|";
    table += "\n";
  }
  return table;
}

bool is_capital_line(const Block& block) {
  return block.size() == 1 &&
         std::ranges::none_of(block.front(), [](char c) { return is_letter(c) && !is_upper(c); });
}

std::string heading(std::string_view capitals) {
  std::string text = "# ";
  bool in_word = false;
  for (const char c : capitals) {
    text += in_word ? lower(c) : c;
    in_word = is_letter(c);
  }
  return text + "\n";
}

bool is_prose(const Block& block) {
  return !block.front().starts_with('#') && !block.front().starts_with('|');
}

/// Words that begin a sentence in capitals without naming anything.
bool only_begins_sentences(const std::string& word) {
  static const std::set<std::string> words{
      "A",       "An",   "And",  "Because", "Boats", "For",   "From",  "In",        "It",
      "Most",    "No",   "On",   "She",     "The",   "They",  "Two",   "Questions", "He",
      "Whoever", "When", "With", "This",    "That",  "After", "There", "Visitors"};
  return words.contains(word);
}

/// The names of one paragraph: runs of capitalised words.
std::set<std::string> names_in(const Block& block) {
  std::set<std::string> names;
  std::string run;
  const auto close_run = [&] {
    if (run.size() > 3) names.insert(run);
    run.clear();
  };
  for (const std::string& line : block) {
    std::string word;
    for (const char c : line + " ") {
      if (is_letter(c)) {
        word += c;
        continue;
      }
      const bool is_name = !word.empty() && is_upper(word.front()) && !only_begins_sentences(word);
      if (is_name) run += (run.empty() ? "" : " ") + word;
      if ((!word.empty() && !is_name) || c != ' ') close_run();
      word.clear();
    }
  }
  close_run();
  return names;
}

/// FNV-1a: small, and the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  }
  return hash;
}

}  // namespace

bool is_encrypted(std::string_view source) { return source.starts_with("-----BEGIN ENCRYPTED"); }

std::string to_markdown(std::string_view source, Strategy strategy) {
  std::string markdown;
  for (const Block& block : blocks_of(source)) {
    std::string text;
    if (is_capital_line(block)) {
      text = heading(block.front());
    } else if (!is_drawn_table(block)) {
      for (const std::string& line : block) text += line + "\n";
    } else if (strategy == Strategy::careful) {
      text = markdown_table(block);
    }
    if (!text.empty()) markdown += (markdown.empty() ? "" : "\n") + text;
  }
  return markdown;
}

std::string title_of(std::string_view markdown) {
  for (const std::string& line : lines_of(markdown)) {
    if (line.starts_with("# ")) return line.substr(2);
  }
  return {};
}

std::size_t word_count(std::string_view text) {
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space && !in_word) ++words;
    in_word = !space;
  }
  return words;
}

std::size_t table_count(std::string_view markdown) {
  const std::vector<Block> blocks = blocks_of(markdown);
  return static_cast<std::size_t>(std::ranges::count_if(
      blocks, [](const Block& block) { return block.front().starts_with('|'); }));
}

ConceptGraph concepts_in(std::string_view markdown) {
  std::set<std::string> nodes;
  std::set<std::string> linked;
  std::set<std::pair<std::string, std::string>> edges;
  for (const Block& block : blocks_of(markdown)) {
    if (!is_prose(block)) continue;
    const std::set<std::string> names = names_in(block);
    nodes.insert(names.begin(), names.end());
    for (const std::string& one : names) {
      for (const std::string& other : names) {
        if (one < other) edges.emplace(one, other);
      }
      if (names.size() > 1) linked.insert(one);
    }
  }
  ConceptGraph graph{.nodes = {nodes.begin(), nodes.end()}, .edges = {edges.begin(), edges.end()}};
  std::ranges::set_difference(nodes, linked, std::back_inserter(graph.orphans));
  return graph;
}

std::vector<std::string> chunks_of(std::string_view text, std::size_t tokens_max) {
  std::vector<std::string> chunks;
  std::size_t tokens = 0;
  for (const Block& block : blocks_of(text)) {
    for (const std::string& line : block) {
      const std::size_t more = word_count(line);
      if (chunks.empty() || tokens + more >= tokens_max) {
        chunks.emplace_back();
        tokens = 0;
      }
      chunks.back() += line + "\n";
      tokens += more;
    }
  }
  return chunks;
}

Embedding embed(std::string_view chunk) {
  Embedding vector{};
  for (const auto& [term, count] : terms_of(chunk)) {
    const std::uint64_t hash = hash_of(term);
    const double sign = (hash >> 32U) % 2 == 0 ? 1.0 : -1.0;
    vector[hash % vector.size()] += sign * static_cast<double>(count);
  }
  double length = 0;
  for (const double value : vector) length += value * value;
  if (length == 0) return vector;
  for (double& value : vector) value = std::round(value / std::sqrt(length) * 1e4) / 1e4;
  return vector;
}

std::map<std::string, std::size_t> terms_of(std::string_view text) {
  std::map<std::string, std::size_t> terms;
  std::string term;
  for (const char c : std::string(text) + " ") {
    if (is_letter(c)) {
      term += lower(c);
      continue;
    }
    if (term.size() > 2) ++terms[term];
    term.clear();
  }
  return terms;
}

}  // namespace documents
