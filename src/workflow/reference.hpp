#pragma once

/// References `${…}` in texts; not a template language. The checker, and the actions that resolve
/// references, share this parser.

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl::workflow {

struct Reference {
  enum class Root : std::uint8_t {
    item,    ///< ${item}, ${item.path}
    params,  ///< ${params.corpus}
    in,      ///< ${in.pdf}
    out,     ///< ${out.words}: the stage's own output, in gates
    stage,   ///< ${stages.convert.out.markdown}
    each,    ///< ${each}, ${each.page}
  };
  Root root = Root::item;
  std::string stage;  ///< for Root::stage: its name
  /// What follows the root (or `out.` of a stage): "markdown", "graph.nodes[0]". Empty only for
  /// item and each.
  std::string path;

  /// The first name of the path: the field.
  [[nodiscard]] std::string field() const;
  /// The path after the field, without the dot; empty: the field itself.
  [[nodiscard]] std::string beyond_field() const;
  /// "${stages.convert.out.markdown}"
  [[nodiscard]] std::string text() const;
  friend bool operator==(const Reference&, const Reference&) = default;
};

/// A fault in a text, in bytes from its start.
struct TemplateFault {
  std::size_t at = 0;
  std::size_t length = 0;
  std::string message;
  std::string help;
};

/// A text that may contain references. `$${` stands for a literal `${`.
class Template {
 public:
  using Piece = std::variant<std::string, Reference>;

  [[nodiscard]] static std::expected<Template, TemplateFault> parse(std::string_view text);

  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }
  [[nodiscard]] bool has_references() const;
  /// The reference, if the text is exactly one and nothing else; it keeps its JSON type. Otherwise
  /// null.
  [[nodiscard]] const Reference* single() const;

 private:
  std::vector<Piece> pieces_;
};

}  // namespace pawl::workflow
