#include "workflow/shell_script.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "workflow/templates.hpp"

namespace pawl::workflow {
namespace {

using namespace std::string_view_literals;

constexpr std::array special_names{"BASH"sv,       "BASHOPTS"sv,
                                   "CDPATH"sv,     "COLUMNS"sv,
                                   "DIRSTACK"sv,   "DISPLAY"sv,
                                   "EDITOR"sv,     "ENV"sv,
                                   "EUID"sv,       "FCEDIT"sv,
                                   "FIGNORE"sv,    "FPATH"sv,
                                   "FUNCNAME"sv,   "GROUPS"sv,
                                   "HISTFILE"sv,   "HISTSIZE"sv,
                                   "HOME"sv,       "HOSTNAME"sv,
                                   "HOSTTYPE"sv,   "IFS"sv,
                                   "IGNOREEOF"sv,  "INPUTRC"sv,
                                   "LANG"sv,       "LANGUAGE"sv,
                                   "LINENO"sv,     "LINES"sv,
                                   "LOGNAME"sv,    "MACHTYPE"sv,
                                   "MAIL"sv,       "MAILCHECK"sv,
                                   "MAILPATH"sv,   "MANPATH"sv,
                                   "NLSPATH"sv,    "OLDPWD"sv,
                                   "OPTARG"sv,     "OPTERR"sv,
                                   "OPTIND"sv,     "OSTYPE"sv,
                                   "PAGER"sv,      "PATH"sv,
                                   "PIPESTATUS"sv, "POSIXLY_CORRECT"sv,
                                   "PPID"sv,       "PROMPT_COMMAND"sv,
                                   "PS0"sv,        "PS1"sv,
                                   "PS2"sv,        "PS3"sv,
                                   "PS4"sv,        "PWD"sv,
                                   "RANDOM"sv,     "REPLY"sv,
                                   "SECONDS"sv,    "SHELL"sv,
                                   "SHELLOPTS"sv,  "SHLVL"sv,
                                   "TERM"sv,       "TIMEFORMAT"sv,
                                   "TMOUT"sv,      "TMPDIR"sv,
                                   "TZ"sv,         "UID"sv,
                                   "USER"sv,       "VISUAL"sv,
                                   "_"sv};
constexpr std::array special_beginnings{"PAWL_"sv, "LD_"sv,     "LC_"sv,    "BASH_"sv,
                                        "COMP_"sv, "MALLOC_"sv, "GLIBC_"sv, "PYTHON"sv};

std::string raised(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool is_lower = c >= 'a' && c <= 'z';
    const bool is_plain = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (is_lower) {
      name += static_cast<char>(c - 'a' + 'A');
    } else if (is_plain) {
      name += c;
    } else if (!name.empty() && name.back() != '_') {
      name += '_';
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

/// A short name for a reference: "${stages.convert.out.markdown}" becomes convert.markdown.
std::string spoken(std::string_view reference) {
  reference.remove_prefix(std::min<std::size_t>(reference.size(), 2));
  if (reference.ends_with('}')) reference.remove_suffix(1);
  std::string text(reference);
  if (text.starts_with("stages.")) {
    text.erase(0, "stages."sv.size());
    if (const std::size_t out = text.find(".out."); out != std::string::npos) text.erase(out, 4);
  }
  return text;
}

}  // namespace

bool is_special_variable(std::string_view name) {
  return std::ranges::find(special_names, name) != special_names.end() ||
         std::ranges::any_of(special_beginnings,
                             [&](std::string_view start) { return name.starts_with(start); });
}

std::string suggested_variable(std::string_view reference) {
  std::string name = raised(spoken(reference));
  const bool starts_badly = name.empty() || (name.front() >= '0' && name.front() <= '9');
  if (starts_badly || is_special_variable(name)) name.insert(0, "THE_");
  return name;
}

std::string read_script(Faults& faults, const Value& value) {
  const auto script = read_text(faults, value);
  if (!script) return {};
  if (script->find('\0') != std::string::npos) {
    faults.add("E011", value.node.place, value.what + " contains a NUL character",
               "a shell script cannot contain it: remove the \\0");
    return {};
  }
  const std::vector<std::string> references = engine_references_in(*script);
  if (references.empty()) return *script;
  std::string variables;
  std::string uses;
  for (const std::string& reference : references) {
    const std::string name = suggested_variable(reference);
    variables += (variables.empty() ? "" : ", ") + name + ": " + in_quotes(reference);
    uses += (uses.empty() ? "\"$" : " and \"$") + name + '"';
  }
  faults.add("E030", value.node.place,
             in_quotes(references.front()) +
                 " inside a shell script is not replaced (it would be a shell injection)",
             "pass it through the environment:  env: { " + variables + " }  and write " + uses +
                 " in the script");
  return {};
}

}  // namespace pawl::workflow
