#include "workflow/reference.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "pawl/core/workflow.hpp"

namespace pawl::workflow {
namespace {

struct RootName {
  std::string_view name;
  Reference::Root root;
};
constexpr std::array<RootName, 6> roots{{
    {"item", Reference::Root::item},
    {"params", Reference::Root::params},
    {"in", Reference::Root::in},
    {"out", Reference::Root::out},
    {"stages", Reference::Root::stage},
    {"each", Reference::Root::each},
}};

std::string_view name_of_root(Reference::Root root) {
  for (const RootName& known : roots) {
    if (known.root == root) return known.name;
  }
  return "";
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The length of the name at the start of `text`; 0 if there is none.
std::size_t name_length(std::string_view text) {
  if (text.empty() || !is_letter(text.front())) return 0;
  std::size_t length = 1;
  while (length < text.size() &&
         (is_letter(text[length]) || is_digit(text[length]) || text[length] == '-')) {
    ++length;
  }
  return length;
}

/// The length of the "[12]" at the start of `text`; 0 if there is none.
std::size_t index_length(std::string_view text) {
  if (text.empty() || text.front() != '[') return 0;
  std::size_t length = 1;
  while (length < text.size() && is_digit(text[length])) ++length;
  // Nine digits are enough for any document and always fit in an int.
  const bool is_index = length > 1 && length <= 10 && length < text.size() && text[length] == ']';
  return is_index ? length + 1 : 0;
}

/// Whether the text consists of names and indexes: ".a.b[0].c".
bool is_path(std::string_view text) {
  while (!text.empty()) {
    std::size_t length = 0;
    if (text.front() == '.') {
      length = name_length(text.substr(1));
      if (length != 0) ++length;
    } else {
      length = index_length(text);
    }
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string_view without_dot(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return path;
}

struct Refusal {
  std::string message;
  std::string help;
};

std::string braced(std::string_view inside) { return "${" + std::string(inside) + "}"; }

Refusal not_a_reference(std::string_view inside) {
  std::string help =
      "a reference names a value, such as ${item.path} or ${stages.NAME.out.FIELD}; ";
  if (inside.find_first_of("(|") != std::string_view::npos) {
    help += "there are no functions";
  } else if (inside.find_first_of("+*/%<>=!?") != std::string_view::npos) {
    help += "there is no arithmetic";
  } else if (inside.find(' ') != std::string_view::npos) {
    help += "it contains no spaces";
  } else {
    help += "names consist of letters, digits, _ and -, and [0] is an element of a list";
  }
  return {"\"" + braced(inside) + "\" is not a reference", std::move(help)};
}

Refusal unknown_root(std::string_view root, std::string_view rest) {
  std::vector<std::string> known;
  for (const RootName& each : roots) known.emplace_back(each.name);
  const std::string near = nearest_name(root, known);
  std::string help =
      near.empty()
          ? "a reference starts with item, params, in, out, stages or each; for a literal \"${\" "
            "write \"$${\""
          : "did you mean " + braced(near + std::string(rest)) + "?";
  return {"unknown reference " + braced(root), std::move(help)};
}

/// "${stages.S.out.x}": what follows "stages".
std::expected<Reference, Refusal> stage_reference(std::string_view inside, std::string_view rest) {
  const std::size_t length = rest.starts_with('.') ? name_length(rest.substr(1)) : 0;
  if (length == 0) {
    return std::unexpected(Refusal{"\"" + braced(inside) + "\" does not name a stage",
                                   "write ${stages.NAME.out.FIELD}"});
  }
  const std::string stage(rest.substr(1, length));
  const std::string_view after = rest.substr(1 + length);
  const bool has_out =
      after.starts_with(".out") && (after.size() == 4 || after[4] == '.' || after[4] == '[');
  if (!has_out) {
    const std::string_view field = without_dot(after);
    const std::string meant = name_length(field) == 0 ? "FIELD" : std::string(field);
    return std::unexpected(
        Refusal{"\"" + braced(inside) + "\" does not name an output of stage \"" + stage + "\"",
                "write ${stages." + stage + ".out." + meant + "}"});
  }
  const std::string_view path = without_dot(after.substr(4));
  if (name_length(path) == 0) {
    return std::unexpected(
        Refusal{"\"" + braced(inside) + "\" does not name an output of stage \"" + stage + "\"",
                "write ${stages." + stage + ".out.FIELD}"});
  }
  return Reference{Reference::Root::stage, stage, std::string(path)};
}

/// `inside` is the text between the braces.
std::expected<Reference, Refusal> read_reference(std::string_view inside) {
  if (inside.find_first_not_of(" \t") == std::string_view::npos) {
    return std::unexpected(Refusal{
        "an empty reference", "name a value, as in ${item}; for a literal \"${\" write \"$${\""});
  }
  const std::size_t length = name_length(inside);
  const std::string_view rest = inside.substr(length);
  if (length == 0 || !is_path(rest)) return std::unexpected(not_a_reference(inside));

  const std::string_view name = inside.substr(0, length);
  const auto* const known = std::ranges::find(roots, name, &RootName::name);
  if (known == roots.end()) return std::unexpected(unknown_root(name, rest));
  if (known->root == Reference::Root::stage) return stage_reference(inside, rest);

  const bool stands_alone =
      known->root == Reference::Root::item || known->root == Reference::Root::each;
  if (!stands_alone && !rest.starts_with('.')) {
    return std::unexpected(Refusal{"\"" + braced(inside) + "\" does not name a value",
                                   "write " + braced(std::string(name) + ".NAME")});
  }
  return Reference{known->root, {}, std::string(without_dot(rest))};
}

}  // namespace

std::string Reference::field() const { return path.substr(0, path.find_first_of(".[")); }

std::string Reference::beyond_field() const {
  const std::size_t end = path.find_first_of(".[");
  if (end == std::string::npos) return {};
  return std::string(without_dot(std::string_view(path).substr(end)));
}

std::string Reference::text() const {
  std::string inside(name_of_root(root));
  if (root == Root::stage) inside += "." + stage + ".out";
  if (!path.empty() && !path.starts_with('[')) inside += '.';
  return braced(inside + path);
}

std::expected<Template, TemplateFault> Template::parse(std::string_view text) {
  Template parsed;
  std::string plain;
  const auto end_plain = [&] {
    if (!plain.empty()) parsed.pieces_.emplace_back(std::exchange(plain, {}));
  };

  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t dollar = text.find('$', at);
    plain += text.substr(at, dollar - at);
    if (dollar == std::string_view::npos) break;
    at = dollar;
    if (text.substr(at).starts_with("$${")) {
      plain += "${";
      at += 3;
      continue;
    }
    if (!text.substr(at).starts_with("${")) {
      plain += '$';
      ++at;
      continue;
    }
    const std::size_t end = text.find_first_of("}\n", at);
    if (end == std::string_view::npos || text[end] == '\n') {
      const std::size_t line_end = std::min(end, text.size());
      return std::unexpected(
          TemplateFault{at, line_end - at, "\"${\" is never closed",
                        "write } after the name; for a literal \"${\" write \"$${\""});
    }
    auto reference = read_reference(text.substr(at + 2, end - at - 2));
    if (!reference) {
      return std::unexpected(TemplateFault{at, end + 1 - at, std::move(reference.error().message),
                                           std::move(reference.error().help)});
    }
    end_plain();
    parsed.pieces_.emplace_back(*std::move(reference));
    at = end + 1;
  }
  end_plain();
  return parsed;
}

bool Template::has_references() const {
  return std::ranges::any_of(
      pieces_, [](const Piece& piece) { return std::holds_alternative<Reference>(piece); });
}

const Reference* Template::single() const {
  return pieces_.size() == 1 ? std::get_if<Reference>(&pieces_.front()) : nullptr;
}

}  // namespace pawl::workflow
