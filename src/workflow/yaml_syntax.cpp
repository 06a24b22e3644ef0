#include "workflow/yaml_syntax.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace pawl::workflow {
namespace {

/// In [ ] and { } the brace of an unquoted "${x}" opens a map, and the parser reports a missing
/// comma.
std::optional<Diagnostic> unquoted_reference(std::size_t at, const SourceText& source) {
  const std::string_view text = source.text();
  if (at == 0 || at >= text.size() || text[at] != '{' || text[at - 1] != '$') return std::nullopt;

  constexpr std::string_view line_ends = "\r\n";
  const std::size_t before = text.find_last_of(" \t\r\n[{,", at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t line_end = std::min(text.find_first_of(line_ends, at), text.size());
  std::size_t end = text.find('}', at);
  if (end >= line_end) {
    end = line_end;
  } else {
    end = std::min(text.find_first_of(" \t\r\n,]}", end + 1), text.size());
  }
  if (text[end - 1] == ':') --end;
  const std::string written(text.substr(begin, end - begin));
  const std::string quoted = "\"" + written + "\"";
  return Diagnostic{.code = "E015",
                    .message = "references in [ ] and { } must be quoted: " + quoted,
                    .place = source.place(begin, end),
                    .help = "write " + quoted,
                    .suggestion = Suggestion{.replace = written, .with = quoted}};
}

std::optional<Diagnostic> open_bracket(const ParserComplaint& complaint, std::size_t at,
                                       const SourceText& source) {
  const std::string_view text = source.text();
  const bool is_at_end = text.find_first_not_of(" \t\r\n", at) == std::string_view::npos;
  if (!is_at_end || !complaint.open_bracket || *complaint.open_bracket >= text.size()) {
    return std::nullopt;
  }
  const char bracket = text[*complaint.open_bracket];
  if (bracket != '[' && bracket != '{') return std::nullopt;
  return Diagnostic{.code = "E001",
                    .message = std::string("this ") + bracket + " is never closed",
                    .place = source.place(*complaint.open_bracket, *complaint.open_bracket + 1),
                    .help = std::string("add the matching ") + (bracket == '[' ? ']' : '}')};
}

struct Translation {
  std::string_view theirs;  ///< the start of the parser's message
  std::string_view message;
  std::string_view help;
};
constexpr std::array<Translation, 12> translations{{
    {"invalid multiline plain key",
     "this text runs into the next line, and that line looks like a key",
     "indent the next line like the other keys of its map, or quote the text"},
    {"wrongly indented", "this quoted text continues on a line that is not indented",
     "close the quote, or indent the lines that belong to it"},
    {"invalid nested block mapping on the same line", "a second \": \" on the same line",
     "quote the text if the colon is part of it, or put the inner key on its own line"},
    {"missing comma in flow sequence", "a comma is missing between two elements of [ ]",
     "add a comma, or quote the text if it is a single one"},
    {"missing comma in flow mapping", "a comma is missing between two members of { }",
     "add a comma, or quote the text if it is a single one"},
    {"invalid tab character", "a tab in the indentation", "indent with spaces"},
    {"plain scalar cannot start with", "unquoted text cannot begin with this character",
     "put the text in double quotes"},
    {"invalid trailing content after", "there is text after the closing quote",
     "put the whole text in one pair of quotes"},
    {"did not find expected key", "a key is expected here",
     "indent the line like its neighbours; a list and a map cannot be mixed"},
    {"flow sequence with invalid extra closing bracket", "a ] without a matching [",
     "remove it, or quote the text"},
    {"could not find expected ':'", "a key without a colon", "write a colon after the key"},
    {"simple key", "a key without a colon", "write a colon after the key"},
}};

}  // namespace

Diagnostic explain_complaint(const ParserComplaint& complaint, const SourceText& source) {
  std::size_t at = source.offset(complaint.line, complaint.column);
  if (auto reference = unquoted_reference(at, source)) return *std::move(reference);
  if (auto bracket = open_bracket(complaint, at, source)) return *std::move(bracket);

  const std::string_view text = source.text();
  const std::size_t end = std::min(text.find_first_of(" \t\r\n,]}", at), text.size());
  // The parser's mark of a quoted text is after its quote.
  const bool is_quoted = complaint.message.starts_with("missing comma") && at > 0 &&
                         (text[at - 1] == '"' || text[at - 1] == '\'');
  if (is_quoted) --at;
  Diagnostic fault{.code = "E001", .place = source.place(at, end)};
  for (const Translation& known : translations) {
    if (!complaint.message.starts_with(known.theirs)) continue;
    fault.message = known.message;
    fault.help = known.help;
    return fault;
  }
  fault.message = "this is not valid YAML: " + std::string(complaint.message);
  return fault;
}

}  // namespace pawl::workflow
